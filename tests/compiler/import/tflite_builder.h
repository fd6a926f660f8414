// SPDX-License-Identifier: Apache-2.0
//
// TFLite models for the importer's tests, put together with the object classes that flatc makes.
#ifndef TESSERA_TESTS_COMPILER_IMPORT_TFLITE_BUILDER_H_
#define TESSERA_TESTS_COMPILER_IMPORT_TFLITE_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite_schema.h"

namespace tessera {

namespace tfl = tflite_file;

class TfliteBuilder {
 public:
  using Dims = std::vector<int32_t>;
  using Builtin = tfl::BuiltinOperator;
  using Type = tfl::TensorType;

  tfl::ModelT model;

  TfliteBuilder() {
    model.version = 3;
    model.buffers.push_back(std::make_unique<tfl::BufferT>());  // 0: no data
    model.subgraphs.push_back(std::make_unique<tfl::SubGraphT>());
    graph().name = "main";
  }
  tfl::SubGraphT& graph() { return *model.subgraphs[0]; }
  tfl::OperatorT& op(size_t i) { return *graph().operators.at(i); }
  tfl::OperatorCodeT& code(size_t i) { return *model.operator_codes.at(op(i).opcode_index); }
  int Find(const std::string& name) {
    for (size_t i = 0; i < graph().tensors.size(); ++i) {
      if (graph().tensors[i]->name == name) return static_cast<int>(i);
    }
    throw std::out_of_range(name);
  }
  tfl::TensorT& tensor(const std::string& name) {
    return *graph().tensors[static_cast<size_t>(Find(name))];
  }
  tfl::QuantizationT& quant(const std::string& name) { return *tensor(name).quantization; }
  tfl::BufferT& buffer(const std::string& name) { return *model.buffers.at(tensor(name).buffer); }

  int Tensor(const std::string& name, const Dims& shape, Type type) {
    auto made = std::make_unique<tfl::TensorT>();
    made->name = name;
    made->shape = shape;
    made->type = type;
    graph().tensors.push_back(std::move(made));
    return static_cast<int>(graph().tensors.size() - 1);
  }
  int Int8(const std::string& name, const Dims& shape, float scale, int64_t zero) {
    const int id = Tensor(name, shape, Type::INT8);
    SetQuant(name, {scale}, {zero}, 0);
    return id;
  }
  // A constant; |scales| may be empty.
  template <typename T>
  int Constant(const std::string& name, const Dims& shape, Type type, const std::vector<T>& values,
               const std::vector<float>& scales = {}, int axis = 0) {
    const int id = Tensor(name, shape, type);
    SetData(name, values);
    if (!scales.empty()) SetQuant(name, scales, std::vector<int64_t>(scales.size(), 0), axis);
    return id;
  }
  template <typename T>
  void SetData(const std::string& name, const std::vector<T>& values) {
    auto data = std::make_unique<tfl::BufferT>();
    data->data.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(data->data.data(), values.data(), data->data.size());
    tensor(name).buffer = static_cast<uint32_t>(model.buffers.size());
    model.buffers.push_back(std::move(data));
  }
  void SetQuant(const std::string& name, std::vector<float> scales, std::vector<int64_t> zeros,
                int axis) {
    auto made = std::make_unique<tfl::QuantizationT>();
    made->scale = std::move(scales);
    made->zero_point = std::move(zeros);
    made->quantized_dimension = axis;
    tensor(name).quantization = std::move(made);
  }

  // An operator over tensors that are there; "" is an optional input that is not.
  tfl::OperatorT& Op(Builtin type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
    auto made = std::make_unique<tfl::OperatorT>();
    made->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
    auto number = std::make_unique<tfl::OperatorCodeT>();
    number->builtin_code = type;
    number->deprecated_builtin_code = static_cast<int8_t>(std::min(127, static_cast<int>(type)));
    model.operator_codes.push_back(std::move(number));
    for (const std::string& i : inputs) made->inputs.push_back(i.empty() ? -1 : Find(i));
    for (const std::string& o : outputs) made->outputs.push_back(Find(o));
    graph().operators.push_back(std::move(made));
    return *graph().operators.back();
  }
  template <typename T>
  tfl::OperatorT& Op(Builtin type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, T options) {
    tfl::OperatorT& made = Op(type, inputs, outputs);
    made.builtin_options.Set(std::move(options));
    return made;
  }
  void Input(const std::string& name) { graph().inputs.push_back(Find(name)); }
  void Output(const std::string& name) { graph().outputs.push_back(Find(name)); }

  std::vector<uint8_t> Bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    tfl::FinishModelBuffer(builder, tfl::Model::Pack(builder, &model));
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

  // -3, -2, ..., 3, -3, ...
  template <typename T>
  static std::vector<T> Count(size_t n) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(static_cast<int>(i % 7) - 3);
    return values;
  }
};

// Options from their fields, in the order of the schema.
inline tfl::Conv2DOptionsT ConvOptions(tfl::Padding padding, int stride_h, int stride_w,
                                       tfl::ActivationFunctionType fused, int dilation_h = 1,
                                       int dilation_w = 1) {
  tfl::Conv2DOptionsT o;
  o.padding = padding;
  o.stride_h = stride_h;
  o.stride_w = stride_w;
  o.fused_activation_function = fused;
  o.dilation_h_factor = dilation_h;
  o.dilation_w_factor = dilation_w;
  return o;
}
inline tfl::DepthwiseConv2DOptionsT DepthwiseOptions(tfl::Padding padding, int stride_h,
                                                     int stride_w, int multiplier,
                                                     tfl::ActivationFunctionType fused) {
  tfl::DepthwiseConv2DOptionsT o;
  o.padding = padding;
  o.stride_h = stride_h;
  o.stride_w = stride_w;
  o.depth_multiplier = multiplier;
  o.fused_activation_function = fused;
  return o;
}
inline tfl::Pool2DOptionsT PoolOptions(tfl::Padding padding, int stride, int height, int width,
                                       tfl::ActivationFunctionType fused = {}) {
  tfl::Pool2DOptionsT o;
  o.padding = padding;
  o.stride_h = o.stride_w = stride;
  o.filter_height = height;
  o.filter_width = width;
  o.fused_activation_function = fused;
  return o;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_IMPORT_TFLITE_BUILDER_H_
