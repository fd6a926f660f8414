// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/product_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/te/roles.h"

namespace tessera::te {
namespace {

bool IsWideRead(const Expr& e, const Expr& read) {
  return e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast && e.dtype() == DType::kInt32 &&
         e->args[0].get() == read.get();
}

// Whether |roles| are those of sums over an input channel, or of channels with a line each.
bool HasFactors(const Roles& roles, bool channelwise) {
  if (channelwise) return LineOf(roles).has_value();
  const AxisRole* lane = roles.Find(Role::kOutputChannel);
  const auto lanes = std::ranges::count(roles.data, Role::kOutputChannel, &AxisRole::role);
  return lane && lane->group == 0 && roles.InputChannel() && lanes == 1;
}

// The roles of |sum| if it has a form of products.
std::optional<Roles> ProductRoles(const Tensor& sum, bool channelwise) {
  std::optional<Roles> roles = FindRoles(sum->axes, sum->reduce_axes, sum->body);
  if (!roles || !roles->weight || sum->body->reduce() != ir::ReduceOp::kSum) return std::nullopt;
  const Expr& product = sum->body->args[0];
  const Expr &x = roles->input, &w = *roles->weight;
  if (product->kind != ir::ExprKind::kBin || product.dtype() != DType::kInt32) return std::nullopt;
  const bool in_order = IsWideRead(product->args[0], x) && IsWideRead(product->args[1], w);
  if (!in_order && !(IsWideRead(product->args[0], w) && IsWideRead(product->args[1], x)))
    return std::nullopt;
  if (x.dtype() != DType::kInt8 || w.dtype() != DType::kInt8 || !TensorOf(w)->placeholder)
    return std::nullopt;
  if (!HasFactors(*roles, channelwise)) return std::nullopt;
  // An output element uses each weight once: every index of the weights is one distinct axis.
  std::set<const ir::ExprNode*> used;
  for (size_t d = 0; d < w->args.size(); ++d) {
    const auto axes = {&sum->axes, &sum->reduce_axes};
    const bool whole = std::ranges::any_of(axes, [&](const std::vector<Axis>* list) {
      return std::ranges::any_of(*list, [&](const Axis& a) {
        return a.var.get() == w->args[d].get() && a.extent == w->tensor->shape[d];
      });
    });
    if (!whole || !used.insert(w->args[d].get()).second) return std::nullopt;
  }
  const auto summed = [&](const Axis& a) { return used.contains(a.var.get()); };
  if (used.size() != sum->reduce_axes.size() + 1 || !std::ranges::all_of(sum->reduce_axes, summed))
    return std::nullopt;
  return roles;
}

// A tensor like |sum| that sums |term|, over axes of its own: a stage may read it that keeps those
// of |sum|.
Tensor WithSumOf(const Tensor& sum, std::string name, const Expr& term) {
  std::vector<std::string> names;
  for (const Axis& a : sum->axes) names.push_back(a.name());
  return Compute(std::move(name), sum.shape(), names, [&](const std::vector<Expr>& at) {
    ir::VarMap own;
    for (size_t d = 0; d < at.size(); ++d) own[sum->axes[d].var.get()] = at[d];
    const Expr start = sum->body->start();
    return Sum(ir::Substitute(term, own), sum->reduce_axes,
               start ? ir::Substitute(start, own) : start);
  });
}

}  // namespace

int64_t ChannelLine::reach() const {
  const int64_t quads = CeilDiv(points.axis.extent, kQuad),
                last = (kQuad - 1) * points.coeff + taps.axis.extent - 1;  // of a quad of results
  return kQuad * ((quads - 1) * points.coeff + last / kQuad + 1);
}

std::optional<ChannelLine> LineOf(const Roles& roles) {
  if (!roles.weight || std::ranges::count(roles.data, Role::kChannelwise, &AxisRole::role) != 1)
    return std::nullopt;
  // Channels are an index by themselves, not groups of them.
  const AxisRole& lane = *roles.Find(Role::kChannelwise);
  const auto beside = [&](const AxisRole& r) { return r.input_dim == lane.input_dim; };
  if (lane.coeff != 1 || roles.offsets[static_cast<size_t>(lane.input_dim)] != 0 ||
      std::ranges::any_of(roles.reduced, beside))
    return std::nullopt;
  const AxisRole& points = roles.data.back();
  if (points.role != Role::kSpatial || points.axis.extent == 1) return std::nullopt;
  const AxisRole* taps = nullptr;
  for (const AxisRole& r : roles.reduced) {
    if (r.input_dim != points.input_dim) continue;
    if (taps != nullptr) return std::nullopt;
    taps = &r;
  }
  if (taps == nullptr || taps->coeff != 1 || taps->axis.extent == 1 || taps->axis.min != 0 ||
      taps->weight_dim < 0 || roles.offsets[static_cast<size_t>(points.input_dim)] != 0)
    return std::nullopt;
  return ChannelLine{points, *taps};
}

std::optional<ProductForm> ToProducts(const Tensor& output, DType factor, bool channelwise) {
  TESSERA_CHECK(factor == DType::kUint8 || (factor == DType::kInt16 && !channelwise), "{}",
                ir::DTypeName(factor));
  const std::vector<Tensor> all = TopologicalOrder({output});
  std::set<std::string> names;
  Tensor sum;
  for (const Tensor& t : all) {
    names.insert(t.name());
    if (t->placeholder || t->reduce_axes.empty()) continue;
    if (sum) return std::nullopt;
    sum = t;
  }
  if (!sum) return std::nullopt;
  const std::optional<Roles> roles = ProductRoles(sum, channelwise);
  if (!roles) return std::nullopt;
  const auto fresh = [&](std::string name) {
    while (!names.insert(name).second) name += "_";
    return name;
  };

  const Expr &x = roles->input, &w = *roles->weight;
  const AxisRole& lane = *roles->Find(channelwise ? Role::kChannelwise : Role::kOutputChannel);
  const Tensor input = TensorOf(x);
  std::vector<std::string> axis_names;
  for (const Axis& a : input->axes) axis_names.push_back(a.name());
  const std::string suffix = fmt::format(".{}", ir::DTypeName(factor));
  const bool shifted = factor == DType::kUint8;
  std::vector<int64_t> shape = input.shape();
  const auto line = channelwise ? LineOf(*roles) : std::nullopt;
  const size_t along = line ? static_cast<size_t>(line->points.input_dim) : 0;
  const size_t across = line ? static_cast<size_t>(lane.input_dim) : 0;
  if (line) {
    shape[along] = std::max(shape[along], line->reach());
    shape[across] = RoundUp(shape[across], shape[across] > kLanes / 2 ? kLanes : kLanes / 2);
  }
  const Tensor copy =
      Compute(fresh(input.name() + suffix), shape, axis_names, [&](std::vector<Expr> i) {
        const int64_t last = input.shape()[along] - 1;
        if (shape[along] - 1 > last) i[along] = ir::Min(i[along], Expr(last));
        const Expr wide = ir::Cast(factor, input(i));
        const Expr value = shifted ? ir::Bin(ir::BinOp::kXor, wide, ir::Imm(factor, 128)) : wide;
        if (shape[across] == input.shape()[across]) return value;
        const Expr inside = ir::Lt(i[across], Expr(input.shape()[across]));
        return ir::Select(inside, value, ir::Imm(factor, 0));
      });
  ProductForm form{.weights = TensorOf(w), .channel_dim = lane.weight_dim};
  form.products = WithSumOf(sum, fresh(sum.name() + suffix),
                            ir::Cast(DType::kInt32, copy(x->args)) * ir::Cast(DType::kInt32, w));
  if (shifted) {
    form.correction =
        Placeholder(fresh(sum.name() + ".correction"), DType::kInt32, {lane.axis.extent});
  }
  size_t channel = 0;
  while (sum->axes[channel].var.get() != lane.axis.var.get()) ++channel;
  std::vector<Expr> at;
  for (const Axis& a : sum->axes) at.push_back(a.var);
  form.output = WithBodies(output, [&](const Tensor& stage) {
    if (stage != sum) return stage->body;
    return shifted ? form.products(at) - form.correction(at[channel]) : form.products(at);
  });
  return form;
}

std::vector<int32_t> CorrectionOf(const ProductForm& form, std::span<const uint8_t> weights) {
  const std::vector<int64_t>& shape = form.weights.shape();
  const auto dim = static_cast<size_t>(form.channel_dim);
  size_t channels = static_cast<size_t>(shape[dim]), inner = 1, count = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    count *= static_cast<size_t>(shape[d]);
    if (d > dim) inner *= static_cast<size_t>(shape[d]);
  }
  TESSERA_CHECK(weights.size() == count, "{} bytes of {}", weights.size(), form.weights.name());
  std::vector<uint32_t> sums(channels);  // modulo 2^32, like the sums that they correct
  for (size_t i = 0; i < count; i += inner) {
    int64_t sum = 0;
    for (size_t k = 0; k < inner; ++k) sum += static_cast<int8_t>(weights[i + k]);
    sums[i / inner % channels] += static_cast<uint32_t>(128 * sum);
  }
  return {sums.begin(), sums.end()};
}

}  // namespace tessera::te
