// SPDX-License-Identifier: Apache-2.0
//
// Layouts, and the operators that change shapes: RESHAPE, SQUEEZE, EXPAND_DIMS.
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {
namespace {

using graph::TensorId;

constexpr size_t kMaxRank = 8;

// Whether the elements of a tensor of shape [N, C, H, W] stand in another order than in NHWC.
bool Moves(const std::vector<int64_t>& nchw) {
  return nchw.size() == 4 && nchw[1] > 1 && nchw[2] * nchw[3] > 1;
}

int64_t Count(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<int64_t> GraphShape(const std::vector<int64_t>& file) {
  if (file.size() != 4) return file;
  return {file[0], file[3], file[1], file[2]};
}

std::vector<int64_t> FileShape(const std::vector<int64_t>& graph) {
  if (graph.size() != 4) return graph;
  return {graph[0], graph[2], graph[3], graph[1]};
}

int GraphAxis(size_t rank, int axis) {
  constexpr int kOrder[] = {0, 2, 3, 1};
  return rank == 4 ? kOrder[axis] : axis;
}

std::vector<uint8_t> GraphBytes(std::span<const uint8_t> bytes, const std::vector<int64_t>& file) {
  std::vector<uint8_t> made(bytes.begin(), bytes.end());
  if (file.size() != 4) return made;
  const auto extent = [&](size_t i) { return static_cast<size_t>(file[i]); };
  const size_t area = extent(1) * extent(2), channels = extent(3);
  for (size_t n = 0; n < extent(0); ++n) {
    for (size_t p = 0; p < area; ++p) {
      for (size_t c = 0; c < channels; ++c)
        made[(n * channels + c) * area + p] = bytes[(n * area + p) * channels + c];
    }
  }
  return made;
}

// |x| with its elements in the file's order, under the file's shape or one as good.
Result<TensorId> Converter::ToFileOrder(TensorId x) {
  const graph::GraphTensor& from = graph_.tensor(x);
  if (!Moves(from.shape)) return x;
  const graph::Quant quant = *from.quant;
  const Shape shape = FileShape(from.shape);
  return Emit({.op = graph::Op::kTranspose, .inputs = {x}, .perm = {0, 2, 3, 1}}, ".nhwc", quant,
              shape);
}

// Makes the operator's result of |x|, whose elements are those of the result in the file's order.
Status Converter::FinishFromFileOrder(TensorId x) {
  const Shape& file = Out().shape;
  const Shape shape = GraphShape(file);
  TESSERA_TRY(SameScale(x));
  if (!Moves(shape)) return Finish({.op = graph::Op::kReshape, .inputs = {x}}, shape);
  if (graph_.tensor(x).shape != file) {
    const graph::Quant quant = *graph_.tensor(x).quant;
    TESSERA_ASSIGN(x, Emit({.op = graph::Op::kReshape, .inputs = {x}}, ".shape", quant, file));
  }
  return Finish({.op = graph::Op::kTranspose, .inputs = {x}, .perm = {0, 3, 1, 2}}, shape);
}

Status Converter::ReshapeTo(const Shape& shape) {
  TESSERA_ASSIGN(TensorId x, Activation(0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  const Result<int64_t> count = ElementCount(shape);
  if (!count || *count != graph_.tensor(x).count() || shape.empty() || shape.size() > kMaxRank) {
    return Invalid("{} of shape {} cannot become {}", from->Place(), ShapeText(from->shape),
                   ShapeText(shape));
  }
  if (shape != Out().shape) {
    return Invalid("its result {} has shape {}, the inputs make {}", Out().Place(),
                   ShapeText(Out().shape), ShapeText(shape));
  }
  TESSERA_TRY(SameScale(x));
  if (shape == from->shape)  // nothing moves
    return Finish({.op = graph::Op::kReshape, .inputs = {x}}, GraphShape(shape));
  TESSERA_ASSIGN(x, ToFileOrder(x));
  return FinishFromFileOrder(x);
}

Status Converter::Reshape() {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  Shape shape;
  if (Has(1)) {
    TESSERA_ASSIGN(shape, Integers(1));
  } else {
    TESSERA_ASSIGN(const auto* options, Options<tflite_file::ReshapeOptions>());
    if (!options->new_shape() || options->new_shape()->size() > kMaxRank)
      return Invalid("its options have no shape of 1 to {} axes", kMaxRank);
    shape.assign(options->new_shape()->begin(), options->new_shape()->end());
  }
  const auto unknown = std::ranges::find(shape, -1);
  if (unknown != shape.end()) {
    *unknown = 1;
    const Result<int64_t> rest = ElementCount(shape);
    *unknown = rest && *rest > 0 ? Count(from->shape) / *rest : -1;
  }
  return ReshapeTo(shape);
}

Status Converter::Squeeze() {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  const int rank = static_cast<int>(from->shape.size());
  const auto* options = op_->table->builtin_options_as<tflite_file::SqueezeOptions>();
  std::set<int> axes;
  if (options && options->squeeze_dims()) {
    for (const int axis : *options->squeeze_dims()) {
      if (axis < -rank || axis >= rank ||
          from->shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)] != 1) {
        return Invalid("axis {} of {} with shape {} is not one of extent 1", axis, from->Place(),
                       ShapeText(from->shape));
      }
      axes.insert(axis < 0 ? axis + rank : axis);
    }
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const int64_t extent = from->shape[static_cast<size_t>(i)];
    if (axes.empty() ? extent != 1 : !axes.contains(i)) shape.push_back(extent);
  }
  return ReshapeTo(shape);
}

Status Converter::ExpandDims() {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> axes, Integers(1));
  const int64_t rank = static_cast<int64_t>(from->shape.size());
  if (axes.size() != 1 || axes[0] < -rank - 1 || axes[0] > rank) {
    return Invalid("its axis is not one of {} to {}", -rank - 1, rank);
  }
  Shape shape = from->shape;
  shape.insert(shape.begin() + (axes[0] < 0 ? axes[0] + rank + 1 : axes[0]), 1);
  return ReshapeTo(shape);
}

}  // namespace tessera::tflite_model
