// SPDX-License-Identifier: Apache-2.0
//
// What operators of a .tflite file take and make.
#include <algorithm>
#include <cctype>
#include <cstring>

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

Result<TensorId> Converter::Activation(size_t i, TensorType type) const {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
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
                                 const graph::Quant& quant, Shape shape) {
  made.name = NodeName(*op_) + suffix;
  if (made.round == isa::Round::kEven) made.round = isa::Round::kTflite;
  made.output = graph_.AddTensor({.name = Out().name + suffix,
                                  .dtype = DType::kInt8,
                                  .shape = std::move(shape),
                                  .quant = quant});
  graph_.nodes.push_back(std::move(made));
  return graph_.nodes.back().output;
}

Status Converter::Finish(graph::Node made, Shape shape) {
  const TfliteTensor& out = Out();
  const bool real = !graph::Takes(graph::DefOf(made.op), DType::kInt8, DType::kInt8) &&
                    made.op != graph::Op::kQuantize;
  const TensorType type = real ? TensorType::FLOAT32 : TensorType::INT8;
  if (out.type != type) {
    return Unsupported("its result {} is {}; {} is supported", out.Place(), TypeText(out.type),
                       TypeText(type));
  }
  if (GraphShape(out.shape) != shape) {
    return Invalid("its result {} has shape {}, the inputs make {}", out.Place(),
                   ShapeText(out.shape), ShapeText(FileShape(shape)));
  }
  graph::GraphTensor result{.name = out.name, .dtype = DType::kInt8, .shape = shape};
  if (real) {
    result.dtype = DType::kFloat32;
  } else {
    TESSERA_ASSIGN(result.quant, ActivationQuant(out));
  }
  made.name = NodeName(*op_);
  if (made.round == isa::Round::kEven) made.round = isa::Round::kTflite;
  made.output = graph_.AddTensor(std::move(result));
  made_[static_cast<size_t>(out.index)] = made.output;
  graph_.nodes.push_back(std::move(made));
  return {};
}

}  // namespace tessera::tflite_model
