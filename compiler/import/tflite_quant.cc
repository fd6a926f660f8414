// SPDX-License-Identifier: Apache-2.0
//
// Scales, zero points and fused activations of a .tflite file.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/import/tflite_convert.h"

namespace tessera::tflite_model {

using tflite_file::ActivationFunctionType;

// A tensor has one scale, or |channels| scales along |axis|. A tensor of one axis may name any
// axis: files write the axis of the weights there.
Result<graph::Quant> Converter::ReadQuant(const TfliteTensor& tensor, int64_t channels,
                                          int axis) const {
  const std::string place = op_ ? op_->Place() + ": " + tensor.Place() : tensor.Place();
  const tflite_file::Quantization* from = tensor.quantization;
  if (!from || !from->scale() || from->scale()->size() == 0)
    return Fail(Code::kInvalidArgument, "{} has no scale; quantise the model to int8", place);
  if (from->details_type() != 0)
    return Fail(Code::kUnsupported, "{}: a quantisation other than scale and zero point", place);
  const size_t scales = from->scale()->size();
  const size_t zeros = from->zero_point() ? from->zero_point()->size() : 0;
  if (zeros != scales) {
    return Fail(Code::kInvalidArgument, "{} has {} scales and {} zero points", place, scales,
                zeros);
  }
  if (scales != 1 && static_cast<int64_t>(scales) != channels) {
    return Fail(Code::kInvalidArgument, "{} has {} scales, {} needed", place, scales,
                channels == 1 ? "one is" : fmt::format("one or {} are", channels));
  }
  graph::Quant quant;
  if (scales > 1) {
    if (axis != kAnyAxis && from->quantized_dimension() != axis) {
      return Fail(Code::kInvalidArgument,
                  "{} has its scales along axis {}, its channels are along axis {}", place,
                  from->quantized_dimension(), axis);
    }
    quant.axis = axis;
  }
  for (uint32_t i = 0; i < scales; ++i) {
    const float scale = from->scale()->Get(i);
    if (!std::isfinite(scale) || scale <= 0) {
      return Fail(Code::kInvalidArgument, "{}: scale {} is {}; a scale is a finite number above 0",
                  place, i, scale);
    }
    const int64_t zero = from->zero_point()->Get(i);
    if (zero < std::numeric_limits<int32_t>::min() || zero > std::numeric_limits<int32_t>::max())
      return Fail(Code::kInvalidArgument, "{}: zero point {} is {}", place, i, zero);
    quant.scale.push_back(static_cast<double>(scale));
    quant.zero.push_back(static_cast<int32_t>(zero));
  }
  return quant;
}

Result<graph::Quant> Converter::ActivationQuant(const TfliteTensor& tensor) const {
  TESSERA_ASSIGN(graph::Quant quant, ReadQuant(tensor, 1, -1));
  const bool is_unsigned = tensor.type == TensorType::UINT8;
  const int32_t zero = quant.zero[0];
  if (is_unsigned) quant.zero[0] -= 128;
  const auto [lo, hi] =
      tensor.type == TensorType::INT16 ? IntegerLimits{0, 0} : LimitsOf(DType::kInt8);
  if (quant.zero[0] < lo || quant.zero[0] > hi) {
    const std::string place = op_ ? op_->Place() + ": " + tensor.Place() : tensor.Place();
    if (tensor.type == TensorType::INT16)
      return Fail(Code::kUnsupported, "{}: zero point {}; values of INT16 have 0", place, zero);
    return Fail(Code::kInvalidArgument, "{}: zero point {} is no {}", place, zero,
                is_unsigned ? "uint8" : "int8");
  }
  return quant;
}

Result<std::optional<graph::Quant>> Converter::ResultQuant() const {
  if (real()) return std::nullopt;
  TESSERA_ASSIGN(graph::Quant quant, ActivationQuant(Out()));
  return quant;
}

Status Converter::SameScale(graph::TensorId x) const {
  if (real()) return {};
  TESSERA_ASSIGN(const graph::Quant out, ActivationQuant(Out()));
  if (*graph_.tensor(x).quant == out) return {};
  return Unsupported("'{}' and its result {} have different scales or zero points",
                     graph_.tensor(x).name, Out().Place());
}

Status Converter::ResultHas(double scale, int32_t zero) const {
  TESSERA_ASSIGN(const auto quant, ResultQuant());
  if (!quant) return {};
  if (Out().type == TensorType::INT16) scale = 1.0 / 32768, zero = 0;
  if (quant->scale[0] == scale && quant->zero[0] == zero) return {};
  return Unsupported("its result {} has scale {} and zero point {}; 1/{} and {} are supported",
                     Out().Place(), quant->scale[0], quant->zero[0], 1 / scale, zero);
}

// TFLite divides the bound by the scale in float32 and rounds half away from zero.
Status Converter::Bound(ActivationFunctionType function, graph::Node& node) const {
  if (real() && function != ActivationFunctionType::NONE && !FloatType(Out().type))
    return Unsupported("a fused activation on {}", TypeText(Out().type));
  if (real()) {
    switch (function) {
      case ActivationFunctionType::NONE:
        return {};
      case ActivationFunctionType::RELU_N1_TO_1:
        node.least = -1, node.most = 1;
        return {};
      case ActivationFunctionType::RELU6:
        node.most = 6;
        [[fallthrough]];
      case ActivationFunctionType::RELU:
        node.least = 0;
        return {};
      default:
        return UnknownActivation(function);
    }
  }
  TESSERA_ASSIGN(const graph::Quant quant, ActivationQuant(Out()));
  Status status;
  const auto quantise = [&](float bound) -> int32_t {
    const float steps = std::round(bound / static_cast<float>(quant.scale[0]));
    if (!(std::abs(steps) < 2147483648.0f)) {
      status =
          Invalid("its result {}: bound {} of {} does not fit int32 in steps of {}", Out().Place(),
                  bound, tflite_file::EnumNameActivationFunctionType(function), quant.scale[0]);
      return 0;
    }
    const int64_t q = static_cast<int64_t>(steps) + quant.zero[0];
    const auto [lo, hi] = LimitsOf(QuantisedType(Out()));
    return static_cast<int32_t>(std::clamp<int64_t>(q, lo, hi));
  };
  switch (function) {
    case ActivationFunctionType::NONE:
      return {};
    case ActivationFunctionType::RELU:
      node.lo = quant.zero[0];
      return {};
    case ActivationFunctionType::RELU_N1_TO_1:
      node.lo = quantise(-1);
      node.hi = quantise(1);
      return status;
    case ActivationFunctionType::RELU6:
      node.lo = quant.zero[0];
      node.hi = quantise(6);
      return status;
    default:
      return UnknownActivation(function);
  }
}

std::unexpected<Error> Converter::UnknownActivation(ActivationFunctionType function) const {
  const std::string name = tflite_file::EnumNameActivationFunctionType(function);
  return Unsupported(
      "fused activation {} is not supported (supported: NONE RELU RELU_N1_TO_1 "
      "RELU6)",
      name.empty() ? std::to_string(static_cast<int>(function)) : name);
}

}  // namespace tessera::tflite_model
