// SPDX-License-Identifier: Apache-2.0
//
// Tensor intrinsics: a small tensor expression that says what an instruction does, and the tile
// intrinsic (ir/intrin.h) that stands for it. The lowering matches the nest of a stage against the
// expression; nothing else knows the instruction. Depends on te. Used by target.h, lower.
#ifndef TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_
#define TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/target/value_builder.h"
#include "compiler/te/te.h"

namespace tessera::target {

// Two i64 variables that may stand among the call's last operands. FirstStep: 1 in the first step
// of a reduction, whose old value does not count, 0 later. TileCount: the iterations of the
// innermost data axis.
const ir::Expr& FirstStep();
const ir::Expr& TileCount();

// The memories in which the tile of |tensor|, or of the output by the behaviour's name, may be.
struct TileScopes {
  std::string tensor;
  std::vector<ir::Scope> scopes;
};

// An axis whose iterations are |count|, an i64 parameter, of at most those of the behaviour.
struct AxisCount {
  std::string axis;
  ir::Expr count;
};

// What the parameters have to be, and the words for it: "the shift is 0 to 31".
struct ParamCondition {
  ir::Expr holds;
  std::string text;
};

// The call's operands: the output tile, the tiles that the behaviour reads in order of first
// appearance, then |trailing|. Tiles are row-major without gaps, as the behaviour's tensors are; a
// tensor that is read at several places has its first one in front. Variables of the behaviour that
// are no axes are parameters: the nest has a constant there, which stands in |trailing| where the
// variable does. One that is the right operand of +, -, *, << or >> may be missing in the nest
// where it would change nothing. One that is the factor of an axis in an index is what the nest's
// tile steps by there, or 0 where the loop has one iteration.
struct TensorIntrin {
  std::string name;      // in schedules
  std::string call;      // the registered tile intrinsic
  te::Tensor behaviour;  // one compute stage over placeholders
  std::vector<ir::Expr> trailing = {};
  // The innermost data axis may have fewer iterations than the behaviour has: the output's buffer
  // has room for the rest of the tile, and what is there does not count.
  bool partial = false;
  std::vector<AxisCount> counts = {};
  std::string updates = {};  // the placeholder that is the output's own tile, and no operand
  std::vector<TileScopes> scopes = {};  // of tensors that are not in it: any
  std::vector<ParamCondition> conditions = {};
  bool warp = false;               // done by the threads of a warp together (target/cuda.h)
  double cycles = 0;               // of a call behind another one; 0: not known
  double latency = 0;              // until what it made is there for the next; 0: not known
  bool CpuUnits::*unit = nullptr;  // of a host, without which there is no such instruction
  EmitValues emit = nullptr;       // none: the target's back end has another way (tile_intrin.h)

  // Does a reduction start by FirstStep? Else plain stores of its identity come before it.
  bool FlagsStart() const;
};

// A behaviour that is sums of products of two tiles, as its text has them.
struct ProductTile {
  DType left, right, sums;
  std::vector<int64_t> shape;  // of the sums
  int64_t depth = 1;           // products of each

  int64_t products() const;
};
// Empty: it is something else.
std::optional<ProductTile> ProductsOf(const TensorIntrin& intrin);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_
