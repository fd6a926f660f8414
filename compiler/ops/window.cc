// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/window.h"

namespace tessera::ops {
namespace {

constexpr int64_t kMaxWindow = 1 << 16;  // keeps sums and their zero points far inside 32 bits

}  // namespace

Shape Through(const Window& window, const Shape& in, int64_t channels) {
  return {in[0], channels, window.OutExtent(0, in[2]), window.OutExtent(1, in[3])};
}

std::string WindowText(const Window& w) {
  return fmt::format(" kernel {}x{} stride {},{} dilation {},{} pads {},{},{},{}", w.kernel[0],
                     w.kernel[1], w.stride[0], w.stride[1], w.dilation[0], w.dilation[1],
                     w.pad_before[0], w.pad_before[1], w.pad_after[0], w.pad_after[1]);
}

Result<Shape> PoolShape(const NodeCheck& node) {
  const Window& window = node.node.As<graph::PoolAttributes>().window;
  TESSERA_TRY(node.Image());
  const Shape& in = node.In(0).shape;
  TESSERA_TRY(node.Fits(window, in));
  return Through(window, in, in[1]);
}

std::string PoolText(const Node& node) {
  return WindowText(node.As<graph::PoolAttributes>().window);
}

void PoolExample(Example& example) {
  Window window;
  const Shape& in = example.first().shape;
  for (size_t d = 0; d < 2 && in.size() == 4; ++d) {
    window.kernel[d] = std::min(in[2 + d], example.draw(2, 3));
    window.stride[d] = example.draw(2, 3);
  }
  example.node.attributes = graph::PoolAttributes{window};
  example.KeepScale();
}

namespace {

// ceil_mode: a last window that begins inside and ends outside of the padded image counts too.
void ReachOver(Window& w, const Shape& in) {
  for (size_t d = 0; d < 2; ++d) {
    const int64_t span = (w.kernel[d] - 1) * w.dilation[d] + 1;
    const int64_t room = in[2 + d] + w.pad_before[d] + w.pad_after[d] - span;
    if (room < 0 || room % w.stride[d] == 0) continue;
    const int64_t last = (room / w.stride[d] + 1) * w.stride[d];
    if (last < in[2 + d] + w.pad_before[d]) w.pad_after[d] += last - room;
  }
}

}  // namespace

Result<Window> PoolWindow(QdqConverter& c, const OnnxNode& node, const Shape& in) {
  Window w;
  if (node.op_type.starts_with("Global")) {
    w.kernel = {in[2], in[3]};
  } else {
    TESSERA_ASSIGN(w, c.ReadWindow(node, in, {}));
  }
  if (node.outputs.size() > 1 && !node.outputs[1].empty())
    return Fail(Code::kUnsupported, "{}: the indices output", node.Place());
  for (size_t d = 0; d < 2; ++d) {
    const int64_t span = (w.kernel[d] - 1) * w.dilation[d] + 1;
    if (w.pad_before[d] >= span || w.pad_after[d] >= span) {
      return Fail(Code::kInvalidArgument, "{}: pads as large as the window", node.Place());
    }
  }
  if (w.kernel[0] * w.kernel[1] > kMaxWindow) {
    return Fail(Code::kUnsupported, "{}: a window of {}x{}, at most {} elements are supported",
                node.Place(), w.kernel[0], w.kernel[1], kMaxWindow);
  }
  return w;
}

Window WithCeiling(const OnnxNode& node, Window window, const Shape& in) {
  if (node.IntOr("ceil_mode", 0) != 0) ReachOver(window, in);
  return window;
}

Status PoolFromTflite(Converter& c, Op op) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::Pool2DOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const Window w,
                 c.ReadWindow(in, options->padding(),
                              {.kernel = {options->filter_height(), options->filter_width()},
                               .stride = {options->stride_h(), options->stride_w()}}));
  if (w.kernel[0] * w.kernel[1] > kMaxWindow) {
    return c.Unsupported("a window of {} x {}, at most {} elements are supported", w.kernel[0],
                         w.kernel[1], kMaxWindow);
  }
  TESSERA_TRY(c.SameScale(x));
  const bool upwards = c.Out().type == tflite_model::TensorType::UINT8;
  Node made{.op = op, .inputs = {x}, .attributes = graph::PoolAttributes{w, upwards}};
  TESSERA_TRY(c.Bound(options->fused_activation_function(), made));
  return c.Finish(std::move(made), Through(w, in, in[1]));
}

}  // namespace tessera::ops
