// SPDX-License-Identifier: Apache-2.0
//
// Layouts: shapes, axes and bytes in the graph's order, and back to file order.
#include <algorithm>

#include "compiler/graph/node_check.h"
#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {
namespace {

using graph::TensorId;

// Whether elements of a tensor of shape [N, C, H, W] are stored in another order than NHWC.
bool Moves(const std::vector<int64_t>& nchw) {
  return nchw.size() == 4 && nchw[1] > 1 && nchw[2] * nchw[3] > 1;
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

std::vector<uint8_t> GraphBytes(std::span<const uint8_t> bytes, const std::vector<int64_t>& file,
                                size_t size) {
  std::vector<uint8_t> made(bytes.begin(), bytes.end());
  if (file.size() != 4) return made;
  const auto extent = [&](size_t i) { return static_cast<size_t>(file[i]); };
  const size_t area = extent(1) * extent(2), channels = extent(3);
  for (size_t n = 0; n < extent(0); ++n) {
    for (size_t p = 0; p < area; ++p) {
      for (size_t c = 0; c < channels; ++c)
        std::copy_n(bytes.data() + ((n * area + p) * channels + c) * size, size,
                    made.data() + ((n * channels + c) * area + p) * size);
    }
  }
  return made;
}

Status Converter::ShapeIs(const Shape& shape) {
  TfliteTensor& out = OutTensor();
  bool fits = out.shape.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = out.shape[d] == shape[d] || (d < out.open.size() && out.open[d]);
  // Model converters leave out the result shapes of custom operators.
  fits = fits || (out.shape.empty() && op_->code == BuiltinOperator::CUSTOM);
  if (!fits) {
    return Invalid("its result {} has shape {}, the inputs make {}", out.Place(),
                   ShapeText(out.shape), ShapeText(shape));
  }
  out.shape = shape;
  return {};
}

Result<TensorId> Converter::ToFileOrder(TensorId x, const std::string& prefix) {
  const graph::GraphTensor& from = graph_.tensor(x);
  if (!Moves(from.shape)) return x;
  const std::optional<graph::Quant> quant = from.quant;
  const Shape shape = FileShape(from.shape);
  return Emit({.op = graph::Op::kTranspose,
               .inputs = {x},
               .attributes = graph::TransposeAttributes{{0, 2, 3, 1}}},
              prefix + ".nhwc", quant, shape);
}

Result<TensorId> Converter::ToGraphOrder(TensorId x, const Shape& file, const std::string& prefix) {
  const Shape shape = GraphShape(file);
  const std::optional<graph::Quant> quant = graph_.tensor(x).quant;
  const bool moves = Moves(shape);
  if (const Shape& first = moves ? file : shape; graph_.tensor(x).shape != first) {
    TESSERA_ASSIGN(
        x, Emit({.op = graph::Op::kReshape, .inputs = {x}}, prefix + ".shape", quant, first));
  }
  if (!moves) return x;
  return Emit({.op = graph::Op::kTranspose,
               .inputs = {x},
               .attributes = graph::TransposeAttributes{{0, 3, 1, 2}}},
              prefix + ".nchw", quant, shape);
}

Result<TensorId> Converter::Shaped(TensorId x, const Shape& file, const std::string& suffix) {
  if (graph_.tensor(x).shape == file) return x;
  const std::optional<graph::Quant> quant = graph_.tensor(x).quant;
  return Emit({.op = graph::Op::kReshape, .inputs = {x}}, suffix, quant, file);
}

Result<TensorId> Converter::InFileOrder(size_t i) {
  TESSERA_ASSIGN(TensorId x, Operand(i));
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const std::string prefix = fmt::format(".in{}", i);
  TESSERA_ASSIGN(x, ToFileOrder(x, prefix));
  return Shaped(x, from->shape, prefix + ".shaped");
}

Status Converter::FinishAs(TensorId x, const Shape& file) {
  TESSERA_TRY(ShapeIs(file));
  return FinishFromFileOrder(x);
}

// Makes the operator's result from |x|, whose elements are in file order.
Status Converter::FinishFromFileOrder(TensorId x) {
  const Shape& file = Out().shape;
  const Shape shape = GraphShape(file);
  TESSERA_TRY(SameScale(x));
  if (!Moves(shape)) return Finish({.op = graph::Op::kReshape, .inputs = {x}}, shape);
  TESSERA_ASSIGN(x, Shaped(x, file, ".shape"));
  return Finish({.op = graph::Op::kTranspose,
                 .inputs = {x},
                 .attributes = graph::TransposeAttributes{{0, 3, 1, 2}}},
                shape);
}

Result<TensorId> Converter::Raised(size_t i, size_t rank) {
  TESSERA_ASSIGN(TensorId x, Operand(i));
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  Shape wide = from->shape;
  if (wide.size() >= rank) return x;
  wide.insert(wide.begin(), rank - wide.size(), 1);
  const std::string prefix = fmt::format(".in{}", i);
  TESSERA_ASSIGN(x, ToFileOrder(x, prefix));
  return ToGraphOrder(x, wide, prefix);
}

Result<TensorId> Converter::Beside(size_t i, const Shape& shape) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  if (from->constant()) return FullConstant(i, shape);
  TESSERA_TRY(Activation(i));
  TESSERA_ASSIGN(const TensorId x, Raised(i, shape.size()));
  if (real() || from->shape == shape) return x;
  const std::optional<graph::Quant> quant = graph_.tensor(x).quant;
  return Emit({.op = graph::Op::kRepeat, .inputs = {x}}, fmt::format(".in{}", i), quant,
              GraphShape(shape));
}

Status Converter::ReshapeTo(const Shape& shape) {
  TESSERA_ASSIGN(TensorId x, Activation(0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  const Result<int64_t> count = ElementCount(shape);
  if (!count || *count != graph_.tensor(x).count() || shape.size() > kMaxRank) {
    return Invalid("{} of shape {}", from->Place(), graph::CannotBecome(from->shape, shape));
  }
  TESSERA_TRY(ShapeIs(shape));
  TESSERA_TRY(SameScale(x));
  if (shape == from->shape)  // nothing moves
    return Finish({.op = graph::Op::kReshape, .inputs = {x}}, GraphShape(shape));
  TESSERA_ASSIGN(x, ToFileOrder(x));
  return FinishFromFileOrder(x);
}

}  // namespace tessera::tflite_model
