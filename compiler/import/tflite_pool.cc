// SPDX-License-Identifier: Apache-2.0
//
// Windows: their extents and paddings, AVERAGE_POOL_2D, MAX_POOL_2D; MEAN over the image.
#include <algorithm>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

// The first input, an image.
Result<TensorId> Converter::Spatial() const {
  TESSERA_ASSIGN(const TensorId x, Activation(0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  if (from->shape.size() != 4) {
    return Invalid("input {} has shape {}, four axes are needed", from->Place(),
                   ShapeText(from->shape));
  }
  return x;
}

// |window| with the pads that |padding| means for an input of shape |in|.
Result<graph::Window> Converter::ReadWindow(const Shape& in, tflite_file::Padding padding,
                                            graph::Window window) const {
  constexpr int64_t kMost =
      1 << 16;  // so that pads and products of extents stay far inside 64 bits
  for (int d = 0; d < 2; ++d) {
    for (const int64_t v : {window.kernel[d], window.stride[d], window.dilation[d]}) {
      if (v < 1 || v > kMost) {
        return Invalid("kernel {}, stride {} or dilation {} is not 1 to {}", window.kernel[d],
                       window.stride[d], window.dilation[d], kMost);
      }
    }
    const int64_t extent = in[static_cast<size_t>(d) + 2];
    if (padding == tflite_file::Padding::SAME) {
      const int64_t out = (extent + window.stride[d] - 1) / window.stride[d];
      const int64_t pad =
          std::max<int64_t>(0, (out - 1) * window.stride[d] +
                                   (window.kernel[d] - 1) * window.dilation[d] + 1 - extent);
      window.pad_before[d] = pad / 2;
      window.pad_after[d] = pad - pad / 2;
    } else if (padding != tflite_file::Padding::VALID) {
      return Invalid("padding {}; SAME (0) and VALID (1) are supported", static_cast<int>(padding));
    }
    if (window.OutExtent(d, extent) < 1) {
      return Invalid("a window of {} x {} does not fit an image of {} x {}", window.kernel[0],
                     window.kernel[1], in[2], in[3]);
    }
  }
  return window;
}

Status Converter::Pool(graph::Op op) {
  constexpr int64_t kMaxWindow = 1 << 16;  // sums stay far inside 32 bits
  TESSERA_ASSIGN(const auto* options, Options<tflite_file::Pool2DOptions>());
  TESSERA_ASSIGN(const TensorId x, Spatial());
  const Shape in = graph_.tensor(x).shape;
  graph::Node made{.op = op, .inputs = {x}};
  TESSERA_ASSIGN(made.window,
                 ReadWindow(in, options->padding(),
                            {.kernel = {options->filter_height(), options->filter_width()},
                             .stride = {options->stride_h(), options->stride_w()}}));
  const graph::Window& w = made.window;
  if (w.kernel[0] * w.kernel[1] > kMaxWindow) {
    return Unsupported("a window of {} x {}, at most {} elements are supported", w.kernel[0],
                       w.kernel[1], kMaxWindow);
  }
  const std::array<int64_t, 2> none{0, 0};
  if (op == graph::Op::kAvgPool && (w.pad_before != none || w.pad_after != none)) {
    return Unsupported(
        "an average over padding: a window of {} x {} reaches over the edge of an image of {} x "
        "{}; "
        "use padding VALID",
        w.kernel[0], w.kernel[1], in[2], in[3]);
  }
  TESSERA_TRY(SameScale(x));
  TESSERA_TRY(Bound(options->fused_activation_function(), made));
  const Shape shape{in[0], in[1], w.OutExtent(0, in[2]), w.OutExtent(1, in[3])};
  return Finish(std::move(made), shape);
}

Status Converter::AveragePool() { return Pool(graph::Op::kAvgPool); }

Status Converter::MaxPool() { return Pool(graph::Op::kMaxPool); }

Status Converter::Mean() {
  TESSERA_ASSIGN(const TensorId x, Spatial());
  TESSERA_ASSIGN(std::vector<int64_t> axes, Integers(1));
  const auto* options = op_->table->builtin_options_as<tflite_file::ReducerOptions>();
  for (int64_t& axis : axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(axes);
  if (axes != std::vector<int64_t>{1, 2}) {
    return Unsupported("a mean over axes {}; over axes 1 and 2 of four is supported",
                       ShapeText(axes));
  }
  const Shape in = graph_.tensor(x).shape, kept{in[0], in[1], 1, 1};
  graph::Node made{.op = graph::Op::kMean, .inputs = {x}};
  if (options && options->keep_dims()) return Finish(std::move(made), kept);
  TESSERA_ASSIGN(const graph::Quant quant, ActivationQuant(Out()));
  TESSERA_ASSIGN(const TensorId mean, Emit(std::move(made), ".kept", quant, kept));
  return Finish({.op = graph::Op::kReshape, .inputs = {mean}}, {in[0], in[1]});
}

}  // namespace tessera::tflite_model
