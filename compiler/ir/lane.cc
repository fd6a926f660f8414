// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/lane.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/half.h"
#include "compiler/ir/functions.h"

namespace tessera::ir {
namespace {

int64_t WrappedQuotient(int64_t a, int64_t b) {
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return q - ((a % b != 0 && ((a < 0) != (b < 0))) ? 1 : 0);
}

// Computes modulo 2^64; the caller wraps the result to its type.
bool IntBin(BinOp op, int64_t a, int64_t b, int64_t* out) {
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case BinOp::kAdd:
      *out = static_cast<int64_t>(ua + ub);
      return true;
    case BinOp::kSub:
      *out = static_cast<int64_t>(ua - ub);
      return true;
    case BinOp::kMul:
      *out = static_cast<int64_t>(ua * ub);
      return true;
    case BinOp::kDiv:
      if (b == 0) return false;
      *out = WrappedQuotient(a, b);
      return true;
    case BinOp::kMod:
      if (b == 0) return false;
      *out = static_cast<int64_t>(ua - static_cast<uint64_t>(WrappedQuotient(a, b)) * ub);
      return true;
    case BinOp::kMin:
      *out = std::min(a, b);
      return true;
    case BinOp::kMax:
      *out = std::max(a, b);
      return true;
    case BinOp::kAnd:
      *out = a & b;
      return true;
    case BinOp::kOr:
      *out = a | b;
      return true;
    case BinOp::kXor:
      *out = a ^ b;
      return true;
    // Shift amounts outside [0, 63] give zero, or the sign. Back ends do not rely on this.
    case BinOp::kShl:
      *out = b < 0 || b > 63 ? 0 : static_cast<int64_t>(ua << b);
      return true;
    case BinOp::kShr:
      *out = a >> (b < 0 || b > 63 ? 63 : b);
      return true;
    case BinOp::kEq:
      *out = a == b;
      return true;
    case BinOp::kNe:
      *out = a != b;
      return true;
    case BinOp::kLt:
      *out = a < b;
      return true;
    case BinOp::kLe:
      *out = a <= b;
      return true;
  }
  return false;
}

}  // namespace

bool ApplyBin(BinOp op, DType operand, LaneValue a, LaneValue b, LaneValue* out) {
  if (!IsFloat(operand)) {
    if (!IntBin(op, a.i, b.i, &out->i)) return false;
    if (op < BinOp::kEq) out->i = WrapTo(operand, out->i);
    return true;
  }
  switch (op) {
    case BinOp::kAdd:
      out->f = a.f + b.f;
      return true;
    case BinOp::kSub:
      out->f = a.f - b.f;
      return true;
    case BinOp::kMul:
      out->f = a.f * b.f;
      return true;
    case BinOp::kDiv:
      out->f = a.f / b.f;
      return true;
    case BinOp::kMin:
      out->f = a.f < b.f ? a.f : b.f;
      return true;  // the second operand if either is a NaN
    case BinOp::kMax:
      out->f = a.f > b.f ? a.f : b.f;
      return true;
    case BinOp::kEq:
      out->i = a.f == b.f;
      return true;
    case BinOp::kNe:
      out->i = a.f != b.f;
      return true;
    case BinOp::kLt:
      out->i = a.f < b.f;
      return true;
    case BinOp::kLe:
      out->i = a.f <= b.f;
      return true;
    default:
      break;
  }
  TESSERA_CHECK(false, "'{}' of f32", BinOpName(op));
}

LaneValue ApplyCast(DType from, DType to, LaneValue a) {
  LaneValue out;
  if (IsFloat(from)) {
    switch (to) {
      case DType::kBool:
        out.i = a.f != 0;
        break;
      case DType::kInt8:
        out.i = TruncateSaturate(a.f, -128, 127);
        break;
      case DType::kUint8:
        out.i = TruncateSaturate(a.f, 0, 255);
        break;
      case DType::kInt16:
        out.i = TruncateSaturate(a.f, INT16_MIN, INT16_MAX);
        break;
      case DType::kInt32:
        out.i = TruncateSaturate(a.f, INT32_MIN, INT32_MAX);
        break;
      case DType::kInt64:
        out.i = TruncateSaturate(a.f, INT64_MIN, INT64_MAX);
        break;
      case DType::kFloat32:
        out.f = a.f;
        break;
      case DType::kFloat16:
        out.f = HalfToFloat(FloatToHalf(a.f));
        break;
    }
  } else if (IsFloat(to)) {
    out.f = static_cast<float>(a.i);
    if (to == DType::kFloat16) out.f = HalfToFloat(FloatToHalf(out.f));
  } else {
    out.i = to == DType::kBool ? a.i != 0 : WrapTo(to, a.i);
  }
  return out;
}

LaneValue ApplyUn(UnOp op, DType from, DType to, LaneValue a) {
  LaneValue out;
  switch (op) {
    case UnOp::kCast:
      return ApplyCast(from, to, a);
    case UnOp::kNeg:
      if (IsFloat(from)) {
        out.f = -a.f;
      } else {
        out.i = WrapTo(from, static_cast<int64_t>(0 - static_cast<uint64_t>(a.i)));
      }
      return out;
    case UnOp::kNot:
      out.i = !a.i;
      return out;
  }
  return out;
}

LaneValue ApplyScalarIntrin(ScalarIntrin id, DType dtype, std::span<const LaneValue> args) {
  LaneValue out;
  auto i32 = [&](int k) { return static_cast<int32_t>(args[k].i); };
  switch (id) {
    case ScalarIntrin::kRequant:
      out.i = RequantValue(i32(0), i32(1), i32(2), static_cast<isa::Round>(args[3].i));
      break;
    case ScalarIntrin::kRequantClamp: {
      const auto sum = static_cast<int32_t>(
          WrapTo(DType::kInt32, args[RequantClampAt::kA].i - args[RequantClampAt::kOffset].i));
      out.i = ClampAddValue(
          RequantValue(sum, i32(RequantClampAt::kMultiplier), i32(RequantClampAt::kShift),
                       static_cast<isa::Round>(args[RequantClampAt::kRounding].i)),
          i32(RequantClampAt::kZero), i32(RequantClampAt::kLo), i32(RequantClampAt::kHi));
      break;
    }
    case ScalarIntrin::kClampAdd:
      out.i = ClampAddValue(i32(0), i32(1), i32(2), i32(3));
      break;
    case ScalarIntrin::kClamp:
      if (IsFloat(dtype)) {
        const float low = args[0].f > args[1].f ? args[0].f : args[1].f;
        out.f = low < args[2].f ? low : args[2].f;
      } else {
        out.i = std::min(std::max(args[0].i, args[1].i), args[2].i);
      }
      break;
    case ScalarIntrin::kAbs:
      if (IsFloat(dtype)) {
        out.f = std::fabs(args[0].f);
      } else {
        const uint64_t u = static_cast<uint64_t>(args[0].i);
        out.i = WrapTo(dtype, static_cast<int64_t>(args[0].i < 0 ? 0 - u : u));
      }
      break;
    case ScalarIntrin::kRoundEven:
      out.f = RoundEvenValue(args[0].f);
      break;
    case ScalarIntrin::kFloor:
      out.f = std::floor(args[0].f);
      break;
    case ScalarIntrin::kFma:
      out.f = std::fma(args[0].f, args[1].f, args[2].f);
      break;
    default: {
      const float operands[] = {args[0].f, args.back().f};
      out.f = FunctionOf<float>(id, operands);
      break;
    }
  }
  return out;
}

}  // namespace tessera::ir
