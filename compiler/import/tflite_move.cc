// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements: TRANSPOSE, PAD, PADV2, CONCATENATION.
#include <algorithm>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

Status Converter::Transpose() {
  TESSERA_ASSIGN(const TensorId x, Activation(0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> perm, Integers(1));
  const size_t rank = from->shape.size();
  std::vector<bool> seen(rank);
  const Shape in = graph_.tensor(x).shape;
  graph::Node made{.op = graph::Op::kTranspose, .inputs = {x}, .perm = std::vector<int>(rank)};
  Shape shape(rank);
  if (perm.size() != rank) return Invalid("an order of {} axes for {}", perm.size(), rank);
  for (size_t k = 0; k < rank; ++k) {
    const int64_t axis = perm[k] < 0 ? perm[k] + static_cast<int64_t>(rank) : perm[k];
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(axis)]) {
      return Invalid("axis {} is out of range or there twice in its order {}", perm[k],
                     ShapeText(perm));
    }
    seen[static_cast<size_t>(axis)] = true;
    const auto to = static_cast<size_t>(GraphAxis(rank, static_cast<int>(k)));
    made.perm[to] = GraphAxis(rank, static_cast<int>(axis));
    shape[to] = in[static_cast<size_t>(made.perm[to])];
  }
  TESSERA_TRY(SameScale(x));
  return Finish(std::move(made), shape);
}

// PAD puts zeros around, which are the zero point; PADV2 gives the value as a third input.
Status Converter::Pad() {
  constexpr int64_t kMaxPad = 1 << 28;
  TESSERA_ASSIGN(const TensorId x, Activation(0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> pads, Integers(1));
  const size_t rank = from->shape.size();
  if (pads.size() != 2 * rank) return Invalid("{} pads for {} axes", pads.size(), rank);
  Shape shape = graph_.tensor(x).shape;
  graph::Node made{.op = graph::Op::kPad, .inputs = {x}};
  made.pads.resize(rank);
  for (size_t k = 0; k < rank; ++k) {
    const auto to = static_cast<size_t>(GraphAxis(rank, static_cast<int>(k)));
    for (size_t side = 0; side < 2; ++side) {
      const int64_t pad = pads[2 * k + side];
      if (pad < 0 || pad > kMaxPad)
        return Invalid("pad {} of axis {}; 0 to {} are accepted", pad, k, kMaxPad);
      made.pads[to][side] = pad;
      shape[to] += pad;
    }
  }
  TESSERA_TRY(SameScale(x));
  const graph::Quant& quant = *graph_.tensor(x).quant;
  made.pad_value = quant.zero[0];
  if (op_->code == BuiltinOperator::PADV2) {
    TESSERA_ASSIGN(const TfliteTensor* value, In(2));
    if (value->type != TensorType::INT8 || value->data.size() != 1)
      return Unsupported("pad value {} is not one constant of INT8", value->Place());
    TESSERA_ASSIGN(const graph::Quant given, ActivationQuant(*value));
    if (given != quant) {
      return Unsupported("pad value {} and {} have different scales or zero points", value->Place(),
                         from->Place());
    }
    made.pad_value = static_cast<int8_t>(value->data[0]);
  }
  return Finish(std::move(made), shape);
}

Status Converter::Concat() {
  TESSERA_ASSIGN(const auto* options, Options<tflite_file::ConcatenationOptions>());
  if (options->fused_activation_function() != tflite_file::ActivationFunctionType::NONE)
    return Unsupported("a fused activation");
  TESSERA_ASSIGN(const TfliteTensor* first, In(0));
  const int rank = static_cast<int>(first->shape.size());
  const int axis = options->axis() < 0 ? options->axis() + rank : options->axis();
  if (axis < 0 || axis >= rank)
    return Invalid("axis {} of shape {}", options->axis(), ShapeText(first->shape));
  graph::Node made{.op = graph::Op::kConcat, .axis = GraphAxis(first->shape.size(), axis)};
  Shape sum = first->shape;
  for (size_t i = 0; i < op_->inputs.size(); ++i) {
    TESSERA_ASSIGN(const TfliteTensor* from, In(i));
    Shape shape = from->shape;
    if (shape.size() == sum.size())
      shape[static_cast<size_t>(axis)] = sum[static_cast<size_t>(axis)];
    if (shape != sum) {
      return Invalid("input {} of shape {} does not go beside {} along axis {}", from->Place(),
                     ShapeText(from->shape), ShapeText(first->shape), axis);
    }
    if (i > 0) sum[static_cast<size_t>(axis)] += from->shape[static_cast<size_t>(axis)];
    TESSERA_ASSIGN(const TensorId x,
                   from->constant() ? FullConstant(i, from->shape) : Activation(i));
    TESSERA_TRY(SameScale(x));
    made.inputs.push_back(x);
  }
  // One alone stays as it is.
  if (made.inputs.size() == 1) made.op = graph::Op::kReshape;
  return Finish(std::move(made), GraphShape(sum));
}

}  // namespace tessera::tflite_model
