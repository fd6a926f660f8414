// SPDX-License-Identifier: Apache-2.0
//
// What operators of a .tflite file take and make.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/half.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {
namespace {

using graph::TensorId;

// A constant that is repeated to a larger shape counts with that, and each time: a small file must
// not ask for much work.
constexpr uint64_t kMaxConstantBytes = uint64_t{1} << 28;

std::string NodeName(const Operator& op) {
  std::string name = op.type;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return fmt::format("{}_{}", name, op.index);
}

}  // namespace

Result<const TfliteTensor*> Converter::In(size_t i) const {
  if (!Has(i)) return Invalid("input {} is missing", i);
  return &model_.tensors[static_cast<size_t>(op_->inputs[i])];
}

bool Converter::real() const { return FloatType(Out().type).has_value(); }

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
  if (!real() || out.shape != from->shape) {
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

Result<TensorId> Converter::Activation(size_t i, std::optional<TensorType> wanted) const {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const TensorType type = wanted ? *wanted : real() ? Out().type : TensorType::INT8;
  if (from->type != type) {
    return Unsupported("input {} is {}; {} is supported", from->Place(), TypeText(from->type),
                       TypeText(type));
  }
  if (from->constant())
    return Unsupported(
        "input {} is a constant; only results of operators and model inputs are "
        "supported here",
        from->Place());
  const TensorId id = made_[static_cast<size_t>(from->index)];
  if (id < 0) return Invalid("input {} is used before it is made", from->Place());
  return id;
}

Result<std::vector<int64_t>> Converter::Integers(size_t i) const {
  constexpr size_t kMost = 16;  // a pair for each of eight axes
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const bool wide = from->type == TensorType::INT64;
  if (!from->constant() || (!wide && from->type != TensorType::INT32)) {
    return Unsupported(
        "input {} is not a constant of INT32 or INT64; only fixed shapes, axes and "
        "pads are supported",
        from->Place());
  }
  const size_t size = wide ? 8 : 4, count = from->data.size() / size;
  if (count > kMost) return Invalid("input {} has {} values", from->Place(), count);
  std::vector<int64_t> values(count);
  for (size_t k = 0; k < count; ++k) {
    int32_t narrow = 0;
    if (wide) {
      std::memcpy(&values[k], from->data.data() + k * size, size);
    } else {
      std::memcpy(&narrow, from->data.data() + k * size, size);
      values[k] = narrow;
    }
  }
  return values;
}

Result<TensorId> Converter::FullConstant(size_t i, const Shape& shape) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const TensorType type = real() ? Out().type : TensorType::INT8;
  if (from->type != type) {
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
                          .dtype = FloatType(type).value_or(DType::kInt8),
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

Result<TensorId> Converter::Emit(graph::Node made, const std::string& suffix,
                                 const std::optional<graph::Quant>& quant, Shape shape) {
  made.name = NodeName(*op_) + suffix;
  if (made.round == isa::Round::kEven) made.round = isa::Round::kTflite;
  made.output =
      graph_.AddTensor({.name = Out().name + suffix,
                        .dtype = quant ? DType::kInt8 : graph_.tensor(made.inputs[0]).dtype,
                        .shape = std::move(shape),
                        .quant = quant});
  graph_.nodes.push_back(std::move(made));
  return graph_.nodes.back().output;
}

Status Converter::Finish(graph::Node made, Shape shape) {
  const TfliteTensor& out = Out();
  const DType from = graph_.tensor(made.inputs[0]).dtype;
  const DType type = FloatType(out.type).value_or(DType::kInt8);
  if ((!real() && out.type != TensorType::INT8) ||
      !graph::Takes(graph::DefOf(made.op), from, type)) {
    return Unsupported("its result {} is {}; {} is supported", out.Place(), TypeText(out.type),
                       TypeText(graph::ResultType(graph::DefOf(made.op), from) == DType::kInt8
                                    ? TensorType::INT8
                                    : TensorType::FLOAT32));
  }
  if (GraphShape(out.shape) != shape) {
    return Invalid("its result {} has shape {}, the inputs make {}", out.Place(),
                   ShapeText(out.shape), ShapeText(FileShape(shape)));
  }
  graph::GraphTensor result{.name = out.name, .dtype = type, .shape = shape};
  TESSERA_ASSIGN(result.quant, ResultQuant());
  made.name = NodeName(*op_);
  if (made.round == isa::Round::kEven) made.round = isa::Round::kTflite;
  made.output = graph_.AddTensor(std::move(result));
  made_[static_cast<size_t>(out.index)] = made.output;
  graph_.nodes.push_back(std::move(made));
  return {};
}

}  // namespace tessera::tflite_model
