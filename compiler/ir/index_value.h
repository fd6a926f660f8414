// SPDX-License-Identifier: Apache-2.0
//
// The result of an operation on two index values (i64, or bool as 0 and 1). Depends on ir.h. Used
// by: target/leaf.cc and validate/index_code.cc, which evaluate index expressions.
#ifndef TESSERA_COMPILER_IR_INDEX_VALUE_H_
#define TESSERA_COMPILER_IR_INDEX_VALUE_H_

#include <cstdint>

#include "compiler/ir/ir.h"

namespace tessera::ir {

// |a| op |b| as ir.h defines it; kDiv and kMod round to minus infinity. A divisor of 0 stops the
// program (TESSERA_CHECK).
int64_t IndexValue(BinOp op, int64_t a, int64_t b);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_INDEX_VALUE_H_
