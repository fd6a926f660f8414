// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite_model.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.h"
#include "compiler/import/options.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {
namespace {

constexpr uint32_t kVersion = 3;
constexpr size_t kMaxBytes = (size_t{1} << 31) - 64;  // offsets have 31 bits
constexpr size_t kMaxOperators = 1 << 14;             // later passes compare pairs of nodes
constexpr size_t kMaxTensors = 1 << 16;
constexpr size_t kMaxOperands = 1024;
constexpr size_t kMaxName = 200;  // every message has a name, and many tensors may share one

// The length of a vector of tables or scalars that may be absent.
template <typename T>
size_t SizeOf(const flatbuffers::Vector<T>* vector) {
  return vector ? vector->size() : 0;
}

std::string NameFrom(const flatbuffers::String* text) {
  return text ? Legible({text->c_str(), text->size()}, kMaxName) : "";
}

int64_t BytesOf(TensorType type) {  // of one element; 0: the type has no fixed number of bytes
  switch (type) {
    case TensorType::INT8:
    case TensorType::UINT8:
    case TensorType::BOOL:
      return 1;
    case TensorType::FLOAT16:
    case TensorType::BFLOAT16:
    case TensorType::INT16:
    case TensorType::UINT16:
      return 2;
    case TensorType::FLOAT32:
    case TensorType::INT32:
    case TensorType::UINT32:
      return 4;
    case TensorType::INT64:
    case TensorType::UINT64:
    case TensorType::FLOAT64:
    case TensorType::COMPLEX64:
      return 8;
    case TensorType::COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

// Which extents the file leaves open.
Result<std::vector<bool>> OpenExtents(const tflite_file::Tensor& table, const std::string& place) {
  const auto* signature = table.shape_signature();
  std::vector<bool> open(SizeOf(table.shape()));
  if (SizeOf(signature) == 0) return open;
  if (signature->size() != SizeOf(table.shape())) {
    return Fail(Code::kInvalidArgument, "{}: a shape of {} extents and a signature of {}", place,
                SizeOf(table.shape()), signature->size());
  }
  for (uint32_t i = 0; i < signature->size(); ++i) {
    const int32_t extent = signature->Get(i);
    open[i] = extent == -1;
    if (extent == table.shape()->Get(i) || open[i]) continue;
    return Fail(Code::kInvalidArgument, "{}: extent {} is {} in its shape and {} in its signature",
                place, i, table.shape()->Get(i), extent);
  }
  return open;
}

// The bytes of buffer |index|.
Result<std::span<const uint8_t>> Data(const tflite_file::Model& model, uint32_t index,
                                      const std::string& place) {
  if (index >= SizeOf(model.buffers())) {
    return Fail(Code::kInvalidArgument, "{}: its data are in buffer {}, the file has {}", place,
                index, SizeOf(model.buffers()));
  }
  const tflite_file::Buffer& buffer = *model.buffers()->Get(index);
  if (buffer.offset() > 1 || buffer.size() > 1) {
    return Fail(Code::kUnsupported,
                "{}: buffer {} lies behind the tables; convert the model with its data inside",
                place, index);
  }
  if (!buffer.data()) return std::span<const uint8_t>{};
  return std::span<const uint8_t>{buffer.data()->data(), buffer.data()->size()};
}

Result<TfliteTensor> ReadTensor(const tflite_file::Model& model, const tflite_file::Tensor& table,
                                int index) {
  TfliteTensor tensor{.index = index, .name = NameFrom(table.name()), .type = table.type()};
  const std::string place = tensor.Place();
  tensor.variable = table.is_variable();
  if (table.sparsity())
    return Fail(Code::kUnsupported, "{}: sparse tensors are not supported; store it densely",
                place);
  if (table.external_buffer() != 0)
    return Fail(Code::kUnsupported, "{}: its data are in another file", place);
  if (SizeOf(table.shape()) > kMaxRank) {
    return Fail(Code::kUnsupported, "{}: {} axes, at most {} are supported", place,
                table.shape()->size(), kMaxRank);
  }
  TESSERA_ASSIGN(tensor.open, OpenExtents(table, place));
  if (table.shape()) tensor.shape.assign(table.shape()->begin(), table.shape()->end());
  for (const int64_t extent : tensor.shape) {
    if (extent < 0) {
      return Fail(Code::kInvalidArgument, "{}: shape {} has a negative extent", place,
                  ShapeText(tensor.shape));
    }
  }
  const Result<int64_t> count = ElementCount(tensor.shape, kMostTensorElements);
  if (!count) return Within(place, count.error());
  TESSERA_ASSIGN(tensor.data, Data(model, table.buffer(), place));
  const int64_t size = BytesOf(tensor.type);
  if (tensor.constant() && size > 0 && static_cast<int64_t>(tensor.data.size()) != *count * size) {
    return Fail(Code::kInvalidArgument, "{}: shape {} of {} takes {} bytes, buffer {} has {}",
                place, ShapeText(tensor.shape), TypeText(tensor.type), *count * size,
                table.buffer(), tensor.data.size());
  }
  tensor.quantization = table.quantization();
  return tensor;
}

// Tensor indices, each in range; -1 only where |optional|.
Result<std::vector<int>> Indices(const flatbuffers::Vector<int32_t>* list, size_t tensors,
                                 bool optional, const std::string& place) {
  if (SizeOf(list) > kMaxOperands) {
    return Fail(Code::kOutOfRange, "{} has {} tensors, at most {} are accepted", place,
                list->size(), kMaxOperands);
  }
  std::vector<int> indices;
  for (uint32_t i = 0; i < SizeOf(list); ++i) {
    const int32_t index = list->Get(i);
    if (!(index == -1 && optional) && (index < 0 || static_cast<size_t>(index) >= tensors)) {
      return Fail(Code::kInvalidArgument, "{} {} is tensor {}, the file has {}", place, i, index,
                  tensors);
    }
    indices.push_back(index);
  }
  return indices;
}

Result<Operator> ReadOperator(const tflite_file::Model& model, const tflite_file::Operator& table,
                              int index, size_t tensors) {
  if (table.opcode_index() >= SizeOf(model.operator_codes())) {
    return Fail(Code::kInvalidArgument, "operator {}: its code is number {}, the file has {}",
                index, table.opcode_index(), SizeOf(model.operator_codes()));
  }
  const tflite_file::OperatorCode& code = *model.operator_codes()->Get(table.opcode_index());
  Operator op{.index = index, .table = &table};
  // Old files have the deprecated field only; codes that do not fit it are in the second field.
  op.code =
      std::max(static_cast<BuiltinOperator>(code.deprecated_builtin_code()), code.builtin_code());
  op.type = op.code == BuiltinOperator::CUSTOM ? "custom:" + NameFrom(code.custom_code())
                                               : tflite_file::EnumNameBuiltinOperator(op.code);
  if (op.type.empty()) {
    return Fail(Code::kUnsupported, "operator {}: operators of code {} are not supported", index,
                static_cast<int32_t>(op.code));
  }
  TESSERA_ASSIGN(op.inputs, Indices(table.inputs(), tensors, true, op.Place() + ": input"));
  TESSERA_ASSIGN(op.outputs, Indices(table.outputs(), tensors, false, op.Place() + ": output"));
  TESSERA_ASSIGN(op.intermediates,
                 Indices(table.intermediates(), tensors, false, op.Place() + ": intermediate"));
  return op;
}

// The tables of one subgraph.
Result<TfliteModel> ReadSubgraph(const tflite_file::Model& file,
                                 const tflite_file::SubGraph& graph) {
  const size_t tensors = SizeOf(graph.tensors()), operators = SizeOf(graph.operators());
  if (operators == 0) return Fail(Code::kInvalidArgument, "the model has no operators");
  if (operators > kMaxOperators) {
    return Fail(Code::kOutOfRange, "the model has {} operators, at most {} are accepted", operators,
                kMaxOperators);
  }
  if (tensors > kMaxTensors) {
    return Fail(Code::kOutOfRange, "the model has {} tensors, at most {} are accepted", tensors,
                kMaxTensors);
  }
  TfliteModel model;
  model.name = NameFrom(graph.name());
  for (uint32_t i = 0; i < tensors; ++i) {
    TESSERA_ASSIGN(TfliteTensor tensor,
                   ReadTensor(file, *graph.tensors()->Get(i), static_cast<int>(i)));
    model.tensors.push_back(std::move(tensor));
  }
  for (uint32_t i = 0; i < operators; ++i) {
    TESSERA_ASSIGN(Operator op,
                   ReadOperator(file, *graph.operators()->Get(i), static_cast<int>(i), tensors));
    model.operators.push_back(std::move(op));
  }
  TESSERA_ASSIGN(model.inputs, Indices(graph.inputs(), tensors, false, "model input"));
  TESSERA_ASSIGN(model.outputs, Indices(graph.outputs(), tensors, false, "model output"));
  return model;
}

// Reads the first values that the subgraph of |op|, a CALL_ONCE, assigns to variables.
Status ReadFirstValues(const tflite_file::Model& file, const Operator& op, std::set<int>& called,
                       std::map<std::string, TfliteTensor>& first) {
  const auto* options = op.table->builtin_options_as<tflite_file::CallOnceOptions>();
  const int index = options ? options->init_subgraph_index() : -1;
  if (index < 1 || index >= static_cast<int>(file.subgraphs()->size())) {
    return Fail(Code::kInvalidArgument, "it calls subgraph {}, the model has {}", index,
                file.subgraphs()->size());
  }
  if (!called.insert(index).second) return {};
  TESSERA_ASSIGN(const TfliteModel graph,
                 ReadSubgraph(file, *file.subgraphs()->Get(static_cast<uint32_t>(index))));
  std::map<int, std::string> names;  // by tensor
  for (const Operator& one : graph.operators) {
    if (one.code == BuiltinOperator::VAR_HANDLE && one.outputs.size() == 1) {
      TESSERA_ASSIGN(names[one.outputs[0]], VariableName(one));
      continue;
    }
    const bool assigns = one.code == BuiltinOperator::ASSIGN_VARIABLE && one.inputs.size() == 2 &&
                         names.contains(one.inputs[0]) && one.inputs[1] >= 0;
    if (assigns && graph.tensors[static_cast<size_t>(one.inputs[1])].constant()) {
      first[names[one.inputs[0]]] = graph.tensors[static_cast<size_t>(one.inputs[1])];
      continue;
    }
    return Fail(Code::kUnsupported,
                "in subgraph {}, {}: constants that are put into variables are supported", index,
                one.Place());
  }
  return {};
}

}  // namespace

std::string TypeText(TensorType type) {
  const std::string name = tflite_file::EnumNameTensorType(type);
  return name.empty() ? fmt::format("type {}", static_cast<int>(type)) : name;
}

std::string TfliteTensor::Place() const { return fmt::format("tensor {} '{}'", index, name); }

Result<std::string> VariableName(const Operator& op) {
  const auto* options = op.table->builtin_options_as<tflite_file::VarHandleOptions>();
  if (!options)
    return Fail(Code::kInvalidArgument, "{}: its options are missing or another operator's",
                op.Place());
  return fmt::format("{}/{}", NameFrom(options->container()), NameFrom(options->shared_name()));
}

std::string Operator::Place() const { return fmt::format("operator {} ({})", index, type); }

bool LooksLikeTflite(std::span<const uint8_t> bytes) {
  return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, tflite_file::ModelIdentifier(), 4) == 0;
}

Result<TfliteModel> Parse(std::span<const uint8_t> bytes) {
  if (!LooksLikeTflite(bytes))
    return Fail(Code::kInvalidArgument, "is not a TFLite model: bytes 4 to 7 are not 'TFL3'");
  if (bytes.size() > kMaxBytes) {
    return Fail(Code::kOutOfRange, "has {} bytes, a TFLite model has at most {}", bytes.size(),
                kMaxBytes);
  }
  flatbuffers::Verifier::Options limits;
  limits.max_depth = 16;
  limits.max_tables = 1 << 19;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), limits);
  if (!tflite_file::VerifyModelBuffer(verifier)) {
    return Fail(Code::kInvalidArgument,
                "is not a TFLite model, or is truncated: a table or list lies outside of the file");
  }
  const tflite_file::Model& file = *tflite_file::GetModel(bytes.data());
  if (file.version() != kVersion) {
    return Fail(Code::kUnsupported,
                "is of version {} of the TFLite format; version {} is supported", file.version(),
                kVersion);
  }
  if (SizeOf(file.subgraphs()) == 0)
    return Fail(Code::kInvalidArgument, "the model has no subgraph");
  const tflite_file::SubGraph& graph = *file.subgraphs()->Get(0);
  TESSERA_ASSIGN(TfliteModel model, ReadSubgraph(file, graph));
  std::set<int> called;
  for (const Operator& op : model.operators) {
    if (op.code != BuiltinOperator::CALL_ONCE) continue;
    if (const Status read = ReadFirstValues(file, op, called, model.first); !read)
      return Within(op.Place(), read.error());
  }
  return model;
}

}  // namespace tessera::tflite_model
