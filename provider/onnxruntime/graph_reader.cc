// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/graph_reader.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace tessera::ort {
namespace {

using onnx_model::Attribute;
using onnx_model::OnnxModel;
using onnx_model::OnnxNode;
using onnx_model::Value;

class Reader {
 public:
  explicit Reader(const Calls& calls) : calls_(calls) {}

  Result<ReadModel> Read(const OrtGraph* graph) {
    TESSERA_TRY(Header(graph));
    TESSERA_TRY(Initializers(graph));
    TESSERA_TRY(Edges(graph));
    TESSERA_ASSIGN(read_.nodes,
                   ListOf<OrtNode>(calls_, graph, calls_.Graph_GetNumNodes, calls_.Graph_GetNodes));
    for (size_t i = 0; i < read_.nodes.size(); ++i) TESSERA_TRY(Node(i));
    return std::move(read_);
  }

 private:
  using Values = std::vector<const OrtValueInfo*>;

  Status Header(const OrtGraph* graph) {
    const char* name = nullptr;
    TESSERA_TRY(Check(calls_, calls_.Graph_GetName(graph, &name)));
    read_.model.name = name;
    size_t count = 0;
    TESSERA_TRY(Check(calls_, calls_.Graph_GetNumOperatorSets(graph, &count)));
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    TESSERA_TRY(
        Check(calls_, calls_.Graph_GetOperatorSets(graph, domains.data(), versions.data(), count)));
    for (size_t i = 0; i < count; ++i) {
      const std::string_view domain = domains[i];
      if (domain.empty() || domain == "ai.onnx") read_.model.opset = versions[i];
    }
    return {};
  }

  Status Initializers(const OrtGraph* graph) {
    TESSERA_ASSIGN(const Values values,
                   ListOf<OrtValueInfo>(calls_, graph, calls_.Graph_GetNumInitializers,
                                        calls_.Graph_GetInitializers));
    for (const OrtValueInfo* value : values) {
      bool is_constant = false;
      TESSERA_TRY(Check(calls_, calls_.ValueInfo_IsConstantInitializer(value, &is_constant)));
      TESSERA_ASSIGN(const std::string name, Know(value));
      if (!is_constant) continue;  // a caller may give it another value: it is an input
      const OrtValue* tensor = nullptr;
      TESSERA_TRY(Check(calls_, calls_.ValueInfo_GetInitializerValue(value, &tensor)));
      // Only nodes that use an initializer of another type are left out.
      if (Result<HostTensor> copy = TensorOf(calls_, tensor); copy)
        read_.model.initializers.emplace(name, std::move(*copy));
    }
    return {};
  }

  Status Edges(const OrtGraph* graph) {
    TESSERA_ASSIGN(
        const Values inputs,
        ListOf<OrtValueInfo>(calls_, graph, calls_.Graph_GetNumInputs, calls_.Graph_GetInputs));
    for (const OrtValueInfo* value : inputs) {
      TESSERA_ASSIGN(const std::string name, Know(value));
      if (!read_.model.initializers.contains(name))
        read_.model.inputs.push_back(read_.values.at(name));
    }
    TESSERA_ASSIGN(
        const Values outputs,
        ListOf<OrtValueInfo>(calls_, graph, calls_.Graph_GetNumOutputs, calls_.Graph_GetOutputs));
    for (const OrtValueInfo* value : outputs) {
      TESSERA_ASSIGN(const std::string name, Know(value));
      read_.model.outputs.push_back(read_.values.at(name));
    }
    return {};
  }

  // Notes the type of |value|; returns its name.
  Result<std::string> Know(const OrtValueInfo* value) {
    TESSERA_ASSIGN(const std::string name, NameOf(calls_, value));
    if (name.empty() || read_.values.contains(name)) return name;
    Value& known = read_.values[name];
    known.name = name;
    const OrtTypeInfo* type = nullptr;
    TESSERA_TRY(Check(calls_, calls_.GetValueInfoTypeInfo(value, &type)));
    const OrtTensorTypeAndShapeInfo* info = nullptr;
    if (type != nullptr) TESSERA_TRY(Check(calls_, calls_.CastTypeInfoToTensorInfo(type, &info)));
    if (info == nullptr) return name;
    OrtElementType number = kOrtFloat;
    TESSERA_TRY(Check(calls_, calls_.GetTensorElementType(info, &number)));
    if (const Result<DType> dtype = TypeOf(number); dtype) known.dtype = *dtype;
    size_t rank = 0;
    TESSERA_TRY(Check(calls_, calls_.GetDimensionsCount(info, &rank)));
    known.shape.emplace(rank);
    TESSERA_TRY(Check(calls_, calls_.GetDimensions(info, known.shape->data(), rank)));
    return name;
  }

  Status Node(size_t index) {
    const OrtNode* node = read_.nodes[index];
    const char *type = nullptr, *domain = nullptr, *name = nullptr;
    TESSERA_TRY(Check(calls_, calls_.Node_GetOperatorType(node, &type)));
    TESSERA_TRY(Check(calls_, calls_.Node_GetDomain(node, &domain)));
    TESSERA_TRY(Check(calls_, calls_.Node_GetName(node, &name)));
    OnnxNode made{static_cast<int>(index), type, name, {}, {}, {}};
    const std::string_view in = domain;
    if (!in.empty() && in != "ai.onnx") made.op_type = std::string(in) + "." + made.op_type;
    for (const bool into : {true, false}) {
      TESSERA_ASSIGN(
          const Values values,
          into ? ListOf<OrtValueInfo>(calls_, node, calls_.Node_GetNumInputs, calls_.Node_GetInputs)
               : ListOf<OrtValueInfo>(calls_, node, calls_.Node_GetNumOutputs,
                                      calls_.Node_GetOutputs));
      for (const OrtValueInfo* value : values) {
        TESSERA_ASSIGN(std::string of, Know(value));
        (into ? made.inputs : made.outputs).push_back(std::move(of));
      }
    }
    TESSERA_ASSIGN(const Values captured,
                   ListOf<OrtValueInfo>(calls_, node, calls_.Node_GetNumImplicitInputs,
                                        calls_.Node_GetImplicitInputs));
    for (const OrtValueInfo* value : captured) {
      TESSERA_ASSIGN(std::string of, Know(value));
      read_.captured.insert(std::move(of));
    }
    size_t graphs = 0;
    TESSERA_TRY(Check(calls_, calls_.Node_GetNumSubgraphs(node, &graphs)));
    std::string why = graphs > 0 ? made.Place() + ": has sub-graphs" : "";
    if (why.empty()) {
      const Status attributes = Attributes(node, made);
      if (!attributes) why = made.Place() + ": " + attributes.error().message;
    }
    read_.unreadable.push_back(std::move(why));
    read_.model.nodes.push_back(std::move(made));
    return {};
  }

  Status Attributes(const OrtNode* node, OnnxNode& made) {
    TESSERA_ASSIGN(
        const auto attributes,
        ListOf<OrtOpAttr>(calls_, node, calls_.Node_GetNumAttributes, calls_.Node_GetAttributes));
    for (const OrtOpAttr* attribute : attributes) {
      const char* name = nullptr;
      TESSERA_TRY(Check(calls_, calls_.OpAttr_GetName(attribute, &name)));
      TESSERA_ASSIGN(made.attributes[name], One(attribute, name));
    }
    return {};
  }

  // The bytes of an attribute that is not a tensor.
  Result<std::vector<char>> Bytes(const OrtOpAttr* attribute, OrtAttributeType type) {
    size_t needed = 0;
    if (OrtStatus* refused = calls_.ReadOpAttr(attribute, type, nullptr, 0, &needed))
      calls_.ReleaseStatus(refused);  // it says how many it needs
    std::vector<char> bytes(needed);
    if (needed > 0)
      TESSERA_TRY(Check(calls_, calls_.ReadOpAttr(attribute, type, bytes.data(), needed, &needed)));
    return bytes;
  }

  template <typename T>
  static std::vector<T> As(const std::vector<char>& bytes) {
    std::vector<T> list(bytes.size() / sizeof(T));
    std::copy_n(bytes.data(), list.size() * sizeof(T), reinterpret_cast<char*>(list.data()));
    return list;
  }

  Result<Attribute> One(const OrtOpAttr* attribute, const char* name) {
    OrtAttributeType type = kOrtAttributeInt;
    TESSERA_TRY(Check(calls_, calls_.OpAttr_GetType(attribute, &type)));
    Attribute made;
    if (type == kOrtAttributeTensor) {
      OrtValue* value = nullptr;
      TESSERA_TRY(Check(calls_, calls_.OpAttr_GetTensorAttributeAsOrtValue(attribute, &value)));
      Result<HostTensor> tensor = TensorOf(calls_, value);
      calls_.ReleaseValue(value);
      if (!tensor) return Within(name, tensor.error());
      made.tensor = std::move(*tensor);
      return made;
    }
    if (type < kOrtAttributeInt || type > kOrtAttributeStrings)
      return Fail(Code::kUnsupported, "attribute {} is of type {}", name, static_cast<int>(type));
    TESSERA_ASSIGN(const std::vector<char> bytes, Bytes(attribute, type));
    if (type == kOrtAttributeInt && bytes.size() == sizeof(int64_t)) made.i = As<int64_t>(bytes)[0];
    if (type == kOrtAttributeInts) made.ints = As<int64_t>(bytes);
    if (type == kOrtAttributeFloat && bytes.size() == sizeof(float)) made.f = As<float>(bytes)[0];
    if (type == kOrtAttributeFloats) made.floats = As<float>(bytes);
    if (type == kOrtAttributeString) made.s = std::string(bytes.begin(), bytes.end());
    if (type == kOrtAttributeStrings) {
      for (auto at = bytes.begin(); at != bytes.end();) {
        const auto end = std::find(at, bytes.end(), '\0');
        made.strings.emplace_back(at, end);
        at = end == bytes.end() ? end : end + 1;
      }
    }
    return made;
  }

  const Calls& calls_;
  ReadModel read_;
};

}  // namespace

Result<ReadModel> ReadGraph(const Calls& calls, const OrtGraph* graph) {
  return Reader(calls).Read(graph);
}

OnnxModel PartOf(const ReadModel& whole, const std::vector<size_t>& nodes,
                 const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  const OnnxModel& from = whole.model;
  OnnxModel part{.name = from.name, .ir = from.ir, .opset = from.opset};
  std::set<std::string> made, needed, used = whole.captured;
  for (const size_t i : nodes) {
    part.nodes.push_back(from.nodes[i]);
    made.insert(from.nodes[i].outputs.begin(), from.nodes[i].outputs.end());
    needed.insert(from.nodes[i].inputs.begin(), from.nodes[i].inputs.end());
  }
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    if (!std::ranges::binary_search(nodes, i))
      used.insert(from.nodes[i].inputs.begin(), from.nodes[i].inputs.end());
  }
  for (const Value& value : from.outputs) used.insert(value.name);
  const auto known = [&](const std::string& name) {
    const auto it = whole.values.find(name);
    return it == whole.values.end() ? Value{name, std::nullopt, std::nullopt} : it->second;
  };
  for (const std::string& name : inputs) part.inputs.push_back(known(name));
  for (const std::string& name : outputs) part.outputs.push_back(known(name));
  for (const std::string& name : needed) {
    const auto constant = from.initializers.find(name);
    if (constant != from.initializers.end()) {
      part.initializers.insert(*constant);
    } else if (inputs.empty() && !name.empty() && !made.contains(name)) {
      part.inputs.push_back(known(name));
    }
  }
  for (const std::string& name : made) {
    if (outputs.empty() && !name.empty() && used.contains(name))
      part.outputs.push_back(known(name));
  }
  return part;
}

}  // namespace tessera::ort
