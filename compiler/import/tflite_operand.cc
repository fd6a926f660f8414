// SPDX-License-Identifier: Apache-2.0
//
// Operands and results of the operators of a .tflite file.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/half.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/node_value.h"
#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {
namespace {

using graph::TensorId;

// A constant that is repeated to a larger shape counts with that shape, at every use, so that a
// small file cannot cause much work.
constexpr uint64_t kMaxConstantBytes = uint64_t{1} << 28;

std::string NodeName(const Operator& op, size_t result) {
  std::string name = op.type;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  name = fmt::format("{}_{}", name, op.index);
  return op.outputs.size() == 1 ? name : fmt::format("{}.{}", name, result);
}

// Converts uint8 bytes to int8 by subtracting 128.
void ToInt8(std::vector<uint8_t>& bytes) {
  for (uint8_t& byte : bytes) byte ^= 0x80;
}

}  // namespace

Result<const TfliteTensor*> Converter::In(size_t i) const {
  if (!Has(i)) return Invalid("input {} is missing", i);
  return &model_.tensors[static_cast<size_t>(op_->inputs[i])];
}

bool Converter::real() const { return PlainType(Out()).has_value(); }

bool IsQuantised(const TfliteTensor& tensor) {
  if (tensor.type == TensorType::INT8) return true;
  if (tensor.type != TensorType::UINT8 && tensor.type != TensorType::INT16) return false;
  const auto* quant = tensor.quantization;
  return quant && quant->scale() && quant->scale()->size() > 0;
}

DType QuantisedType(const TfliteTensor& tensor) {
  return tensor.type == TensorType::INT16 ? DType::kInt16 : DType::kInt8;
}

std::optional<DType> PlainType(const TfliteTensor& tensor) {
  switch (tensor.type) {
    case TensorType::INT32:
      return DType::kInt32;
    case TensorType::INT64:
      return DType::kInt64;
    case TensorType::INT16:
      return IsQuantised(tensor) ? std::nullopt : std::optional(DType::kInt16);
    case TensorType::BOOL:
      return DType::kBool;
    case TensorType::UINT8:
      return IsQuantised(tensor) ? std::nullopt : std::optional(DType::kUint8);
    default:
      return FloatType(tensor.type);
  }
}

std::optional<DType> FloatType(TensorType type) {
  if (type == TensorType::FLOAT32) return DType::kFloat32;
  if (type == TensorType::FLOAT16) return DType::kFloat16;
  return std::nullopt;
}

std::optional<std::vector<uint8_t>> Converter::ConstantFloats(const TfliteTensor& tensor,
                                                              DType type) const {
  const auto known = dequantised_.find(tensor.index);
  const TfliteTensor& from =
      known == dequantised_.end() ? tensor : model_.tensors[static_cast<size_t>(known->second)];
  const auto given = FloatType(from.type);
  if (!given || !from.constant()) return std::nullopt;
  if (*given == type) return std::vector<uint8_t>(from.data.begin(), from.data.end());
  const bool widens = type == DType::kFloat32;
  const size_t count = from.data.size() / (widens ? 2 : 4);
  std::vector<uint8_t> made(count * (widens ? 4 : 2));
  for (size_t k = 0; k < count; ++k) {
    uint16_t half = 0;
    float single = 0;
    if (widens) {
      std::memcpy(&half, from.data.data() + 2 * k, 2);
      single = HalfToFloat(half);
      std::memcpy(made.data() + 4 * k, &single, 4);
    } else {
      std::memcpy(&single, from.data.data() + 4 * k, 4);
      half = FloatToHalf(single);
      std::memcpy(made.data() + 2 * k, &half, 2);
    }
  }
  return made;
}

Status Converter::FinishConstant() {
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  const TfliteTensor& out = Out();
  if (!FloatType(out.type) || out.shape != from->shape) {
    return Unsupported("its result {} is {} of shape {}; floats of shape {} are made", out.Place(),
                       TypeText(out.type), ShapeText(out.shape), ShapeText(from->shape));
  }
  const DType type = *FloatType(out.type);
  const auto bytes = ConstantFloats(*from, type);
  TESSERA_TRY(Reserve(bytes->size()));
  dequantised_[out.index] = from->index;
  made_[static_cast<size_t>(out.index)] =
      graph_.AddTensor({.name = out.name,
                        .dtype = type,
                        .shape = GraphShape(out.shape),
                        .data = GraphBytes(*bytes, out.shape, static_cast<size_t>(SizeOf(type)))});
  return {};
}

Result<TensorId> Converter::Operand(size_t i) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  TensorId& id = made_[static_cast<size_t>(from->index)];
  if (id >= 0) return id;
  if (!from->constant()) return Invalid("input {} is used before it is made", from->Place());
  TESSERA_TRY(Reserve(from->data.size()));
  TESSERA_ASSIGN(graph::GraphTensor made, ConstantOf(*from));
  return id = graph_.AddTensor(std::move(made));
}

Result<graph::GraphTensor> Converter::ConstantOf(const TfliteTensor& from) const {
  graph::GraphTensor made{.name = from.name, .shape = GraphShape(from.shape)};
  std::vector<uint8_t> bytes(from.data.begin(), from.data.end());
  if (const auto plain = PlainType(from)) {
    made.dtype = *plain;
  } else if (IsQuantised(from)) {
    made.dtype = QuantisedType(from);
    TESSERA_ASSIGN(made.quant, ActivationQuant(from));
    if (from.type == TensorType::UINT8) ToInt8(bytes);
  } else {
    return Unsupported("input {} is {}, which is not supported", from.Place(), TypeText(from.type));
  }
  made.data = GraphBytes(bytes, from.shape, static_cast<size_t>(SizeOf(made.dtype)));
  return made;
}

Result<TensorId> Converter::Constant(graph::GraphTensor made) {
  TESSERA_TRY(Reserve(made.data->size()));
  return graph_.AddTensor(std::move(made));
}

Result<const TfliteTensor*> Converter::Intermediate(size_t k) const {
  if (k < op_->intermediates.size() && op_->intermediates[k] >= 0)
    return &model_.tensors[static_cast<size_t>(op_->intermediates[k])];
  return Invalid("intermediate {} is missing", k);
}

Result<TensorId> Converter::Activation(size_t i, std::optional<TensorType> wanted) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const TensorType type = wanted ? *wanted : real() ? Out().type : TensorType::INT8;
  if (type == TensorType::INT8 ? !IsQuantised(*from) : from->type != type || IsQuantised(*from)) {
    return Unsupported("input {} is {}; {} is supported", from->Place(), TypeText(from->type),
                       TypeText(type));
  }
  return Operand(i);
}

bool Converter::Known(size_t i) const {
  if (!Has(i)) return false;
  const auto index = static_cast<size_t>(op_->inputs[i]);
  return model_.tensors[index].constant() ||
         (made_[index] >= 0 && graph_.tensor(made_[index]).constant());
}

Result<std::vector<int64_t>> Converter::Integers(size_t i) const {
  constexpr size_t kMost = 1024;
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const bool wide = from->type == TensorType::INT64;
  if (!Known(i) || (!wide && from->type != TensorType::INT32) || from->shape.size() > 3) {
    return Unsupported(
        "input {} is not a constant of INT32 or INT64; only fixed shapes, axes and "
        "pads are supported",
        from->Place());
  }
  const std::span<const uint8_t> bytes =
      from->constant() ? from->data : *graph_.tensor(made_[static_cast<size_t>(from->index)]).data;
  const size_t size = wide ? 8 : 4, count = bytes.size() / size;
  if (count > kMost) return Invalid("input {} has {} values", from->Place(), count);
  std::vector<int64_t> values(count);
  for (size_t k = 0; k < count; ++k) {
    int32_t narrow = 0;
    if (wide) {
      std::memcpy(&values[k], bytes.data() + k * size, size);
    } else {
      std::memcpy(&narrow, bytes.data() + k * size, size);
      values[k] = narrow;
    }
  }
  return values;
}

Result<TensorId> Converter::FullConstant(size_t i, const Shape& shape) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const TensorType type = real() ? Out().type : TensorType::INT8;
  if (real() ? from->type != type : !IsQuantised(*from)) {
    return Unsupported("input {} is {}; {} is supported", from->Place(), TypeText(from->type),
                       TypeText(type));
  }
  Shape small = from->shape;
  if (small.size() <= shape.size()) small.insert(small.begin(), shape.size() - small.size(), 1);
  bool fits = small.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = small[d] == 1 || small[d] == shape[d];
  if (!fits) {
    return Unsupported("constant {} of shape {} does not repeat to {}", from->Place(),
                       ShapeText(from->shape), ShapeText(shape));
  }
  graph::GraphTensor made{.name = from->name,
                          .dtype = PlainType(*from).value_or(QuantisedType(*from)),
                          .shape = GraphShape(shape)};
  if (!real()) {
    TESSERA_ASSIGN(made.quant, ActivationQuant(*from));
  }
  const auto count = static_cast<size_t>(made.count());
  const auto size = static_cast<size_t>(SizeOf(made.dtype));
  TESSERA_TRY(Reserve(count * size));
  std::vector<uint8_t> bytes(count * size);
  std::vector<int64_t> at(shape.size());
  for (size_t k = 0; k < count; ++k) {
    size_t source = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      source =
          source * static_cast<size_t>(small[d]) + static_cast<size_t>(small[d] == 1 ? 0 : at[d]);
    std::copy_n(from->data.begin() + static_cast<int64_t>(source * size), size,
                bytes.begin() + static_cast<int64_t>(k * size));
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
  if (from->type == TensorType::UINT8 && !real()) ToInt8(bytes);
  made.data = GraphBytes(bytes, shape, size);
  return graph_.AddTensor(std::move(made));
}

Status Converter::Reserve(size_t bytes) {
  constant_bytes_ += bytes;
  if (constant_bytes_ <= kMaxConstantBytes) return {};
  return Within(op_->Place(),
                Fail(Code::kOutOfRange,
                     "the constants that operators use come to {} bytes, at most {} are accepted",
                     constant_bytes_, kMaxConstantBytes)
                    .error());
}

Result<TensorId> Converter::Append(graph::Node made, graph::GraphTensor result) {
  if (made.round == isa::Round::kEven) made.round = isa::Round::kTflite;
  const bool known =
      std::ranges::all_of(made.inputs, [&](TensorId id) { return graph_.tensor(id).constant(); });
  if (known && result.quant && graph::DefOf(made.op).requant)
    return Unsupported("all its inputs are constants");
  made.output = graph_.AddTensor(std::move(result));
  graph_.nodes.push_back(std::move(made));
  const TensorId id = graph_.nodes.back().output;
  if (!known) return id;
  Result<std::vector<uint8_t>> value = ValueOf(graph_, graph_.nodes.size() - 1);
  if (!value) return Within(op_->Place(), value.error());
  TESSERA_TRY(Reserve(value->size()));
  graph_.tensor(id).data = std::move(*value);
  graph_.nodes.pop_back();
  return id;
}

Result<TensorId> Converter::Emit(graph::Node made, const std::string& suffix,
                                 const std::optional<graph::Quant>& quant, Shape shape,
                                 std::optional<DType> dtype) {
  made.name = NodeName(*op_, result_) + suffix;
  const graph::GraphTensor& first = graph_.tensor(made.inputs[0]);
  if (quant) dtype = first.quant ? first.dtype : QuantisedType(Out());
  const DType type = dtype.value_or(first.dtype);
  return Append(
      std::move(made),
      {.name = Out().name + suffix, .dtype = type, .shape = std::move(shape), .quant = quant});
}

Status Converter::FinishValue(const Shape& file, std::vector<uint8_t> bytes) {
  TESSERA_TRY(ShapeIs(file));
  TESSERA_TRY(Reserve(bytes.size()));
  const auto type = PlainType(Out());
  if (!type) return Unsupported("its result {} is {}", Out().Place(), TypeText(Out().type));
  made_[static_cast<size_t>(Out().index)] =
      graph_.AddTensor({.name = Out().name,
                        .dtype = *type,
                        .shape = GraphShape(file),
                        .data = GraphBytes(bytes, file, static_cast<size_t>(SizeOf(*type)))});
  return {};
}

Status Converter::Finish(graph::Node made, Shape shape) {
  const TfliteTensor& out = Out();
  const DType from = graph_.tensor(made.inputs[0]).dtype;
  const DType type = PlainType(out).value_or(QuantisedType(out));
  if ((!real() && !IsQuantised(out)) || !graph::Takes(graph::DefOf(made.op), from, type)) {
    return Unsupported("its result {} is {}; {} is supported", out.Place(), TypeText(out.type),
                       TypeText(graph::ResultType(graph::DefOf(made.op), from) == DType::kInt8
                                    ? TensorType::INT8
                                    : TensorType::FLOAT32));
  }
  TESSERA_TRY(ShapeIs(FileShape(shape)));
  graph::GraphTensor result{.name = out.name, .dtype = type, .shape = shape};
  TESSERA_ASSIGN(result.quant, ResultQuant());
  made.name = NodeName(*op_, result_);
  TESSERA_ASSIGN(made_[static_cast<size_t>(out.index)], Append(std::move(made), std::move(result)));
  return {};
}

}  // namespace tessera::tflite_model
