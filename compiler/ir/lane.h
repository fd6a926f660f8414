// SPDX-License-Identifier: Apache-2.0
//
// The value of one lane and scalar operations on it, for the interpreter, constant folding and the
// evaluation of tensor expressions. Depends on ir.h, intrin.h.
#ifndef TESSERA_COMPILER_IR_LANE_H_
#define TESSERA_COMPILER_IR_LANE_H_

#include <cstdint>
#include <span>

#include "base/error.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

// |f| holds f32 and f16, |i| all other types.
struct LaneValue {
  int64_t i = 0;
  float f = 0;
};

// |operand| is the type of the operands, not of the result. False: integer division by zero.
bool ApplyBin(BinOp op, DType operand, LaneValue a, LaneValue b, LaneValue* out);
LaneValue ApplyCast(DType from, DType to, LaneValue a);
LaneValue ApplyUn(UnOp op, DType from, DType to, LaneValue a);
LaneValue ApplyScalarIntrin(ScalarIntrin id, DType dtype, std::span<const LaneValue> args);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_LANE_H_
