// SPDX-License-Identifier: Apache-2.0
//
// Sums over windows and channels: convolutions, matrix products, pools.
#include "compiler/te/ops/body.h"

namespace tessera::te {
namespace {

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

// The input index of tap |tap| for output index |at|, along axis |d|.
Expr Tap(const graph::Window& w, int d, Expr at, const Axis& tap) {
  const Expr base = w.stride[d] == 1 ? at : at * Expr(w.stride[d]);
  return w.kernel[d] == 1 ? base
                          : base + (w.dilation[d] == 1 ? tap.var : tap.var * Expr(w.dilation[d]));
}

}  // namespace

void ConvBody(RegionBuilder& b, const graph::Node& node) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const Tensor x = b.Value(node.inputs[0]), w = b.Value(node.inputs[1]);
  const graph::Window& window = node.window;
  const Tensor padded = PadSpatial(b.Name(out.name + ".padded"), x, window,
                                   b.graph().tensor(node.inputs[0]).quant->zero[0]);
  const int64_t group_in = w.shape()[1], group_out = w.shape()[0] / node.groups;
  std::vector<Axis> taps;
  const Axis channel = ReduceAxis("ci", group_in);
  const Axis ky = ReduceAxis("ky", window.kernel[0]), kx = ReduceAxis("kx", window.kernel[1]);
  const Tensor sum = Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
        Expr from = channel.var;
        if (node.groups > 1) {
          const Expr group = DivBy(i[1], group_out);
          from = group_in == 1 ? group : group * Expr(group_in) + channel.var;
        }
        const Expr value = padded(i[0], from, Tap(window, 0, i[2], ky), Tap(window, 1, i[3], kx));
        return Sum(Wide(value) * Wide(w(i[1], channel.var, ky.var, kx.var)), {channel, ky, kx});
      });
  b.SetValue(node.output, Requantize(b, node, sum));
}

void DenseBody(RegionBuilder& b, const graph::Node& node) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const Tensor x = b.Value(node.inputs[0]), w = b.Value(node.inputs[1]);
  const Axis k = ReduceAxis("ci", w.shape()[1]);
  const Tensor sum =
      Compute(b.Name(out.name + ".sum"), out.shape, {"n", "c"}, [&](const std::vector<Expr>& i) {
        return Sum(Wide(x(i[0], k.var)) * Wide(w(i[1], k.var)), {k});
      });
  b.SetValue(node.output, Requantize(b, node, sum));
}

void AvgPoolBody(RegionBuilder& b, const graph::Node& node) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const Tensor x = b.Value(node.inputs[0]);
  const graph::Window& window = node.window;
  const Axis ky = ReduceAxis("ky", window.kernel[0]), kx = ReduceAxis("kx", window.kernel[1]);
  const Tensor sum = Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
        return Sum(Wide(x(i[0], i[1], Tap(window, 0, i[2], ky), Tap(window, 1, i[3], kx))),
                   {ky, kx});
      });
  b.SetValue(node.output, Requantize(b, node, sum));
}

void MeanBody(RegionBuilder& b, const graph::Node& node) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const Tensor x = b.Value(node.inputs[0]);
  const Axis ky = ReduceAxis("ky", x.shape()[2]), kx = ReduceAxis("kx", x.shape()[3]);
  const Tensor sum = Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
        return Sum(Wide(x(i[0], i[1], i[2] + ky.var, i[3] + kx.var)), {ky, kx});
      });
  b.SetValue(node.output, Requantize(b, node, sum));
}

void MaxPoolBody(RegionBuilder& b, const graph::Node& node) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const graph::Window& window = node.window;
  const Tensor x = PadSpatial(b.Name(out.name + ".padded"), b.Value(node.inputs[0]), window, -128);
  const Axis ky = ReduceAxis("ky", window.kernel[0]), kx = ReduceAxis("kx", window.kernel[1]);
  const bool bounded = node.lo > -128 || node.hi < 127;
  const Tensor most = Compute(
      b.Name(bounded ? out.name + ".max" : out.name), out.shape, {"n", "c", "y", "x"},
      [&](const std::vector<Expr>& i) {
        return MaxOf(x(i[0], i[1], Tap(window, 0, i[2], ky), Tap(window, 1, i[3], kx)), {ky, kx});
      });
  if (!bounded) return b.SetValue(node.output, most);
  b.SetValue(
      node.output,
      Compute(b.Name(out.name), out.shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
        return ir::Clamp(most(i), ir::Imm(DType::kInt8, node.lo), ir::Imm(DType::kInt8, node.hi));
      }));
}

}  // namespace tessera::te
