// SPDX-License-Identifier: Apache-2.0
//
// Operators element by element: ADD, SUB, MUL, RELU and its kin, QUANTIZE, DEQUANTIZE; SOFTMAX.
#include <algorithm>
#include <cmath>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;
using tflite_file::ActivationFunctionType;

// Input |i|, a constant, with its elements repeated to |shape| (in file order).
Result<TensorId> Converter::FullConstant(size_t i, const Shape& shape) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  if (from->type != TensorType::INT8) {
    return Unsupported("input {} is {}; INT8 is supported", from->Place(), TypeText(from->type));
  }
  Shape small = from->shape;
  if (small.size() <= shape.size()) small.insert(small.begin(), shape.size() - small.size(), 1);
  bool fits = small.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = small[d] == 1 || small[d] == shape[d];
  if (!fits) {
    return Unsupported("constant {} of shape {} does not repeat to {}", from->Place(),
                       ShapeText(from->shape), ShapeText(shape));
  }
  graph::GraphTensor made{.name = from->name, .dtype = DType::kInt8, .shape = GraphShape(shape)};
  TESSERA_ASSIGN(made.quant, ActivationQuant(*from));
  const size_t count = static_cast<size_t>(made.count());
  TESSERA_TRY(Reserve(count));
  std::vector<uint8_t> bytes(count);
  std::vector<int64_t> at(shape.size());
  for (size_t k = 0; k < count; ++k) {
    size_t source = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      source =
          source * static_cast<size_t>(small[d]) + static_cast<size_t>(small[d] == 1 ? 0 : at[d]);
    bytes[k] = from->data[source];
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
  made.data = GraphBytes(bytes, shape);
  return graph_.AddTensor(std::move(made));
}

// One of the two may be a constant that repeats to the other's shape.
template <typename T>
Status Converter::Binary(graph::Op op) {
  TESSERA_ASSIGN(const TfliteTensor* a, In(0));
  TESSERA_ASSIGN(const TfliteTensor* b, In(1));
  if (a->constant() && b->constant()) return Unsupported("both inputs are constants");
  if (!a->constant() && !b->constant() && a->shape != b->shape) {
    return Unsupported("inputs of shapes {} and {}; only constants are repeated",
                       ShapeText(a->shape), ShapeText(b->shape));
  }
  const Shape& shape = a->constant() ? b->shape : a->shape;
  TESSERA_ASSIGN(const TensorId x, a->constant() ? FullConstant(0, shape) : Activation(0));
  TESSERA_ASSIGN(const TensorId y, b->constant() ? FullConstant(1, shape) : Activation(1));
  graph::Node made{.op = op, .inputs = {x, y}, .float_factor = op == graph::Op::kMul};
  if (const T* options = op_->table->template builtin_options_as<T>())
    TESSERA_TRY(Bound(options->fused_activation_function(), made));
  return Finish(std::move(made), GraphShape(shape));
}

Status Converter::Add() { return Binary<tflite_file::AddOptions>(graph::Op::kAdd); }

Status Converter::Sub() { return Binary<tflite_file::SubOptions>(graph::Op::kSub); }

Status Converter::Mul() { return Binary<tflite_file::MulOptions>(graph::Op::kMul); }

Status Converter::Relu() {
  TESSERA_ASSIGN(const TensorId x, Activation(0));
  graph::Node made{.op = graph::Op::kRescale, .inputs = {x}, .float_factor = true};
  TESSERA_TRY(Bound(op_->code == BuiltinOperator::RELU    ? ActivationFunctionType::RELU
                    : op_->code == BuiltinOperator::RELU6 ? ActivationFunctionType::RELU6
                                                          : ActivationFunctionType::RELU_N1_TO_1,
                    made));
  return Finish(std::move(made), graph_.tensor(x).shape);
}

Status Converter::Quantize() {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  const bool real = from->type == TensorType::FLOAT32;
  TESSERA_ASSIGN(const TensorId x, Activation(0, real ? TensorType::FLOAT32 : TensorType::INT8));
  return Finish({.op = real ? graph::Op::kQuantize : graph::Op::kRescale, .inputs = {x}},
                graph_.tensor(x).shape);
}

Status Converter::Dequantize() {
  TESSERA_ASSIGN(const TensorId x, Activation(0));
  return Finish({.op = graph::Op::kDequantize, .inputs = {x}}, graph_.tensor(x).shape);
}

// Along the last axis of the file: the channels of an image.
Status Converter::Softmax() {
  TESSERA_ASSIGN(const auto* options, Options<tflite_file::SoftmaxOptions>());
  TESSERA_ASSIGN(TensorId x, Activation(0));
  TESSERA_ASSIGN(const graph::Quant quant, ActivationQuant(Out()));
  if (quant.scale[0] != 1.0 / 256 || quant.zero[0] != -128) {
    return Unsupported("its result {} has scale {} and zero point {}; 1/256 and -128 are supported",
                       Out().Place(), quant.scale[0], quant.zero[0]);
  }
  if (!std::isfinite(options->beta()) || options->beta() <= 0)
    return Unsupported("beta {}; a finite number above 0 is supported", options->beta());
  graph::Node made{.op = graph::Op::kSoftmax, .inputs = {x}};
  made.beta = static_cast<double>(options->beta());
  const Shape shape = graph_.tensor(x).shape;
  if (shape.size() != 4) return Finish(std::move(made), shape);
  if (GraphShape(Out().shape) != shape) {
    return Invalid("its result {} has shape {}, the inputs make {}", Out().Place(),
                   ShapeText(Out().shape), ShapeText(FileShape(shape)));
  }
  const graph::Quant in = *graph_.tensor(x).quant;
  const Shape rows{shape[0] * shape[2] * shape[3], shape[1]};
  TESSERA_ASSIGN(x, ToFileOrder(x));
  TESSERA_ASSIGN(x, Emit({.op = graph::Op::kReshape, .inputs = {x}}, ".rows", in, rows));
  made.inputs = {x};
  TESSERA_ASSIGN(x, Emit(std::move(made), ".softmax", quant, rows));
  return FinishFromFileOrder(x);
}

}  // namespace tessera::tflite_model
