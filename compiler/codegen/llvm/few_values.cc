// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/few_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/ir/affine.h"
#include "compiler/ir/scalar_math.h"

namespace tessera::codegen {
namespace {

using ir::BinOp;
using ir::Expr;

constexpr int64_t kMostValues = 1024;
constexpr int64_t kMostResult = 1 << 21;

// An int32 expression as |units| << |shift|, which does not overflow.
struct Span {
  Expr units;
  int64_t lo = 0, hi = 0;  // of the units
  int64_t shift = 0;

  bool Fits() const {
    const int64_t most = int64_t{std::numeric_limits<int32_t>::max()} >> shift;
    return -most <= lo && hi <= most;
  }
};

Expr Number(int64_t value, int lanes) {
  const Expr number = ir::Imm(DType::kInt32, value);
  return lanes == 1 ? number : ir::Broadcast(number, lanes);
}

// With a shift of |shift|, which is not larger.
Span WithShift(const Span& s, int64_t shift) {
  const int64_t by = s.shift - shift;
  if (by == 0) return s;
  return {s.units * Number(int64_t{1} << by, s.units.lanes()), s.lo << by, s.hi << by, shift};
}

std::optional<Span> SpanOf(const Expr& e) {
  int64_t value = 0;
  const bool repeats = e->kind == ir::ExprKind::kVec && e->vec() == ir::VecOp::kBroadcast;
  if (ir::IsImm(repeats ? e->args[0] : e, &value)) {
    const int64_t shift =
        value == 0 ? 30 : std::min(std::countr_zero(static_cast<uint64_t>(value)), 30);
    return Span{Number(value >> shift, e.lanes()), value >> shift, value >> shift, shift};
  }
  if (e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast) {
    const DType from = e->args[0].dtype();
    if (from == DType::kInt8) return Span{e, -128, 127};
    if (from == DType::kUint8) return Span{e, 0, 255};
    return {};
  }
  if (e->kind != ir::ExprKind::kBin) return {};
  const std::optional<Span> a = SpanOf(e->args[0]);
  if (!a) return {};
  if (e->bin() == BinOp::kShl) {
    const Expr& amount = e->args[1];
    const bool same = amount->kind == ir::ExprKind::kVec && amount->vec() == ir::VecOp::kBroadcast;
    if (!ir::IsImm(same ? amount->args[0] : amount, &value) || value < 0 || value > 30) return {};
    Span shifted = *a;
    shifted.shift += value;
    return shifted.shift <= 30 && shifted.Fits() ? std::optional(shifted) : std::nullopt;
  }
  if (e->bin() != BinOp::kAdd && e->bin() != BinOp::kSub) return {};
  const std::optional<Span> b = SpanOf(e->args[1]);
  if (!b) return {};
  const int64_t shift = std::min(a->shift, b->shift);
  const Span x = WithShift(*a, shift), y = WithShift(*b, shift);
  const bool add = e->bin() == BinOp::kAdd;
  const Span sum{ir::Bin(e->bin(), x.units, y.units), add ? x.lo + y.lo : x.lo - y.hi,
                 add ? x.hi + y.hi : x.hi - y.lo, shift};
  return sum.Fits() ? std::optional(sum) : std::nullopt;
}

// Does |factor| give every value its result?
bool Rounds(const Span& s, float factor, int32_t multiplier, int32_t shift, isa::Round rounding) {
  for (int64_t units = s.lo; units <= s.hi; ++units) {
    const int64_t want = ir::RequantValue(static_cast<int32_t>(units * (int64_t{1} << s.shift)),
                                          multiplier, shift, rounding);
    if (std::abs(want) >= kMostResult) return false;
    const float sum = std::fma(static_cast<float>(units), factor, 0x1.8p23F);
    if (std::bit_cast<int32_t>(sum) - std::bit_cast<int32_t>(0x1.8p23F) != want) return false;
  }
  return true;
}

}  // namespace

std::optional<FewValues> FewValuesOf(const Expr& call) {
  int64_t multiplier = 0, shift = 0;
  if (!ir::IsImm(call->args[1], &multiplier) || !ir::IsImm(call->args[2], &shift) || shift > 0)
    return {};
  const std::optional<Span> span = SpanOf(call->args[0]);
  if (!span || span->hi - span->lo >= kMostValues || span->hi >= kMostResult ||
      span->lo <= -kMostResult)
    return {};
  const auto exact = static_cast<float>(
      std::ldexp(static_cast<double>(multiplier), static_cast<int>(span->shift + shift - 31)));
  const auto rounding = static_cast<isa::Round>(call->args[3]->ivalue);
  for (const float factor :
       {exact, std::nextafter(exact, 0.0F), std::nextafter(exact, 2 * exact)}) {
    if (Rounds(*span, factor, static_cast<int32_t>(multiplier), static_cast<int32_t>(shift),
               rounding))
      return FewValues{span->units, factor};
  }
  return {};
}

}  // namespace tessera::codegen
