// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/ops/shift_bounds.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"

namespace tessera::te {
namespace {

// The largest element of the int32 constant that |read| is of; empty: it is of something else.
std::optional<int32_t> Largest(const RegionTe& region, const Expr& read) {
  if (read->kind != ir::ExprKind::kTensorRead || read.dtype() != DType::kInt32) return {};
  const auto of = std::ranges::find_if(region.bindings, [&](const Binding& b) {
    return b.activation < 0 && b.placeholder.node().get() == read->tensor.get();
  });
  if (of == region.bindings.end() || of->constant.size() < sizeof(int32_t)) return {};
  std::vector<int32_t> values(of->constant.size() / sizeof(int32_t));
  std::memcpy(values.data(), of->constant.data(), values.size() * sizeof(int32_t));
  return std::ranges::max(values);
}

}  // namespace

RegionTe WithShiftBounds(RegionTe region) {
  std::map<const TensorNode*, Tensor> made;
  for (const Tensor& tensor : TopologicalOrder({region.output})) {
    made[tensor.get()] = tensor;
    if (tensor->placeholder) continue;
    bool changed = false;
    const Expr body = ir::Rewrite(tensor->body, [&](const Expr& e) {
      if (e->kind == ir::ExprKind::kTensorRead) {
        const Tensor& from = made.at(TensorOf(e).get());
        if (from == TensorOf(e)) return e;
        changed = true;
        return ir::TensorRead(from.node(), e->args);
      }
      const auto info =
          e->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(e->name) : std::nullopt;
      if (!info || info->id != ir::ScalarIntrin::kRequant) return e;
      const std::optional<int32_t> most = Largest(region, e->args[2]);
      if (!most) return e;
      changed = true;
      return ir::Requant(e->args[0], e->args[1], ir::Min(e->args[2], ir::Imm(DType::kInt32, *most)),
                         static_cast<isa::Round>(e->args[3]->ivalue));
    });
    if (!changed) continue;
    auto node = std::make_shared<TensorNode>(*tensor.get());
    node->body = body;
    made[tensor.get()] = Tensor(std::move(node));
  }
  region.output = made.at(region.output.get());
  return region;
}

}  // namespace tessera::te
