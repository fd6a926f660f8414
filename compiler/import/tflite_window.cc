// SPDX-License-Identifier: Apache-2.0
//
// Images, windows over them with their paddings, and reductions of them.
#include <algorithm>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

Result<TensorId> Converter::Spatial(size_t i) const {
  TESSERA_ASSIGN(const TensorId x, Activation(i));
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
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

Result<bool> Converter::OverImage(const char* what) const {
  TESSERA_ASSIGN(std::vector<int64_t> axes, Integers(1));
  const auto* reducer = op_->table->builtin_options_as<tflite_file::ReducerOptions>();
  for (int64_t& axis : axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(axes);
  if (axes != std::vector<int64_t>{1, 2}) {
    return Unsupported("{} over axes {}; over axes 1 and 2 of four is supported", what,
                       ShapeText(axes));
  }
  return reducer && reducer->keep_dims();
}

}  // namespace tessera::tflite_model
