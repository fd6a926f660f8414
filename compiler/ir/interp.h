// SPDX-License-Identifier: Apache-2.0
//
// The interpreter of the loop IR: slow, exact, and the oracle of every pass and back end. Every
// access is checked against the logical bounds of its buffer. Depends on ir.h, intrin.h, array.h.
#ifndef TESSERA_COMPILER_IR_INTERP_H_
#define TESSERA_COMPILER_IR_INTERP_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/ir/array.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

struct InterpOptions {
  // Limit on stores, evaluations and loop iterations.
  int64_t budget = int64_t{1} << 32;
  // Fills newly allocated buffers with this byte, so that reads before writes show.
  uint8_t poison = 0x5b;
};

struct InterpStats {
  int64_t steps = 0;
  int64_t stores = 0;  // elements stored
  int64_t calls = 0;   // of tile intrinsics
};

// Runs |func| on |args|, one array per parameter, of the parameter's type and with
// SizeInElements(parameter) elements in physical order. Iterations of a parallel loop run in order;
// none may access an element that another one stores.
//   errors  kInvalidArgument  number, type or size of the arrays; a name that no registry knows;
//                             conflicting iterations of a parallel loop (the check sees only the
//                             first element of a tile intrinsic's operand)
//           kOutOfRange       an index outside its buffer (names buffer, dimension, value, limit);
//                             division by zero
//           kTimeout          the budget is spent
Result<InterpStats> Interpret(const Func& func, const std::vector<Array*>& args,
                              const InterpOptions& options = {});

// The value of a scalar integer expression without free variables or loads.
Result<int64_t> EvalInt(const Expr& e);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_INTERP_H_
