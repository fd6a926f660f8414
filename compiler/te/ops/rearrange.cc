// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements and change none.
#include <vector>

#include "compiler/te/ops/body.h"

namespace tessera::te {

void ReshapeBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, Compute(b.Name(out.name), out.shape, {}, [&](const std::vector<Expr>& i) {
               Expr flat = Expr(0);
               for (size_t d = 0; d < i.size(); ++d) flat = flat * Expr(out.shape[d]) + i[d];
               std::vector<Expr> from(x.shape().size());
               for (size_t d = from.size(); d-- > 0;) {
                 from[d] = d == 0 ? flat : ir::FloorMod(flat, Expr(x.shape()[d]));
                 flat = ir::FloorDiv(flat, Expr(x.shape()[d]));
               }
               return x(from);
             }));
}

void TransposeBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, Compute(b.Name(out.name), out.shape, {}, [&](const std::vector<Expr>& i) {
               std::vector<Expr> from(i.size());
               for (size_t d = 0; d < i.size(); ++d) from[static_cast<size_t>(node.perm[d])] = i[d];
               return x(from);
             }));
}

void PadBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, Compute(b.Name(out.name), out.shape, {}, [&](const std::vector<Expr>& i) {
               std::vector<Expr> from = i;
               Expr inside;
               for (size_t d = 0; d < i.size(); ++d) {
                 const auto [before, after] = node.pads[d];
                 if (before == 0 && after == 0) continue;
                 from[d] = i[d] - Expr(before);
                 const Expr here =
                     ir::And(ir::Le(Expr(0), from[d]), ir::Lt(from[d], Expr(x.shape()[d])));
                 inside = inside ? ir::And(inside, here) : here;
               }
               if (!inside) return x(i);
               return ir::Select(inside, x(from), ir::Imm(x.dtype(), node.pad_value));
             }));
}

void ConcatBody(RegionBuilder& b, const graph::Node& node) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const auto axis = static_cast<size_t>(node.axis);
  std::vector<Tensor> parts;
  for (const graph::TensorId id : node.inputs) parts.push_back(b.Value(id));
  b.SetValue(node.output, Compute(b.Name(out.name), out.shape, {}, [&](const std::vector<Expr>& i) {
               // The last part is what no earlier condition takes.
               int64_t first = out.shape[axis];
               Expr value;
               for (size_t k = parts.size(); k-- > 0;) {
                 const int64_t end = first;
                 first -= parts[k].shape()[axis];
                 std::vector<Expr> from = i;
                 from[axis] = i[axis] - Expr(first);
                 const Expr here = parts[k](from);
                 value = value ? ir::Select(ir::Lt(i[axis], Expr(end)), here, value) : here;
               }
               return value;
             }));
}

}  // namespace tessera::te
