// SPDX-License-Identifier: Apache-2.0
//
// Scales and zero points: QuantizeLinear and DequantizeLinear.
#include <cmath>

#include "compiler/import/qdq.h"

namespace tessera::onnx_model {
namespace {

using graph::Quant;
using graph::TensorId;

// uint8 values and zero points become int8 by subtracting 128, so that one type is left.
std::vector<uint8_t> ToInt8(const HostTensor& tensor) {
  std::vector<uint8_t> bytes = tensor.bytes;
  if (tensor.dtype == DType::kUint8) {
    for (uint8_t& b : bytes) b ^= 0x80;
  }
  return bytes;
}

}  // namespace

Result<QdqConverter::Scales> QdqConverter::ReadScales(const OnnxNode& node) const {
  const auto missing = [&](const char* what) {
    return Fail(Code::kUnsupported, "{}: its {} is not a constant of the model", node.Place(),
                what);
  };
  if (node.inputs.size() < 2) return Fail(Code::kInvalidArgument, "{}: has no scale", node.Place());
  const HostTensor* scale = Initializer(node.inputs[1]);
  if (!scale || scale->dtype != DType::kFloat32 || scale->count() == 0) return missing("scale");
  if (scale->shape.size() > 1) {
    return Fail(Code::kUnsupported,
                "{}: scales of shape {}; one, or one per index of an axis, is supported",
                node.Place(), ShapeText(scale->shape));
  }
  Scales scales;
  for (const float s : scale->as<float>()) {
    if (!std::isfinite(s) || s <= 0) {
      return Fail(Code::kInvalidArgument,
                  "{}: scale '{}' holds {}; a scale is a finite number above 0", node.Place(),
                  node.inputs[1], s);
    }
    scales.quant.scale.push_back(static_cast<double>(s));
  }
  scales.quant.zero.assign(scales.quant.scale.size(), 0);
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    const HostTensor* zero = Initializer(node.inputs[2]);
    if (!zero) return missing("zero point");
    if (zero->count() != scale->count()) {
      return Fail(Code::kInvalidArgument, "{}: {} scales but {} zero points", node.Place(),
                  scale->count(), zero->count());
    }
    scales.type = zero->dtype;
    for (size_t i = 0; i < scales.quant.zero.size(); ++i) {
      switch (zero->dtype) {
        case DType::kInt8:
          scales.quant.zero[i] = zero->as<int8_t>()[i];
          break;
        case DType::kUint8:
          scales.quant.zero[i] = zero->as<uint8_t>()[i];
          break;
        case DType::kInt32:
          scales.quant.zero[i] = zero->as<int32_t>()[i];
          break;
        default:
          return Fail(Code::kUnsupported, "{}: zero point of type {}; int8 and uint8 are supported",
                      node.Place(), Text(zero->dtype));
      }
    }
  } else if (const auto type = node.attributes.find("output_dtype");
             type != node.attributes.end() && type->second.i.value_or(0) != 0) {
    constexpr int64_t kOnnxUint8 = 2, kOnnxInt8 = 3;
    if (*type->second.i != kOnnxUint8 && *type->second.i != kOnnxInt8) {
      return Fail(Code::kUnsupported, "{}: output_dtype {}; int8 (3) and uint8 (2) are supported",
                  node.Place(), *type->second.i);
    }
    scales.type = *type->second.i == kOnnxInt8 ? DType::kInt8 : DType::kUint8;
  }
  return scales;
}

Result<Quant> QdqConverter::ActivationQuant(const OnnxNode& node, bool* is_unsigned) const {
  TESSERA_ASSIGN(Scales scales, ReadScales(node));
  if (scales.quant.scale.size() != 1)
    return Fail(Code::kUnsupported, "{}: activations quantised per axis", node.Place());
  const DType type = scales.type.value_or(DType::kUint8);  // ONNX's default
  if (type != DType::kInt8 && type != DType::kUint8) {
    return Fail(Code::kUnsupported, "{}: zero point of type {}; int8 and uint8 are supported",
                node.Place(), Text(type));
  }
  *is_unsigned = type == DType::kUint8;
  if (*is_unsigned) scales.quant.zero[0] -= 128;
  return scales.quant;
}

Status QdqConverter::Quantize(const OnnxNode& node) {
  if (node.inputs.empty()) return Fail(Code::kInvalidArgument, "{}: has no input", node.Place());
  bool is_unsigned = false;
  TESSERA_ASSIGN(const Quant quant, ActivationQuant(node, &is_unsigned));
  if (is_unsigned) unsigned_.insert(node.outputs[0]);
  if (const auto it = plain_.find(node.inputs[0]);
      it != plain_.end() && !reals_.contains(node.inputs[0])) {
    graph::Node made{.op = graph::Op::kQuantize, .inputs = {it->second}};
    const graph::Shape shape = graph_.tensor(it->second).shape;
    TESSERA_ASSIGN(ints_[node.outputs[0]],
                   Emit(std::move(made), node, quant, shape, node.outputs[0]));
    return {};
  }
  real_ = false;
  TESSERA_ASSIGN(const TensorId x, Operand(node, 0));
  if (*graph_.tensor(x).quant == quant) {
    ints_[node.outputs[0]] = x;  // the same values under the same scale
    return {};
  }
  graph::Node made{.op = graph::Op::kRescale, .inputs = {x}};
  TESSERA_ASSIGN(ints_[node.outputs[0]],
                 Emit(std::move(made), node, quant, graph_.tensor(x).shape, node.outputs[0]));
  return {};
}

Status QdqConverter::Dequantize(const OnnxNode& node) {
  if (node.inputs.empty()) return Fail(Code::kInvalidArgument, "{}: has no input", node.Place());
  TESSERA_ASSIGN(Scales scales, ReadScales(node));
  const std::string& input = node.inputs[0];
  if (const HostTensor* constant = Initializer(input))
    return DequantizeConstant(node, *constant, std::move(scales));
  if (!ints_.contains(input)) TESSERA_TRY(QuantisedFrom(node, input, scales));
  const auto it = ints_.find(input);
  const DType type = unsigned_.contains(input) ? DType::kUint8 : DType::kInt8;
  if (scales.type && *scales.type != type) {
    return Fail(Code::kInvalidArgument, "{}: its zero point is {}, but '{}' is {}", node.Place(),
                Text(*scales.type), input, Text(type));
  }
  if (type == DType::kUint8) scales.quant.zero[0] -= 128;
  if (*graph_.tensor(it->second).quant != scales.quant) {
    return Fail(Code::kUnsupported,
                "{}: scale and zero point differ from those '{}' was quantised with", node.Place(),
                input);
  }
  reals_[node.outputs[0]] = it->second;
  return {};
}

// Plain integers |name|, for example a model input, represent real numbers from here on.
Status QdqConverter::QuantisedFrom(const OnnxNode& node, const std::string& name,
                                   const Scales& scales) {
  const auto it = plain_.find(name);
  const DType type = it == plain_.end() ? DType::kFloat32 : graph_.tensor(it->second).dtype;
  if (type != DType::kInt8 && type != DType::kUint8) {
    return Fail(Code::kUnsupported,
                "{}: its input '{}' is neither a constant nor a value of int8 or uint8",
                node.Place(), name);
  }
  if (scales.quant.scale.size() != 1)
    return Fail(Code::kUnsupported, "{}: activations quantised per axis", node.Place());
  graph::GraphTensor& from = graph_.tensor(it->second);
  if (from.quant && *from.quant != scales.quant) {
    return Fail(Code::kUnsupported, "{}: '{}' is dequantised with two scales", node.Place(), name);
  }
  from.quant = scales.quant;
  ints_[name] = it->second;
  if (type == DType::kInt8) return {};
  unsigned_.insert(name);
  Quant quant = scales.quant;
  quant.zero[0] -= 128;
  graph::Node made{.op = graph::Op::kRescale, .name = name + ".int8", .inputs = {it->second}};
  const graph::Shape shape = from.shape;
  TESSERA_ASSIGN(ints_[name], Emit(std::move(made), node, quant, shape, name + ".int8"));
  return {};
}

Status QdqConverter::DequantizeConstant(const OnnxNode& node, const HostTensor& constant,
                                        Scales scales) {
  const std::string& input = node.inputs[0];
  if (constant.dtype != DType::kInt8 && constant.dtype != DType::kUint8 &&
      constant.dtype != DType::kInt32) {
    return Fail(Code::kUnsupported,
                "{}: constant '{}' is {}; int8, uint8 and int32 can be dequantised", node.Place(),
                input, Text(constant.dtype));
  }
  if (scales.type && *scales.type != constant.dtype) {
    return Fail(Code::kInvalidArgument, "{}: its zero point is {}, but '{}' is {}", node.Place(),
                Text(*scales.type), input, Text(constant.dtype));
  }
  Quant& quant = scales.quant;
  if (constant.dtype == DType::kUint8) {
    for (int32_t& zero : quant.zero) zero -= 128;
  }
  if (quant.scale.size() > 1) {
    const int64_t rank = static_cast<int64_t>(constant.shape.size());
    const auto attribute = node.attributes.find("axis");
    int64_t axis = attribute == node.attributes.end() ? 1 : attribute->second.i.value_or(1);
    if (axis < 0 && axis >= -rank) axis += rank;
    if (axis < 0 || axis >= rank ||
        constant.shape[static_cast<size_t>(axis)] != static_cast<int64_t>(quant.scale.size())) {
      return Fail(Code::kInvalidArgument, "{}: {} scales along axis {} of shape {}", node.Place(),
                  quant.scale.size(), axis, ShapeText(constant.shape));
    }
    quant.axis = static_cast<int>(axis);
  }
  const DType dtype = constant.dtype == DType::kInt32 ? DType::kInt32 : DType::kInt8;
  TESSERA_ASSIGN(reals_[node.outputs[0]],
                 AddConstant(node, {input, dtype, constant.shape, quant, ToInt8(constant)}));
  return {};
}

}  // namespace tessera::onnx_model
