// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/lookup.h"

#include <cmath>

namespace tessera::ops {
namespace {

// Far outside of int16, but safe to convert to an integer.
constexpr double kFar = 1 << 20;

// A NaN becomes the lowest value, as in the quantisation of floats.
int64_t Limited(double steps) {
  return static_cast<int64_t>(std::min(std::max(-kFar, steps), kFar));
}

}  // namespace

Status FillTable(const Graph& graph, const Node& node, Requant& requant,
                 const std::function<int64_t(int32_t q)>& value) {
  const auto [lo, hi] = LimitsOf(graph.tensor(node.inputs[0]).dtype);
  for (int32_t q = lo; q <= hi; ++q) {
    const int64_t y = std::clamp<int64_t>(value(q) + requant.out_zero, requant.lo, requant.hi);
    requant.table.push_back(static_cast<int16_t>(y));
  }
  return {};
}

Status RealTable(const Graph& graph, const Node& node, Requant& requant,
                 const std::function<double(double)>& f) {
  const float in = quantize::Single(quantize::ScaleOf(graph, node, 0));
  const float out = quantize::Single(quantize::ResultScale(graph, node));
  const int32_t zero = quantize::ZeroOf(graph, node, 0);
  return FillTable(graph, node, requant, [&](int32_t q) {
    const float x = static_cast<float>(q - zero) * in;
    const auto y = static_cast<float>(f(static_cast<double>(x)));
    return Limited(std::nearbyint(y / out));
  });
}

Status SingleTable(const Graph& graph, const Node& node, Requant& requant,
                   const std::function<float(float)>& f) {
  const float in = quantize::Single(quantize::ScaleOf(graph, node, 0));
  const float steps = 1 / quantize::Single(quantize::ResultScale(graph, node));
  const int32_t zero = quantize::ZeroOf(graph, node, 0);
  return FillTable(graph, node, requant, [&](int32_t q) {
    return Limited(std::round(f(in * static_cast<float>(q - zero)) * steps));
  });
}

Status LinesTable(const Graph& graph, const Node& node, Requant& requant,
                  int16_t (*lines)(int16_t q, float scale)) {
  const float scale = quantize::Single(quantize::ScaleOf(graph, node, 0));
  return FillTable(graph, node, requant,
                   [&](int32_t q) { return lines(static_cast<int16_t>(q), scale); });
}

void LookupBody(RegionBuilder& b, const Node& node, const std::function<Expr(Expr x)>& real) {
  const te::Tensor x = b.Value(node.inputs[0]);
  if (te::IsReal(b, node)) {
    return te::Elements(b, node,
                        [&](const Indices& i) { return te::Real(b, node, real(Wide(x(i)))); });
  }
  const GraphTensor& out = b.graph().tensor(node.output);
  const std::vector<int16_t>& values = node.requant->table;
  const Shape shape{std::ssize(values)};
  const te::Tensor table = out.dtype == DType::kInt16
                               ? b.Constant(out.name + ".table", DType::kInt16, shape, values)
                               : b.Constant(out.name + ".table", DType::kInt8, shape,
                                            std::vector<int8_t>(values.begin(), values.end()));
  const Expr first = Expr(-int64_t{LimitsOf(x.dtype()).lo});
  te::Elements(b, node,
               [&](const Indices& i) { return table(ir::Cast(DType::kInt64, x(i)) + first); });
}

Status UnaryFromOnnx(QdqConverter& c, const OnnxNode& node, Node made) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  made.inputs = {x};
  return c.EmitInto(std::move(made), node, c.tensor(x).shape);
}

Status UnaryFromTflite(Converter& c, Node made) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  made.inputs = {x};
  return c.Finish(std::move(made), c.tensor(x).shape);
}

}  // namespace tessera::ops
