// SPDX-License-Identifier: Apache-2.0
//
// Images, windows with their padding, and reductions of images.
#include <algorithm>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

Result<TensorId> Converter::Spatial(size_t i) {
  TESSERA_ASSIGN(const TensorId x, Activation(i));
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  if (from->shape.size() != 4) {
    return Invalid("input {} has shape {}, four axes are needed", from->Place(),
                   ShapeText(from->shape));
  }
  return x;
}

// |window| with the pads of |padding| for an input of shape |in|.
Result<graph::Window> Converter::ReadWindow(const Shape& in, tflite_file::Padding padding,
                                            graph::Window window) const {
  constexpr int64_t kMost = 1 << 16;  // keeps pads and products of extents far inside 64 bits
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

// By axis: whether input 1 of a reduction lists it.
Result<std::vector<bool>> Converter::ReducedAxes() const {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> axes, Integers(1));
  const int64_t rank = std::ssize(from->shape);
  std::vector<bool> reduced(from->shape.size());
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return Invalid("axis {} of {} with shape {}", axis, from->Place(), ShapeText(from->shape));
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return reduced;
}

Result<TensorId> Converter::ReducedImage() {
  TESSERA_ASSIGN(TensorId x, Activation(0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  TESSERA_ASSIGN(const std::vector<bool> reduced, ReducedAxes());
  if (reduced == std::vector<bool>{false, true, true, false}) return x;
  // Move the reduced axes to the end: [1, kept extents, reduced extents, 1].
  const Shape file = from->shape;
  TESSERA_ASSIGN(x, ToFileOrder(x));
  std::vector<int> perm;
  Shape moved, image{1, 1, 1, 1};
  for (const bool last : {false, true}) {
    for (size_t d = 0; d < file.size(); ++d) {
      if (reduced[d] != last) continue;
      perm.push_back(static_cast<int>(d));
      moved.push_back(file[d]);
      image[last ? 2 : 1] *= file[d];
    }
  }
  const auto quant = graph_.tensor(x).quant;
  if (!std::ranges::is_sorted(perm)) {
    if (graph_.tensor(x).shape != file) {
      TESSERA_ASSIGN(x, Emit({.op = graph::Op::kReshape, .inputs = {x}}, ".shape", quant, file));
    }
    TESSERA_ASSIGN(x, Emit({.op = graph::Op::kTranspose,
                            .inputs = {x},
                            .attributes = graph::TransposeAttributes{perm}},
                           ".last", quant, moved));
  }
  if (graph_.tensor(x).shape == image) return x;
  return Emit({.op = graph::Op::kReshape, .inputs = {x}}, ".rows", quant, image);
}

Status Converter::FinishReduction(graph::Node made) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  TESSERA_ASSIGN(const std::vector<bool> reduced, ReducedAxes());
  const auto* reducer = op_->table->builtin_options_as<tflite_file::ReducerOptions>();
  const bool keep = reducer && reducer->keep_dims();
  Shape file;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (!reduced[d]) file.push_back(from->shape[d]);
    if (reduced[d] && keep) file.push_back(1);
  }
  const Shape in = graph_.tensor(made.inputs[0]).shape, kept{in[0], in[1], 1, 1};
  if (GraphShape(file) == kept) return Finish(std::move(made), kept);
  TESSERA_TRY(ShapeIs(file));
  TESSERA_ASSIGN(const auto quant, ResultQuant());
  TESSERA_ASSIGN(const TensorId x, Emit(std::move(made), ".kept", quant, kept));
  return FinishFromFileOrder(x);
}

}  // namespace tessera::tflite_model
