// SPDX-License-Identifier: Apache-2.0
//
// Scalar expressions as text. An operand that is needed twice is passed to a function.
#include <fmt/format.h>

#include <bit>

#include "base/check.h"
#include "base/half.h"
#include "compiler/codegen/opencl/emitter.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::codegen {
namespace {

using ir::BinOp;
using ir::Expr;
using ir::ExprKind;

std::string Constant(const Expr& e) {
  switch (e.dtype()) {
    case DType::kFloat32:
      return fmt::format("as_float(0x{:08x}u)", std::bit_cast<uint32_t>(e->fvalue));
    case DType::kFloat16:
      return fmt::format("((ushort)0x{:04x})", FloatToHalf(e->fvalue));
    case DType::kInt64:
      if (e->ivalue == INT64_MIN) return "(-9223372036854775807L - 1)";
      return fmt::format("({}L)", e->ivalue);
    case DType::kInt32:
      if (e->ivalue == INT32_MIN) return "(-2147483647 - 1)";
      return fmt::format("({})", e->ivalue);
    case DType::kBool:
      return fmt::format("{}", e->ivalue);
    default:
      return fmt::format("(({}){})", OpenClType(e.dtype()), e->ivalue);
  }
}

std::string CastTo(DType from, DType to, const std::string& v) {
  if (from == to) return v;
  if (from == DType::kFloat16)
    return CastTo(DType::kFloat32, to, fmt::format("ts_from_half({})", v));
  if (to == DType::kFloat16) return fmt::format("ts_to_half({})", CastTo(from, DType::kFloat32, v));
  if (to == DType::kBool) return fmt::format("({} != 0)", v);
  if (ir::IsFloat(from)) {
    switch (to) {
      case DType::kInt8:
        return fmt::format("((char)ts_trunc({}, -128.0f, 127.0f, -128, 127))", v);
      case DType::kUint8:
        return fmt::format("((uchar)ts_trunc({}, 0.0f, 255.0f, 0, 255))", v);
      case DType::kInt16:
        return fmt::format("((short)ts_trunc({}, -32768.0f, 32767.0f, -32768, 32767))", v);
      case DType::kInt32:
        return fmt::format("((int)ts_trunc({}, -0x1p31f, 0x1p31f, -2147483648L, 2147483647L))", v);
      case DType::kInt64:
        return fmt::format(
            "ts_trunc({}, -0x1p63f, 0x1p63f, -9223372036854775807L - 1, 9223372036854775807L)", v);
      default:
        break;
    }
  }
  return fmt::format("(({}){})", OpenClType(to), v);
}

}  // namespace

const char* OpenClType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt32:
      return "int";
    case DType::kInt8:
      return "char";
    case DType::kUint8:
      return "uchar";
    case DType::kInt16:
      return "short";
    case DType::kInt64:
      return "long";
    case DType::kFloat32:
      return "float";
    case DType::kFloat16:
      return "ushort";
  }
  TESSERA_CHECK(false);
}

const char* OpenClMemory(DType dtype) {
  return dtype == DType::kBool ? "uchar" : OpenClType(dtype);
}

Expr LaneOf(const Expr& e, int lane) {
  if (e.lanes() == 1) return e;
  if (e->kind == ExprKind::kVec) {
    if (e->vec() == ir::VecOp::kBroadcast) return e->args[0];
    return e->args[0] + e->args[1] * Expr(lane);
  }
  return ir::MapOperands(e, [&](const Expr& a) { return LaneOf(a, lane); });
}

std::string OpenClEmitter::Place(const ir::Buffer& buffer, const std::vector<Expr>& indices) {
  const auto known = buffers_.find(buffer.get());
  TESSERA_CHECK(known != buffers_.end(), "{} is no buffer of {}", buffer->name, kernel_.name);
  return fmt::format("{}[{}]", known->second,
                     Value(ir::Simplify(ir::OffsetOf(*buffer, indices), ranges_)));
}

std::string OpenClEmitter::Value(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kImm:
      return Constant(e);
    case ExprKind::kVar:
      return vars_.at(e.get());
    case ExprKind::kBin:
      return Binary(e);
    case ExprKind::kUn: {
      const std::string a = Value(e->args[0]);
      if (e->un() == ir::UnOp::kCast) return CastTo(e->args[0].dtype(), e.dtype(), a);
      if (e->un() == ir::UnOp::kNot) return fmt::format("(!{})", a);
      if (e.dtype() == DType::kInt32) return fmt::format("((int)(0u - (uint){}))", a);
      return fmt::format("(({})(-{}))", OpenClType(e.dtype()), a);
    }
    case ExprKind::kSelect:  // as in C, only one branch is evaluated
      return fmt::format("({} ? {} : {})", Value(e->args[0]), Value(e->args[1]), Value(e->args[2]));
    case ExprKind::kLoad: {
      const std::string place = Place(e->buffer, e->args);
      return e.dtype() == DType::kBool ? fmt::format("({} != 0)", place) : place;
    }
    case ExprKind::kCall:
      return Call(e);
    default:
      break;
  }
  TESSERA_CHECK(false, "no scalar expression of the loop IR");
}

std::string OpenClEmitter::Binary(const Expr& e) {
  const std::string a = Value(e->args[0]), b = Value(e->args[1]);
  const BinOp op = e->bin();
  if (op >= BinOp::kEq) return fmt::format("({} {} {})", a, ir::BinOpName(op), b);
  if (!ir::IsFloat(e.dtype())) return IntBinary(e, a, b);
  if (op == BinOp::kMin || op == BinOp::kMax)
    return fmt::format("ts_{}({}, {})", ir::BinOpName(op), a, b);
  return fmt::format("({} {} {})", a, ir::BinOpName(op), b);
}

std::string OpenClEmitter::IntBinary(const Expr& e, const std::string& a, const std::string& b) {
  const DType dtype = e.dtype();
  const char* type = OpenClType(dtype);
  int64_t divisor = 0;
  switch (e->bin()) {
    case BinOp::kDiv:
    case BinOp::kMod:
      if (dtype == DType::kUint8 || (dtype == DType::kInt64 && ir::IsImm(e->args[1], &divisor) &&
                                     divisor > 0 && ir::BoundsOf(e->args[0], ranges_).lo >= 0))
        return fmt::format("({} {} {})", a, e->bin() == BinOp::kDiv ? "/" : "%", b);
      return fmt::format("(({})ts_{}({}, {}))", type, e->bin() == BinOp::kDiv ? "div" : "mod", a,
                         b);
    case BinOp::kMin:
    case BinOp::kMax:
      // The casts are needed because C promotes a choice between two chars to int.
      return fmt::format("{0}(({1}){2}, ({1}){3})", ir::BinOpName(e->bin()), type, a, b);
    case BinOp::kShl:
    case BinOp::kShr:
      return fmt::format("(({})ts_{}({}, {}))", type, e->bin() == BinOp::kShl ? "shl" : "shr", a,
                         b);
    default:
      break;
  }
  if (dtype == DType::kInt64 || dtype == DType::kBool)  // indices do not overflow
    return fmt::format("({} {} {})", a, ir::BinOpName(e->bin()), b);
  return fmt::format("(({})((uint){} {} (uint){}))", type, a, ir::BinOpName(e->bin()), b);
}

std::string OpenClEmitter::Call(const Expr& e) {
  const auto info = ir::FindScalarIntrin(e->name);
  TESSERA_CHECK(info, "a call of {}", e->name);
  if (info->id == ir::ScalarIntrin::kRequantClamp) return Value(ir::InIntegers(e));
  std::vector<std::string> args;
  for (const Expr& a : e->args) args.push_back(Value(a));
  const bool is_float = ir::IsFloat(e.dtype());
  if (info->function) {
    functions_->insert(info->id);
    return fmt::format("{}({})", FunctionName(info->id), fmt::join(args, ", "));
  }
  switch (info->id) {
    case ir::ScalarIntrin::kRequant:
      if (static_cast<isa::Round>(e->args[3]->ivalue) == isa::Round::kTflite)
        return fmt::format("ts_requant_tflite({}, {}, {})", args[0], args[1], args[2]);
      return fmt::format("ts_requant_once({}, {}, {}, {})", args[0], args[1], args[2],
                         static_cast<isa::Round>(e->args[3]->ivalue) == isa::Round::kEven ? 1 : 0);
    case ir::ScalarIntrin::kClampAdd:
      return fmt::format("ts_clamp_add({}, {}, {}, {})", args[0], args[1], args[2], args[3]);
    case ir::ScalarIntrin::kClamp:
      if (is_float) return fmt::format("ts_min(ts_max({}, {}), {})", args[0], args[1], args[2]);
      return fmt::format("min(max(({0}){1}, ({0}){2}), ({0}){3})", OpenClType(e.dtype()), args[0],
                         args[1], args[2]);
    case ir::ScalarIntrin::kAbs:
      return is_float ? fmt::format("fabs({})", args[0])
                      : fmt::format("(({0})abs(({0}){1}))", OpenClType(e.dtype()), args[0]);
    case ir::ScalarIntrin::kRoundEven:
      return fmt::format("rint({})", args[0]);
    case ir::ScalarIntrin::kFloor:
      return fmt::format("floor({})", args[0]);
    case ir::ScalarIntrin::kFma:
      return fmt::format("fma({}, {}, {})", args[0], args[1], args[2]);
    default:
      break;
  }
  TESSERA_CHECK(false);
}

}  // namespace tessera::codegen
