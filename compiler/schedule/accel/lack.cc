// SPDX-License-Identifier: Apache-2.0
//
// Finds what VECTOR lacks for a value from the form of the value.
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"

namespace tessera::schedule::accel {
namespace {

using ir::BinOp;
using ir::Expr;
using ir::ExprKind;

Lack LackOfBin(const Expr& e) {
  switch (e->bin()) {
    case BinOp::kSub:
      return {RefusalKind::kOperation, "subtraction of a variable"};
    case BinOp::kDiv:
      return {RefusalKind::kOperation, "division"};
    case BinOp::kMod:
      return {RefusalKind::kOperation, "remainder"};
    case BinOp::kAnd:
    case BinOp::kOr:
    case BinOp::kXor:
      return {RefusalKind::kOperation, "operation on bits"};
    case BinOp::kShl:
      if (e->args[1]->kind != ExprKind::kImm)
        return {RefusalKind::kOperation, "shift to the left by a variable"};
      // VECTOR shifts an int8 value to the left when it reads it, and no int32 value.
      if (MatchSource(e->args[0])) return {RefusalKind::kWide, "more bits"};
      return {RefusalKind::kOperation, "shift of int32 to the left"};
    case BinOp::kEq:
    case BinOp::kNe:
    case BinOp::kLt:
    case BinOp::kLe:
      return {RefusalKind::kByValue};
    case BinOp::kAdd:
    case BinOp::kMul:
    case BinOp::kMin:
    case BinOp::kMax:
      break;
    case BinOp::kShr:
      if (e->args[1]->kind != ExprKind::kImm)
        return {RefusalKind::kOperation, "shift to the right by a variable"};
      if (e->args[1]->ivalue < 0)
        return {RefusalKind::kOperation, "shift to the right by a negative number"};
      break;
  }
  return {RefusalKind::kNarrow};  // VECTOR has the operation for int32
}

bool ReadsActivation(const Expr& e, const ConstantSet& constants) {
  return ir::Contains(e, [&](const Expr& x) {
    return x->kind == ExprKind::kTensorRead && !constants.contains(te::TensorOf(x).get());
  });
}

}  // namespace

bool ReadsTensor(const Expr& e) {
  return ir::Contains(e, [](const Expr& x) { return x->kind == ExprKind::kTensorRead; });
}

Lack LackOf(const Expr& e, const ConstantSet& constants) {
  Expr value = e;
  while (value->kind == ExprKind::kUn && value->un() == ir::UnOp::kCast) value = value->args[0];
  const DType type = value.dtype();
  const bool reads = value->kind == ExprKind::kTensorRead;
  if (reads && constants.contains(te::TensorOf(value).get())) return {RefusalKind::kParameters};
  if (reads && type != DType::kInt8) return {RefusalKind::kInputType, std::string(Text(type))};
  if (type != DType::kInt8 && type != DType::kInt32 && type != DType::kBool)
    return {RefusalKind::kWide, std::string(Text(type))};
  switch (value->kind) {
    case ExprKind::kSelect:
      return {ReadsActivation(value->args[0], constants) ? RefusalKind::kByValue
                                                         : RefusalKind::kByPosition};
    case ExprKind::kBin:
      return LackOfBin(value);
    case ExprKind::kUn:
      return {RefusalKind::kOperation,
              value->un() == ir::UnOp::kNeg ? "negation" : "negation of bits"};
    case ExprKind::kCall:
      if (IsCall(value, "clamp_add") || IsCall(value, "requant")) return {RefusalKind::kNarrow};
      return {RefusalKind::kOperation, IsCall(value, "abs") ? "absolute value" : value->name};
    case ExprKind::kImm:
      return {RefusalKind::kParameters};
    default:
      return {RefusalKind::kNarrow};
  }
}

}  // namespace tessera::schedule::accel
