// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/ops/region.h"

#include "base/check.h"
#include "compiler/te/ops/body.h"

namespace tessera::te {
namespace {

void BuildNode(RegionBuilder& b, const graph::Node& node) {
  using graph::Op;
  switch (node.op) {
    case Op::kQuantize:
      return QuantizeBody(b, node);
    case Op::kDequantize:
      return DequantizeBody(b, node);
    case Op::kConv:
      return ConvBody(b, node);
    case Op::kDense:
      return DenseBody(b, node);
    case Op::kAdd:
      return AddBody(b, node);
    case Op::kSub:
      return SubBody(b, node);
    case Op::kMul:
      return MulBody(b, node);
    case Op::kAvgPool:
      return AvgPoolBody(b, node);
    case Op::kMaxPool:
      return MaxPoolBody(b, node);
    case Op::kMean:
      return MeanBody(b, node);
    case Op::kSoftmax:
      return SoftmaxBody(b, node);
    case Op::kRescale:
      return RescaleBody(b, node);
    case Op::kReshape:
      return ReshapeBody(b, node);
    case Op::kTranspose:
      return TransposeBody(b, node);
    case Op::kPad:
      return PadBody(b, node);
    case Op::kConcat:
      return ConcatBody(b, node);
  }
  TESSERA_CHECK(false, "operator {}", static_cast<int>(node.op));
}

}  // namespace

std::string RegionBuilder::Name(const std::string& name) {
  std::string unique = name;
  for (int n = 2; !names_.insert(unique).second; ++n) unique = fmt::format("{}.{}", name, n);
  return unique;
}

Tensor RegionBuilder::Value(graph::TensorId id) {
  const auto it = values_.find(id);
  if (it != values_.end()) return it->second;
  const graph::GraphTensor& t = graph_.tensor(id);
  Tensor placeholder = Placeholder(Name(t.name), t.dtype, t.shape);
  Binding binding{placeholder, -1, {}};
  if (t.constant()) {
    binding.constant = *t.data;
  } else {
    binding.activation = id;
  }
  bindings_.push_back(std::move(binding));
  values_[id] = placeholder;
  return placeholder;
}

Tensor RegionBuilder::ConstantBytes(const std::string& name, DType dtype,
                                    std::vector<int64_t> shape, std::span<const uint8_t> bytes) {
  Tensor placeholder = Placeholder(Name(name), dtype, std::move(shape));
  bindings_.push_back({placeholder, -1, {bytes.begin(), bytes.end()}});
  return placeholder;
}

Expr DivBy(Expr e, int64_t k) { return k == 1 ? e : ir::FloorDiv(e, Expr(k)); }

Tensor PadSpatial(const std::string& name, const Tensor& x, const graph::Window& w, int64_t fill) {
  std::vector<int64_t> shape = x.shape();
  const size_t y_axis = shape.size() - 2;
  const int64_t height = shape[y_axis], width = shape[y_axis + 1];
  const auto [top, left] = w.pad_before;
  const auto [bottom, right] = w.pad_after;
  if (top == 0 && left == 0 && bottom == 0 && right == 0) return x;
  shape[y_axis] += top + bottom;
  shape[y_axis + 1] += left + right;
  return Compute(name, shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
    std::vector<Expr> from = i;
    from[y_axis] = i[y_axis] - Expr(top);
    from[y_axis + 1] = i[y_axis + 1] - Expr(left);
    const auto inside = [](Expr at, int64_t extent) {
      return ir::And(ir::Le(Expr(0), at), ir::Lt(at, Expr(extent)));
    };
    return ir::Select(ir::And(inside(from[y_axis], height), inside(from[y_axis + 1], width)),
                      x(from), ir::Imm(x.dtype(), fill));
  });
}

RegionTe BuildRegion(const graph::Graph& graph, const graph::Region& region) {
  RegionBuilder builder(graph);
  RegionTe te;
  te.name = region.name;
  te.output_id = region.output;
  for (size_t n : region.nodes) {
    BuildNode(builder, graph.nodes[n]);
    te.macs += graph::Macs(graph, graph.nodes[n]);
  }
  te.output = builder.Value(region.output);
  te.bindings = builder.TakeBindings();
  const Status status = Verify({te.output});
  TESSERA_CHECK(status.has_value(), "region {}: {}", region.name, status.error().message);
  return te;
}

}  // namespace tessera::te
