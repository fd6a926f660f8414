// SPDX-License-Identifier: Apache-2.0
//
// Mean over a window. ONNX AveragePool, GlobalAveragePool; TFLite AVERAGE_POOL_2D.
#include "compiler/ops/window.h"

namespace tessera::ops {
namespace {

using graph::PoolAttributes;

Status Check(const NodeCheck& node) {
  const Window& w = node.node.As<PoolAttributes>().window;
  if (w.pad_before != std::array<int64_t, 2>{} || w.pad_after != std::array<int64_t, 2>{})
    return node.Bad("an average over padding");
  return {};
}

// The window's sum over its count, half away from zero: one multiplication that is exact for every
// sum. A multiplier just above 2^31 / count pushes the halves away from zero; how far it may be
// above is tried on all sums.
Status MeanOfElements(const Node& node, int64_t n, Requant& requant) {
  constexpr int64_t kLargest = 1 << 16;
  if (n > kLargest)
    return Fail(Code::kUnsupported, "node {}: an average of {} elements, at most {}", node.name, n,
                kLargest);
  const auto exact = [&](int64_t multiplier, int left) {
    for (int64_t sum = -128 * n; sum <= 127 * n; ++sum) {
      const int64_t rounded = (sum + (sum >= 0 ? n / 2 : -(n / 2))) / n;
      if (((sum << left) * multiplier + (int64_t{1} << 30)) >> 31 != rounded) return false;
    }
    return true;
  };
  for (int left = 0; left <= 31 && 128 * n << left <= INT32_MAX; ++left) {
    for (int64_t more = 0; more <= 2; ++more) {
      const int64_t multiplier = (int64_t{1} << 31) / (n << left) + more;
      if (multiplier > INT32_MAX || !exact(multiplier, left)) continue;
      requant.multiplier = {static_cast<int32_t>(multiplier)};
      requant.shift = {static_cast<int8_t>(left)};
      requant.bias = {0};
      requant.out_zero = 0;
      return {};
    }
  }
  return Fail(Code::kUnsupported,
              "node {}: no 31-bit multiplier divides sums of {} elements exactly", node.name, n);
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const Window& window = node.As<PoolAttributes>().window;
  const int64_t n = window.kernel[0] * window.kernel[1];
  const Quant &in = *graph.tensor(node.inputs[0]).quant, &out = *graph.tensor(node.output).quant;
  if (node.round == isa::Round::kTflite && in == out) return MeanOfElements(node, n, requant);
  requant.bias = {static_cast<int32_t>(-in.zero[0] * n)};
  return quantize::SetFactors(node, {in.scale[0] / (out.scale[0] * static_cast<double>(n))},
                              {255 * n}, requant);
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]);
  const Window& window = node.As<PoolAttributes>().window;
  const Axis ky = te::ReduceAxis("ky", window.kernel[0]);
  const Axis kx = te::ReduceAxis("kx", window.kernel[1]);
  const te::Tensor sum = te::Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const Indices& i) {
        return te::Sum(
            Wide(x(i[0], i[1], te::Tap(window, 0, i[2], ky), te::Tap(window, 1, i[3], kx))),
            {ky, kx});
      });
  b.SetValue(node.output, te::Epilogue(b, node, sum, window.kernel[0] * window.kernel[1]));
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  const bool global = node.op_type == "GlobalAveragePool";
  TESSERA_ASSIGN(Node made, PoolFromOnnx(c, node, Op::kAvgPool, global));
  const Shape shape = PoolResult(c, made);
  return c.EmitInto(std::move(made), node, shape);
}

Status FromTflite(Converter& c) { return PoolFromTflite(c, Op::kAvgPool); }

constexpr OnnxRow kOnnx[] = {{"AveragePool", FromOnnx}, {"GlobalAveragePool", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"AVERAGE_POOL_2D", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kAvgPoolDef = {
    .name = "avgpool",
    .meaning = "mean over a window, padding not counted",
    .category = Category::kReduction,
    .types = kAllTypes,
    .shape = PoolShape,
    .check = Check,
    .attributes = Fits<PoolAttributes>,
    .text = PoolText,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = PoolExample,
};

}  // namespace tessera::ops
