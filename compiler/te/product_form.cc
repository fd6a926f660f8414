// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/product_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/te/roles.h"

namespace tessera::te {
namespace {

bool IsWideRead(const Expr& e, const Expr& read) {
  return e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast && e.dtype() == DType::kInt32 &&
         e->args[0].get() == read.get();
}

// The roles of |sum| if it is a contraction that has a form of products.
std::optional<Roles> ContractionRoles(const Tensor& sum) {
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
  const AxisRole* lane = roles->Find(Role::kOutputChannel);
  if (!lane || lane->group != 0) return std::nullopt;
  const auto lanes = std::ranges::count(roles->data, Role::kOutputChannel, &AxisRole::role);
  if (!roles->InputChannel() || lanes != 1) return std::nullopt;
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

}  // namespace

std::optional<ProductForm> ToProducts(const Tensor& output, DType factor) {
  TESSERA_CHECK(factor == DType::kUint8 || factor == DType::kInt16, "{}", ir::DTypeName(factor));
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
  const std::optional<Roles> roles = ContractionRoles(sum);
  if (!roles) return std::nullopt;
  const auto fresh = [&](std::string name) {
    while (!names.insert(name).second) name += "_";
    return name;
  };

  const Expr &x = roles->input, &w = *roles->weight;
  const AxisRole& lane = *roles->Find(Role::kOutputChannel);
  const Tensor input = TensorOf(x);
  std::vector<std::string> axis_names;
  for (const Axis& a : input->axes) axis_names.push_back(a.name());
  const std::string suffix = fmt::format(".{}", ir::DTypeName(factor));
  const bool shifted = factor == DType::kUint8;
  const Tensor copy = Compute(
      fresh(input.name() + suffix), input.shape(), axis_names, [&](const std::vector<Expr>& i) {
        const Expr wide = ir::Cast(factor, input(i));
        return shifted ? ir::Bin(ir::BinOp::kXor, wide, ir::Imm(factor, 128)) : wide;
      });
  auto product = std::make_shared<TensorNode>(*sum.get());
  product->name = fresh(sum.name() + suffix);
  product->body = Sum(ir::Cast(DType::kInt32, copy(x->args)) * ir::Cast(DType::kInt32, w),
                      sum->reduce_axes, sum->body->start());

  ProductForm form{.weights = TensorOf(w), .channel_dim = lane.weight_dim};
  form.products = Tensor(std::move(product));
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
