// SPDX-License-Identifier: Apache-2.0
//
// Weights and biases of contractions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

// The weights in the graph's layout: [O, I, H, W] from OHWI (channel axis 0) or from 1HWO (channel
// axis 3); [O, I] is unchanged.
Result<TensorId> Converter::Weights(size_t rank, int channel_axis) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(1));
  const TensorType type = real() ? Out().type : TensorType::INT8;
  if (real() ? from->type != type || !FloatType(type)
             : !IsQuantised(*from) || from->type == TensorType::INT16) {
    return Unsupported("weights {} are {}; {} is supported", from->Place(), TypeText(from->type),
                       TypeText(type));
  }
  const DType dtype = FloatType(type).value_or(DType::kInt8);
  const auto floats = ConstantFloats(*from, dtype);
  const std::span<const uint8_t> bytes = floats ? std::span<const uint8_t>(*floats) : from->data;
  const auto size = static_cast<size_t>(SizeOf(dtype));
  if (bytes.empty()) return Unsupported("weights {} are not a constant", from->Place());
  if (from->shape.size() != rank) {
    return Invalid("weights {} have shape {}, {} axes are needed", from->Place(),
                   ShapeText(from->shape), rank);
  }
  const auto known = constants_.find({from->index, channel_axis});
  if (known != constants_.end()) return known->second;
  TESSERA_TRY(Reserve(bytes.size()));
  const Shape& in = from->shape;
  graph::GraphTensor made{.name = from->name, .dtype = dtype, .shape = in};
  if (!real()) {
    TESSERA_ASSIGN(made.quant,
                   ReadQuant(*from, in[static_cast<size_t>(channel_axis)], channel_axis));
  }
  if (rank == 2) {
    made.data.emplace(bytes.begin(), bytes.end());
  } else if (channel_axis == 0) {  // OHWI to OIHW is the same move as NHWC to NCHW
    made.shape = GraphShape(in);
    made.data = GraphBytes(bytes, in, size);
  } else {
    if (in[0] != 1)
      return Invalid("weights {} have shape {}, the first extent is 1", from->Place(),
                     ShapeText(in));
    const Shape nchw = GraphShape(in);
    made.shape = {nchw[1], 1, nchw[2], nchw[3]};
    made.data = GraphBytes(bytes, in, size);
  }
  if (made.quant && made.quant->axis >= 0) made.quant->axis = 0;
  if (made.quant) TESSERA_TRY(CentreWeights(*from, made));
  const TensorId id = graph_.AddTensor(std::move(made));
  constants_[{from->index, channel_axis}] = id;
  return id;
}

// Subtracts the zero point from the weights: int8 if all results fit, else int16.
Status Converter::CentreWeights(const TfliteTensor& from, graph::GraphTensor& made) const {
  const bool is_unsigned = from.type == TensorType::UINT8;
  std::vector<int32_t>& zeros = made.quant->zero;
  if (!is_unsigned && std::ranges::all_of(zeros, [](int32_t z) { return z == 0; })) return {};
  for (const int32_t zero : zeros) {
    if (zero < (is_unsigned ? 0 : -128) || zero > (is_unsigned ? 255 : 127))
      return Invalid("weights {} have zero point {}", from.Place(), zero);
  }
  const size_t each = made.data->size() / static_cast<size_t>(made.shape[0]);
  std::vector<int16_t> centred;
  for (size_t k = 0; k < made.data->size(); ++k) {
    const uint8_t byte = (*made.data)[k];
    const int32_t w = is_unsigned ? byte : static_cast<int8_t>(byte);
    centred.push_back(static_cast<int16_t>(w - zeros[zeros.size() == 1 ? 0 : k / each]));
  }
  zeros.assign(zeros.size(), 0);
  if (std::ranges::all_of(centred, [](int16_t w) { return w >= -128 && w <= 127; })) {
    for (size_t k = 0; k < centred.size(); ++k)
      (*made.data)[k] = static_cast<uint8_t>(static_cast<int8_t>(centred[k]));
    return {};
  }
  made.dtype = DType::kInt16;
  made.data->resize(2 * centred.size());
  std::memcpy(made.data->data(), centred.data(), made.data->size());
  return {};
}

Status Converter::AddFloatBias(graph::Node& node, const TfliteTensor& from) {
  const graph::GraphTensor& w = graph_.tensor(node.inputs[1]);
  const int64_t channels = w.shape[0];
  const DType dtype = w.dtype;
  const auto bytes = ConstantFloats(from, dtype);
  if (!bytes) {
    return Unsupported("bias {} is {}{}; a constant of floats is supported", from.Place(),
                       TypeText(from.type), from.constant() ? "" : " and not constant");
  }
  if (static_cast<int64_t>(bytes->size()) != SizeOf(dtype) * channels) {
    return Invalid("bias {} has {} values for {} channels", from.Place(),
                   static_cast<int64_t>(bytes->size()) / SizeOf(dtype), channels);
  }
  TESSERA_TRY(Reserve(bytes->size()));
  node.inputs.push_back(
      graph_.AddTensor({.name = from.name, .dtype = dtype, .shape = {channels}, .data = *bytes}));
  return {};
}

Status Converter::CheckBiasScale(const graph::Node& node, const TfliteTensor& from) {
  if (!from.quantization || !from.quantization->scale() || from.quantization->scale()->size() == 0)
    return {};
  const graph::GraphTensor& w = graph_.tensor(node.inputs[1]);
  const bool looked_at = node.op == graph::Op::kDense || Out().type == TensorType::UINT8;
  TESSERA_ASSIGN(const graph::Quant quant, ReadQuant(from, w.shape[0], kAnyAxis));
  TESSERA_ASSIGN(const graph::Quant out, ActivationQuant(Out()));
  const double s_in = graph_.tensor(node.inputs[0]).quant->scale[0];
  for (size_t c = 0; c < static_cast<size_t>(w.shape[0]); ++c) {
    const auto at = [&](size_t count) { return count == 1 ? 0 : c; };
    if (quant.zero[at(quant.zero.size())] != 0)
      return Unsupported("bias {} has a zero point", from.Place());
    const double scale = quant.scale[at(quant.scale.size())];
    const double unit = s_in * w.quant->scale[at(w.quant->scale.size())];
    if (looked_at && std::abs(scale - unit) > 0.02 * out.scale[0]) {
      return Invalid("bias {} has scale {} for channel {}, input scale x weight scale is {}",
                     from.Place(), scale, c, unit);
    }
  }
  return {};
}

// The bias's integers are used as they are. TFLite's fully connected layers and its uint8 kernels
// refuse a bias whose scale is off by more than 1/50 of a step of the result; its other
// contractions do not check.
Status Converter::AddBias(graph::Node& node, size_t i) {
  const bool litert16 = options.tflite == TfliteKernels::kLitert2_3 &&
                        Out().type == TensorType::INT16 && IsQuantised(Out());
  if (!Has(i)) {
    // LiteRT's sums are int64 here even without a bias; a zero bias of int64 selects that.
    if (!litert16 || node.op != graph::Op::kTransposedConv) return {};
    const int64_t channels = graph_.tensor(node.inputs[1]).shape[0];
    TESSERA_ASSIGN(const TensorId none,
                   Constant({.name = Out().name + ".bias",
                             .dtype = DType::kInt64,
                             .shape = {channels},
                             .data = std::vector<uint8_t>(static_cast<size_t>(8 * channels))}));
    node.inputs.push_back(none);
    return {};
  }
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const graph::GraphTensor& w = graph_.tensor(node.inputs[1]);
  const int64_t channels = w.shape[0];
  if (real()) return AddFloatBias(node, *from);
  // With int16 activations an INT64 bias is usual.
  const bool wide = from->type == TensorType::INT64 && Out().type == TensorType::INT16;
  if ((from->type != TensorType::INT32 && !wide) || !from->constant()) {
    return Unsupported("bias {} is {}{}; a constant of INT32 is supported{}", from->Place(),
                       TypeText(from->type), from->constant() ? "" : " and not constant",
                       Out().type == TensorType::INT16 ? ", or of INT64" : "");
  }
  if (litert16 && !wide)
    return Unsupported(
        "bias {} is INT32; beside INT16 LiteRT takes biases of INT64: compile with --tflite 2.14",
        from->Place());
  const DType type = wide ? DType::kInt64 : DType::kInt32;
  if (static_cast<int64_t>(from->data.size()) != SizeOf(type) * channels) {
    return Invalid("bias {} has {} values for {} channels", from->Place(),
                   static_cast<int64_t>(from->data.size()) / SizeOf(type), channels);
  }
  TESSERA_TRY(CheckBiasScale(node, *from));
  const auto known = constants_.find({from->index, 0});
  if (known != constants_.end()) {
    node.inputs.push_back(known->second);
    return {};
  }
  TESSERA_TRY(Reserve(from->data.size()));
  graph::GraphTensor made{.name = from->name, .dtype = type, .shape = {channels}};
  made.data.emplace(from->data.begin(), from->data.end());
  const TensorId id = graph_.AddTensor(std::move(made));
  constants_[{from->index, 0}] = id;
  node.inputs.push_back(id);
  return {};
}

}  // namespace tessera::tflite_model
