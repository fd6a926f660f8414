// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/few_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "compiler/ir/affine.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/scalar_math.h"

namespace tessera::codegen {
namespace {

using ir::BinOp;
using ir::Expr;

constexpr int64_t kMostValues = 1024;
constexpr int64_t kMostResult = 1 << 21;
constexpr double kSmallStep = 0x1p-18;  // accuracy of results of a byte in float32

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

// |s| with the smaller shift |shift|.
Span WithShift(const Span& s, int64_t shift) {
  const int64_t by = s.shift - shift;
  if (by == 0) return s;
  return {s.units * Number(int64_t{1} << by, s.units.lanes()), s.lo << by, s.hi << by, shift};
}

// Whether |e| is a constant, the same in every lane.
bool IsNumber(const Expr& e, int64_t* value) {
  const bool repeats = e->kind == ir::ExprKind::kVec && e->vec() == ir::VecOp::kBroadcast;
  return ir::IsImm(repeats ? e->args[0] : e, value);
}

struct Range {
  int64_t lo = 0, hi = 0;
};

// The range of a cast byte; empty if |e| is anything else.
std::optional<Range> ByteRange(const Expr& e) {
  if (e->kind != ir::ExprKind::kUn || e->un() != ir::UnOp::kCast) return {};
  const DType from = e->args[0].dtype();
  if (from == DType::kInt8) return Range{-128, 127};
  if (from == DType::kUint8) return Range{0, 255};
  return {};
}

// The parameters of a requantisation by constants.
struct Scale {
  int32_t multiplier = 0, shift = 0;
  isa::Round rounding = isa::Round::kEven;

  int64_t operator()(int64_t sum) const {
    return ir::RequantValue(static_cast<int32_t>(sum), multiplier, shift, rounding);
  }
  double factor() const { return std::ldexp(static_cast<double>(multiplier), shift - 31); }
};

std::optional<Scale> ScaleOf(const Expr& call) {
  int64_t multiplier = 0, shift = 0;
  if (!IsNumber(call->args[1], &multiplier) || !IsNumber(call->args[2], &shift) || shift > 0)
    return {};
  return Scale{static_cast<int32_t>(multiplier), static_cast<int32_t>(shift),
               static_cast<isa::Round>(call->args[3]->ivalue)};
}

std::optional<Span> SpanOf(const Expr& e) {
  int64_t value = 0;
  if (IsNumber(e, &value)) {
    const int64_t shift =
        value == 0 ? 30 : std::min(std::countr_zero(static_cast<uint64_t>(value)), 30);
    return Span{Number(value >> shift, e.lanes()), value >> shift, value >> shift, shift};
  }
  if (const std::optional<Range> byte = ByteRange(e)) return Span{e, byte->lo, byte->hi};
  if (e->kind != ir::ExprKind::kBin) return {};
  const std::optional<Span> a = SpanOf(e->args[0]);
  if (!a) return {};
  if (e->bin() == BinOp::kShl) {
    if (!IsNumber(e->args[1], &value) || value < 0 || value > 30) return {};
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

// Whether the float sum |beside| rounded to |want|; neighbours of 1.5 * 2^23 are 1 apart.
bool IsRounded(float beside, int64_t want) {
  return std::bit_cast<int32_t>(beside) - std::bit_cast<int32_t>(kBeside) == want;
}

bool Rounds(const Span& s, float factor, const Scale& scale) {
  for (int64_t units = s.lo; units <= s.hi; ++units) {
    const int64_t want = scale(units * (int64_t{1} << s.shift));
    if (std::abs(want) >= kMostResult) return false;
    if (!IsRounded(std::fma(static_cast<float>(units), factor, kBeside), want)) return false;
  }
  return true;
}

std::optional<float> FactorOf(const Span& span, const Scale& scale) {
  const auto exact = static_cast<float>(std::ldexp(scale.factor(), static_cast<int>(span.shift)));
  for (const float factor :
       {exact, std::nextafter(exact, 0.0F), std::nextafter(exact, 2 * exact)}) {
    if (Rounds(span, factor, scale)) return factor;
  }
  return {};
}

// A function of a byte: its values, and the line that they follow up to rounding.
struct OfByte {
  Expr byte;  // a cast to int32
  int64_t lo = 0;
  std::vector<int64_t> values;  // of lo, lo + 1 and so on
  double slope = 1, at_zero = 0;
};

// The sum of functions of one byte each and a number.
struct ByteSum {
  std::vector<OfByte> parts;
  int64_t number = 0;

  // Whether the sum and each part of it stay in int32.
  bool Fits() const {
    int64_t most = std::abs(number);
    for (const OfByte& part : parts) {
      most += std::max(std::abs(std::ranges::min(part.values)),
                       std::abs(std::ranges::max(part.values)));
    }
    return most <= std::numeric_limits<int32_t>::max();
  }
};

// Applies |change| to |e|, a number or one part plus a number; scales the line by |factor|.
std::optional<ByteSum> Changed(ByteSum e, double factor,
                               const std::function<int64_t(int64_t)>& change) {
  if (e.parts.size() > 1) return {};
  if (e.parts.empty()) {
    e.number = change(e.number);
    return e;
  }
  OfByte& part = e.parts[0];
  for (int64_t& value : part.values) value = change(value + e.number);
  part.slope *= factor;
  part.at_zero = (part.at_zero + static_cast<double>(e.number)) * factor;
  e.number = 0;
  return e;
}

std::optional<ByteSum> ByteSumOf(const Expr& e) {
  int64_t value = 0;
  if (IsNumber(e, &value)) return ByteSum{{}, value};
  if (const std::optional<Range> byte = ByteRange(e)) {
    OfByte part{.byte = e, .lo = byte->lo};
    for (int64_t v = byte->lo; v <= byte->hi; ++v) part.values.push_back(v);
    return ByteSum{{part}, 0};
  }
  std::optional<ByteSum> made;
  const auto info = e->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(e->name) : std::nullopt;
  if (info && info->id == ir::ScalarIntrin::kRequant) {
    const std::optional<Scale> scale = ScaleOf(e);
    std::optional<ByteSum> of = ByteSumOf(e->args[0]);
    if (scale && of) made = Changed(std::move(*of), scale->factor(), *scale);
  } else if (e->kind == ir::ExprKind::kBin && e->bin() == BinOp::kShl) {
    if (!IsNumber(e->args[1], &value) || value < 0 || value > 30) return {};
    const int64_t by = int64_t{1} << value;
    if (std::optional<ByteSum> of = ByteSumOf(e->args[0]))
      made = Changed(std::move(*of), static_cast<double>(by), [&](int64_t v) { return v * by; });
  } else if (e->kind == ir::ExprKind::kBin &&
             (e->bin() == BinOp::kAdd || e->bin() == BinOp::kSub)) {
    made = ByteSumOf(e->args[0]);
    std::optional<ByteSum> second = ByteSumOf(e->args[1]);
    if (second && e->bin() == BinOp::kSub) {
      if (second->parts.empty()) {
        second->number = -second->number;
      } else {
        second = Changed(std::move(*second), -1, std::negate<int64_t>());
      }
    }
    if (!made || !second) return {};
    made->number += second->number;
    for (OfByte& part : second->parts) made->parts.push_back(std::move(part));
  }
  return made && made->Fits() ? made : std::nullopt;
}

}  // namespace

// Two factors and the start, for the parts in their order or swapped.
struct TwoFactors {
  float factors[2] = {};
  float start = 0;
  bool swapped = false;
};

namespace {

// The result of every pair: for value |first| of one part and |second| of the other it is at first
// * steps[0] + second * steps[1].
struct WantedResults {
  std::vector<int32_t> results;
  size_t steps[2] = {};
};

// Whether first * factors[0] + (second * factors[1] + start), rounded, is right for every pair.
bool Rounds(const OfByte& first, const OfByte& second, const TwoFactors& by,
            const WantedResults& wanted) {
  for (size_t b = 0; b < second.values.size(); ++b) {
    const float inner =
        std::fma(static_cast<float>(second.lo + static_cast<int64_t>(b)), by.factors[1], by.start);
    for (size_t a = 0; a < first.values.size(); ++a) {
      const auto x = static_cast<float>(first.lo + static_cast<int64_t>(a));
      if (!IsRounded(std::fma(x, by.factors[0], inner) + kBeside,
                     wanted.results[a * wanted.steps[0] + b * wanted.steps[1]]))
        return false;
    }
  }
  return true;
}

std::optional<TwoFactors> FactorsOf(const ByteSum& sum, const Scale& scale) {
  const OfByte &one = sum.parts[0], &other = sum.parts[1];
  WantedResults wanted;
  for (const int64_t a : one.values) {
    for (const int64_t b : other.values) {
      const int64_t want = scale(a + b + sum.number);
      if (std::abs(want) >= kMostResult) return {};
      wanted.results.push_back(static_cast<int32_t>(want));
    }
  }
  const double by = scale.factor();
  const double start = (one.at_zero + other.at_zero + static_cast<double>(sum.number)) * by;
  for (const bool swapped : {true, false}) {
    const OfByte &first = swapped ? other : one, &second = swapped ? one : other;
    wanted.steps[swapped ? 1 : 0] = other.values.size();
    wanted.steps[swapped ? 0 : 1] = 1;
    TwoFactors found{
        .factors = {static_cast<float>(first.slope * by), static_cast<float>(second.slope * by)},
        .swapped = swapped};
    for (const int steps : {0, 1, -1, 2, -2, 4, -4}) {
      found.start = static_cast<float>(start + steps * kSmallStep);
      if (Rounds(first, second, found, wanted)) return found;
    }
  }
  return {};
}

// Everything that FactorOf and FactorsOf depend on.
using Key = std::vector<int64_t>;

Key KeyOf(const Scale& scale) {
  return {scale.multiplier, scale.shift, static_cast<int64_t>(scale.rounding)};
}

Key KeyOf(const Span& span, const Scale& scale) {
  Key key = KeyOf(scale);
  key.insert(key.end(), {span.lo, span.hi, span.shift});
  return key;
}

Key KeyOf(const ByteSum& sum, const Scale& scale) {
  Key key = KeyOf(scale);
  key.push_back(sum.number);
  for (const OfByte& part : sum.parts) {
    key.insert(key.end(), {part.lo, std::ssize(part.values), std::bit_cast<int64_t>(part.slope),
                           std::bit_cast<int64_t>(part.at_zero)});
    key.insert(key.end(), part.values.begin(), part.values.end());
  }
  return key;
}

// The value of |key| in |known|; calls |make| if it is missing.
template <typename Map, typename Make>
const auto& Once(Map& known, Key key, Make make) {
  const auto [it, added] = known.try_emplace(std::move(key));
  if (added) it->second = make();
  return it->second;
}

}  // namespace

struct FewValuesFinder::Known {
  std::map<Key, std::optional<float>> sums;
  std::map<Key, std::optional<TwoFactors>> pairs;
};

FewValuesFinder::FewValuesFinder() : known_(std::make_unique<Known>()) {}
FewValuesFinder::~FewValuesFinder() = default;

std::optional<FewValues> FewValuesFinder::Of(const Expr& call) {
  const std::optional<Scale> scale = ScaleOf(call);
  if (!scale) return {};
  const std::optional<Span> span = SpanOf(call->args[0]);
  if (span && span->hi - span->lo < kMostValues && span->hi < kMostResult &&
      span->lo > -kMostResult) {
    const std::optional<float>& factor =
        Once(known_->sums, KeyOf(*span, *scale), [&] { return FactorOf(*span, *scale); });
    if (factor) return FewValues{{{span->units, *factor}}, 0};
  }
  const std::optional<ByteSum> sum = ByteSumOf(call->args[0]);
  if (!sum || sum->parts.size() != 2) return {};
  const std::optional<TwoFactors>& by =
      Once(known_->pairs, KeyOf(*sum, *scale), [&] { return FactorsOf(*sum, *scale); });
  if (!by) return {};
  const OfByte &first = sum->parts[by->swapped ? 1 : 0], &second = sum->parts[by->swapped ? 0 : 1];
  return FewValues{{{first.byte, by->factors[0]}, {second.byte, by->factors[1]}}, by->start};
}

}  // namespace tessera::codegen
