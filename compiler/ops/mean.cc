// SPDX-License-Identifier: Apache-2.0
//
// Mean over the image. TFLite MEAN.
#include <bit>

#include "compiler/ops/unit.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops::mean_op {
namespace {

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Image());
  return Shape{node.In(0).shape[0], node.In(0).shape[1], 1, 1};
}

// The factor of the scales, divided by the count in fixed point as TFLite's MEAN does: the
// multiplier is shifted left by |bits| and then divided as an integer.
Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const GraphTensor& x = graph.tensor(node.inputs[0]);
  const int64_t n = x.shape[2] * x.shape[3];
  const double factor = x.quant->scale[0] / quantize::ResultScale(graph, node);
  const auto m = quantize::MultiplierOf(factor);
  if (!m) return Within("node " + node.name, m.error());
  const int bits =
      std::min({static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 1, 32, 31 + m->shift});
  if (m->shift - bits < -31 ||
      quantize::FurthestOf(graph, node, 0) * n > INT32_MAX >> std::max(m->shift - bits, 0)) {
    return Fail(Code::kOutOfRange, "node {}: a mean over {} elements with factor {} leaves 32 bits",
                node.name, n, factor);
  }
  requant.multiplier = {static_cast<int32_t>((int64_t{m->multiplier} << bits) / n)};
  requant.shift = {static_cast<int8_t>(m->shift - bits)};
  requant.bias = {static_cast<int32_t>(-x.quant->zero[0] * n)};
  return {};
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]);
  const Axis ky = te::ReduceAxis("ky", x.shape()[2]), kx = te::ReduceAxis("kx", x.shape()[3]);
  const te::Tensor sum = te::Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const Indices& i) {
        return te::Sum(Wide(x(i[0], i[1], i[2] + ky.var, i[3] + kx.var)), {ky, kx});
      });
  b.SetValue(node.output, te::Epilogue(b, node, sum, x.shape()[2] * x.shape()[3]));
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.ReducedImage());
  return c.FinishReduction({.op = Op::kMean, .inputs = {x}});
}

constexpr TfliteRow kTflite[] = {{"MEAN", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kMeanDef = {
    .name = "mean",
    .meaning =
        "mean over both spatial axes of NCHW; the result keeps them with "
        "extent 1",
    .category = Category::kReduction,
    .types = kWideTypes,
    .shape = ShapeOf,
    .requant = RequantOf,
    .body = Body,
    .tflite = kTflite,
};

}  // namespace tessera::ops::mean_op
