// SPDX-License-Identifier: Apache-2.0
#include "compiler/region/float_requant.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/equal.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"
#include "compiler/region/float_scale.h"

namespace tessera::te {
namespace {

constexpr int64_t kAny = int64_t{1} << 40;  // beyond the range of int32

// Upper bounds of the magnitudes of values.
class Sizes {
 public:
  explicit Sizes(const RegionTe& region) : region_(region) {}

  int64_t Of(const Expr& e) {
    switch (e->kind) {
      case ir::ExprKind::kImm:
        return ir::IsInt(e.dtype()) ? Cut(std::abs(e->ivalue)) : kAny;
      case ir::ExprKind::kTensorRead:
        return OfRead(e);
      case ir::ExprKind::kUn:
        return e->un() == ir::UnOp::kCast && e.dtype() == DType::kInt32 ? Of(e->args[0]) : kAny;
      case ir::ExprKind::kBin:
        if (e->bin() == ir::BinOp::kAdd || e->bin() == ir::BinOp::kSub)
          return Cut(Of(e->args[0]) + Of(e->args[1]));
        if (e->bin() == ir::BinOp::kMul) return Product(Of(e->args[0]), Of(e->args[1]));
        return kAny;
      case ir::ExprKind::kSelect:
        return std::max(Of(e->args[1]), Of(e->args[2]));
      case ir::ExprKind::kReduce: {
        int64_t size = Of(e->args[0]);
        if (e->reduce() == ir::ReduceOp::kProd) return kAny;
        if (!ir::IsSum(e->reduce())) return size;
        for (const Axis& axis : e->axes) size = Product(size, axis.extent);
        return e->start() ? Cut(size + Of(e->start())) : size;
      }
      default:
        return kAny;
    }
  }

 private:
  static int64_t Cut(int64_t size) { return std::min(size, kAny); }
  static int64_t Product(int64_t a, int64_t b) {
    return a != 0 && b > kAny / a ? kAny : Cut(a * b);
  }

  int64_t OfRead(const Expr& read) {
    if (read.dtype() == DType::kInt8) return 128;
    if (read.dtype() == DType::kUint8) return 255;
    if (const std::optional<std::vector<int32_t>> values = ConstantOf(region_, read)) {
      int64_t most = 0;
      for (const int64_t v : *values) most = std::max(most, std::abs(v));
      return most;
    }
    const Tensor tensor = TensorOf(read);
    if (tensor->placeholder || read.dtype() != DType::kInt32) return kAny;
    const auto [known, fresh] = stages_.try_emplace(tensor.get(), kAny);
    if (fresh) {
      const int64_t size = Of(tensor->body);  // may add to the map
      stages_[tensor.get()] = size;
      return size;
    }
    return known->second;
  }

  const RegionTe& region_;
  std::unordered_map<const TensorNode*, int64_t> stages_;
};

// Strips the min with a number that shift_bounds.h puts around the read of a constant.
const Expr& Unbounded(const Expr& e) {
  const bool bounded = e->kind == ir::ExprKind::kBin && e->bin() == ir::BinOp::kMin &&
                       e->args[1]->kind == ir::ExprKind::kImm;
  return bounded ? e->args[0] : e;
}

bool SamePlace(const Expr& a, const Expr& b) {
  if (a->args.size() != b->args.size() || a->tensor->shape != b->tensor->shape) return false;
  for (size_t i = 0; i < a->args.size(); ++i) {
    if (!ir::Equal(a->args[i], b->args[i])) return false;
  }
  return true;
}

struct Numbers {
  std::vector<int32_t> offsets;
  std::vector<float> highs, lows, starts;
};

template <typename T>
std::vector<uint8_t> Bytes(const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  return {bytes, bytes + values.size() * sizeof(T)};
}

class Rewriter {
 public:
  Rewriter(RegionTe region, FloatScales& scales)
      : region_(std::move(region)), sizes_(region_), scales_(scales) {
    for (const Tensor& t : TopologicalOrder({region_.output})) names_.insert(t.name());
  }

  RegionTe Run() && {
    region_.output = WithBodies(region_.output, [&](const Tensor& stage) {
      return ir::Rewrite(stage->body, [&](const Expr& e) { return Changed(stage, e); });
    });
    for (Binding& binding : added_) region_.bindings.push_back(std::move(binding));
    return std::move(region_);
  }

 private:
  Expr Changed(const Tensor& stage, const Expr& e) {
    const auto calls = [](const Expr& call, ir::ScalarIntrin id) {
      const auto info =
          call->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(call->name) : std::nullopt;
      return info && info->id == id;
    };
    if (!calls(e, ir::ScalarIntrin::kClampAdd) || !calls(e->args[0], ir::ScalarIntrin::kRequant))
      return e;
    const std::vector<Expr>&clamp = e->args, &requant = clamp[0]->args;
    ClampedScale scale{.rounding = static_cast<isa::Round>(requant[3]->ivalue)};
    int64_t zero = 0, lo = 0, hi = 0;
    if (!ir::IsImm(clamp[1], &zero) || !ir::IsImm(clamp[2], &lo) || !ir::IsImm(clamp[3], &hi))
      return e;
    if (lo < -128 || hi > 255 || std::abs(zero) > 255) return e;
    scale.zero = static_cast<int32_t>(zero);
    scale.lo = static_cast<int32_t>(lo);
    scale.hi = static_cast<int32_t>(hi);
    const Expr &multiplier = requant[1], &shift = Unbounded(requant[2]);
    int64_t one_multiplier = 0, one_shift = 0;
    const bool one = ir::IsImm(multiplier, &one_multiplier) && ir::IsImm(shift, &one_shift);
    std::optional<std::vector<int32_t>> multipliers, shifts;
    if (one) {
      multipliers = {static_cast<int32_t>(one_multiplier)};
      shifts = {static_cast<int32_t>(one_shift)};
    } else {
      multipliers = ConstantOf(region_, multiplier);
      shifts = ConstantOf(region_, shift);
    }
    if (!multipliers || !shifts || (!one && !SamePlace(multiplier, shift))) return e;
    const std::optional<Numbers> numbers =
        NumbersOf(scale, *multipliers, *shifts, sizes_.Of(requant[0]));
    if (!numbers) return e;
    const auto constant = [&](const char* what, DType dtype, const auto& values) {
      if (one)
        return dtype == DType::kFloat32 ? ir::ImmF32(static_cast<float>(values[0]))
                                        : ir::Imm(dtype, static_cast<int64_t>(values[0]));
      std::string name = stage.name() + what;
      while (!names_.insert(name).second) name += "_";
      added_.push_back({Placeholder(name, dtype, multiplier->tensor->shape), -1, Bytes(values)});
      return added_.back().placeholder(multiplier->args);
    };
    const Expr offset = constant(".offset", DType::kInt32, numbers->offsets);
    return ir::RequantClamp(requant[0] + offset, multiplier, requant[2], scale.rounding, clamp[1],
                            clamp[2], clamp[3],
                            {offset, constant(".high", DType::kFloat32, numbers->highs),
                             constant(".low", DType::kFloat32, numbers->lows),
                             constant(".start", DType::kFloat32, numbers->starts)});
  }

  std::optional<Numbers> NumbersOf(ClampedScale scale, const std::vector<int32_t>& multipliers,
                                   const std::vector<int32_t>& shifts, int64_t most) {
    if (most > std::numeric_limits<int32_t>::max()) return {};
    Numbers all;
    for (size_t c = 0; c < multipliers.size(); ++c) {
      scale.multiplier = multipliers[c];
      scale.shift = shifts[c];
      const std::optional<FloatNumbers> one = scales_.Find(scale, most);
      if (!one) return {};
      all.offsets.push_back(one->offset);
      all.highs.push_back(one->high);
      all.lows.push_back(one->low);
      all.starts.push_back(one->start);
    }
    return all;
  }

  RegionTe region_;
  Sizes sizes_;
  FloatScales& scales_;
  std::set<std::string> names_;
  std::vector<Binding> added_;
};

}  // namespace

RegionTe WithFloatRequant(RegionTe region, FloatScales* known) {
  FloatScales own;
  return Rewriter(std::move(region), known != nullptr ? *known : own).Run();
}

}  // namespace tessera::te
