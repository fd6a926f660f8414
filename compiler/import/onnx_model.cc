// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_model.h"

#include <cstring>
#include <set>
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include "base/number.h"
#include "base/text.h"
#include "compiler/import/onnx_external.h"

namespace tessera::onnx_model {
namespace {

constexpr int64_t kMostInitializerElements = int64_t{1} << 29;  // of one initializer
constexpr int kMaxNodes = 1 << 14;  // later passes look at pairs of nodes

// Names are not shortened: they identify tensors. Two names that become equal are refused.
std::string NameFrom(const std::string& text) { return Legible(text, text.max_size()); }

std::optional<DType> TypeOf(int32_t onnx_type) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT:
      return DType::kFloat32;
    case onnx::TensorProto::FLOAT16:
      return DType::kFloat16;
    case onnx::TensorProto::INT8:
      return DType::kInt8;
    case onnx::TensorProto::UINT8:
      return DType::kUint8;
    case onnx::TensorProto::INT16:
      return DType::kInt16;
    case onnx::TensorProto::INT32:
      return DType::kInt32;
    case onnx::TensorProto::INT64:
      return DType::kInt64;
    case onnx::TensorProto::BOOL:
      return DType::kBool;
    default:
      return std::nullopt;
  }
}

// Copies the typed list |from| (one protobuf number per element) into |to| as T.
template <typename T, typename List>
bool CopyList(const List& from, HostTensor& to) {
  std::span<T> out = to.as<T>();
  if (static_cast<size_t>(from.size()) != out.size()) return false;
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(from.Get(static_cast<int>(i)));
  return true;
}

// Where external data of a tensor are.
struct ExternalPlace {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
Result<ExternalPlace> PlaceOf(const onnx::TensorProto& proto) {
  ExternalPlace place;
  for (const auto& entry : proto.external_data()) {
    const std::string& text = entry.value();
    if (entry.key() == "location") place.location = text;
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto number = NumberIn<uint64_t>(text);
    if (!number)
      return Fail(Code::kInvalidArgument, "the {} of its data in another file is '{}'", entry.key(),
                  Legible(text));
    if (entry.key() == "offset") place.offset = *number;
    if (entry.key() == "length") place.length = *number;
  }
  return place;
}

Result<HostTensor> ReadExternal(const onnx::TensorProto& proto, DType dtype,
                                std::vector<int64_t> shape, uint64_t bytes, ExternalFiles& files) {
  TESSERA_ASSIGN(const ExternalPlace place, PlaceOf(proto));
  if (place.length && *place.length != bytes)
    return Fail(Code::kDataLoss, "its data in another file are {} bytes, shape {} of {} takes {}",
                *place.length, ShapeText(shape), Text(dtype), bytes);
  TESSERA_ASSIGN(const std::span<const uint8_t> data,
                 files.Read(place.location, place.offset, bytes));
  return HostTensor{dtype, std::move(shape), {data.begin(), data.end()}};
}

Result<HostTensor> ReadTensor(const onnx::TensorProto& proto, const std::string& place,
                              ExternalFiles& files) {
  const std::optional<DType> dtype = TypeOf(proto.data_type());
  if (!dtype) {
    return Fail(
        Code::kUnsupported,
        "{}: element type {} (supported: float32, float16, int8, uint8, int32, int64, bool)", place,
        proto.data_type());
  }
  std::vector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  const Result<int64_t> count = ElementCount(shape, kMostInitializerElements);
  if (!count) return Within(place, count.error());
  const size_t raw = proto.has_raw_data() ? proto.raw_data().size() : 0;
  const size_t want = static_cast<size_t>(*count * SizeOf(*dtype));
  if (proto.data_location() == onnx::TensorProto::EXTERNAL || proto.external_data_size() > 0) {
    Result<HostTensor> tensor = ReadExternal(proto, *dtype, shape, want, files);
    if (!tensor) return Within(place, tensor.error());
    return tensor;
  }
  const auto mismatch = [&] {
    return Fail(Code::kDataLoss, "{}: its data do not fill shape {} of {}", place, ShapeText(shape),
                Text(*dtype));
  };
  if (proto.has_raw_data()) {
    if (raw != want) return mismatch();
    HostTensor tensor = HostTensor::Zeros(*dtype, shape);
    std::memcpy(tensor.bytes.data(), proto.raw_data().data(), raw);
    return tensor;
  }
  // A typed list stores one element per entry: compare its length before allocating memory.
  const int64_t given = proto.float_data_size() + proto.int32_data_size() + proto.int64_data_size();
  if (given != *count) return mismatch();
  HostTensor tensor = HostTensor::Zeros(*dtype, shape);
  bool ok = false;
  switch (*dtype) {
    case DType::kFloat32:
      ok = CopyList<float>(proto.float_data(), tensor);
      break;
    case DType::kInt64:
      ok = CopyList<int64_t>(proto.int64_data(), tensor);
      break;
    case DType::kInt32:
      ok = CopyList<int32_t>(proto.int32_data(), tensor);
      break;
    case DType::kInt16:
      ok = CopyList<int16_t>(proto.int32_data(), tensor);
      break;
    case DType::kInt8:
      ok = CopyList<int8_t>(proto.int32_data(), tensor);
      break;
    case DType::kFloat16:  // stored as bits
      ok = CopyList<uint16_t>(proto.int32_data(), tensor);
      break;
    case DType::kUint8:
    case DType::kBool:
      ok = CopyList<uint8_t>(proto.int32_data(), tensor);
      break;
  }
  if (!ok) return mismatch();
  return tensor;
}

Value ReadValue(const onnx::ValueInfoProto& proto) {
  Value value{NameFrom(proto.name()), std::nullopt, std::nullopt};
  if (!proto.type().has_tensor_type()) return value;
  const onnx::TypeProto::Tensor& type = proto.type().tensor_type();
  value.dtype = TypeOf(type.elem_type());
  if (!type.has_shape()) return value;
  value.shape.emplace();
  for (const auto& dim : type.shape().dim()) {
    value.shape->push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  }
  return value;
}

Result<OnnxNode> ReadNode(const onnx::NodeProto& proto, int index, ExternalFiles& files) {
  OnnxNode node{index, NameFrom(proto.op_type()), NameFrom(proto.name()), {}, {}, {}};
  for (const std::string& name : proto.input()) node.inputs.push_back(NameFrom(name));
  for (const std::string& name : proto.output()) node.outputs.push_back(NameFrom(name));
  if (!proto.domain().empty() && proto.domain() != "ai.onnx")
    node.op_type = NameFrom(proto.domain()) + "." + node.op_type;
  for (const onnx::AttributeProto& a : proto.attribute()) {
    Attribute attribute;
    if (a.has_g() || a.graphs_size() > 0) {
      return Fail(Code::kUnsupported, "{}: sub-graphs (attribute {}) are not supported",
                  node.Place(), a.name());
    }
    if (a.has_i()) attribute.i = a.i();
    if (a.has_f()) attribute.f = a.f();
    if (a.has_s()) attribute.s = a.s();
    attribute.ints.assign(a.ints().begin(), a.ints().end());
    attribute.floats.assign(a.floats().begin(), a.floats().end());
    attribute.strings.assign(a.strings().begin(), a.strings().end());
    if (a.has_t()) {
      TESSERA_ASSIGN(attribute.tensor,
                     ReadTensor(a.t(), node.Place() + " attribute " + a.name(), files));
    }
    node.attributes[a.name()] = std::move(attribute);
  }
  return node;
}

// Checks that every value has one maker: an input, an initializer or a node. |model| has all three.
Status CheckNames(const OnnxModel& model) {
  std::set<std::string_view> made;
  const auto add = [&](const std::string& name, const std::string& place) -> Status {
    if (name.empty()) return Fail(Code::kInvalidArgument, "{} has no name", place);
    if (!made.insert(name).second)
      return Fail(Code::kInvalidArgument, "{} '{}' is there twice", place, name);
    return {};
  };
  for (const auto& [name, tensor] : model.initializers) TESSERA_TRY(add(name, "initializer"));
  for (const Value& value : model.inputs) TESSERA_TRY(add(value.name, "input"));
  for (const OnnxNode& node : model.nodes) {
    if (node.outputs.empty())
      return Fail(Code::kInvalidArgument, "{}: has no outputs", node.Place());
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (i > 0 && node.outputs[i].empty()) continue;  // an optional output that is not used
      TESSERA_TRY(add(node.outputs[i], node.Place() + ": output"));
    }
  }
  return {};
}

}  // namespace

std::string OnnxNode::Place() const {
  return name.empty() ? fmt::format("node {} ({})", index, op_type)
                      : fmt::format("node {} ({} '{}')", index, op_type, name);
}

int64_t OnnxNode::IntOr(const std::string& attribute, int64_t otherwise) const {
  const auto it = attributes.find(attribute);
  return it == attributes.end() ? otherwise : it->second.i.value_or(otherwise);
}

std::vector<int64_t> OnnxNode::Ints(const std::string& attribute) const {
  const auto it = attributes.find(attribute);
  return it == attributes.end() ? std::vector<int64_t>{} : it->second.ints;
}

Result<OnnxModel> Parse(std::span<const uint8_t> bytes, const std::string& folder) {
  ExternalFiles files(folder);
  onnx::ModelProto proto;
  if (bytes.size() > 0x7fffffff ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Fail(Code::kInvalidArgument, "is not an ONNX model, or is truncated");
  }
  if (!proto.has_graph() || proto.graph().node_size() == 0) {
    return Fail(Code::kInvalidArgument, "is not an ONNX model: it has no graph with nodes");
  }
  const onnx::GraphProto& graph = proto.graph();
  if (graph.node_size() > kMaxNodes) {
    return Fail(Code::kOutOfRange, "the model has {} nodes, at most {} are accepted",
                graph.node_size(), kMaxNodes);
  }
  OnnxModel model;
  model.name = NameFrom(graph.name());
  model.ir = proto.ir_version();
  for (const auto& opset : proto.opset_import()) {
    if (opset.domain().empty() || opset.domain() == "ai.onnx") model.opset = opset.version();
  }
  for (const onnx::TensorProto& t : graph.initializer()) {
    const std::string name = NameFrom(t.name());
    TESSERA_ASSIGN(HostTensor tensor, ReadTensor(t, fmt::format("initializer '{}'", name), files));
    if (!model.initializers.emplace(name, std::move(tensor)).second) {
      return Fail(Code::kInvalidArgument, "initializer '{}' is there twice", name);
    }
  }
  int index = 0;
  for (const onnx::NodeProto& n : graph.node()) {
    TESSERA_ASSIGN(OnnxNode node, ReadNode(n, index++, files));
    model.nodes.push_back(std::move(node));
  }
  for (const auto& value : graph.input()) {
    if (!model.initializers.contains(NameFrom(value.name())))
      model.inputs.push_back(ReadValue(value));
  }
  for (const auto& value : graph.output()) model.outputs.push_back(ReadValue(value));
  TESSERA_TRY(CheckNames(model));
  return model;
}

}  // namespace tessera::onnx_model
