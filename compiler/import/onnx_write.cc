// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_write.h"

#include <algorithm>
#include <set>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include "base/check.h"

namespace tessera::onnx_model {
namespace {

int32_t NumberOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return onnx::TensorProto::FLOAT;
    case DType::kFloat16:
      return onnx::TensorProto::FLOAT16;
    case DType::kInt8:
      return onnx::TensorProto::INT8;
    case DType::kUint8:
      return onnx::TensorProto::UINT8;
    case DType::kInt16:
      return onnx::TensorProto::INT16;
    case DType::kInt32:
      return onnx::TensorProto::INT32;
    case DType::kInt64:
      return onnx::TensorProto::INT64;
    case DType::kBool:
      return onnx::TensorProto::BOOL;
  }
  TESSERA_CHECK(false);
}

void WriteTensor(const std::string& name, const HostTensor& tensor, onnx::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(NumberOf(tensor.dtype));
  for (const int64_t extent : tensor.shape) proto.add_dims(extent);
  proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
}

void WriteAttribute(const std::string& name, const Attribute& from, onnx::AttributeProto& proto) {
  proto.set_name(name);
  if (from.tensor) {
    proto.set_type(onnx::AttributeProto::TENSOR);
    WriteTensor("", *from.tensor, *proto.mutable_t());
  } else if (from.s) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(*from.s);
  } else if (from.f) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(*from.f);
  } else if (from.i) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(*from.i);
  } else if (!from.strings.empty()) {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : from.strings) proto.add_strings(value);
  } else if (!from.floats.empty()) {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : from.floats) proto.add_floats(value);
  } else {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const int64_t value : from.ints) proto.add_ints(value);
  }
}

void WriteValue(const Value& value, onnx::ValueInfoProto& proto) {
  proto.set_name(value.name);
  if (!value.dtype) return;
  auto& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(NumberOf(*value.dtype));
  if (!value.shape) return;
  auto& shape = *type.mutable_shape();
  for (const int64_t extent : *value.shape) {
    auto& dim = *shape.add_dim();
    if (extent >= 0) dim.set_dim_value(extent);
  }
}

}  // namespace

std::vector<uint8_t> Write(const OnnxModel& model) {
  constexpr int64_t kLeastIr = 4;  // first IR version where an initializer need not be an input
  onnx::ModelProto proto;
  proto.set_ir_version(std::max(model.ir, kLeastIr));
  proto.set_producer_name("tessera");
  proto.add_opset_import()->set_version(model.opset);
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.set_name(model.name);
  for (const Value& value : model.inputs) WriteValue(value, *graph.add_input());
  for (const Value& value : model.outputs) WriteValue(value, *graph.add_output());
  for (const auto& [name, tensor] : model.initializers)
    WriteTensor(name, tensor, *graph.add_initializer());
  std::set<std::string> domains;
  for (const OnnxNode& node : model.nodes) {
    onnx::NodeProto& made = *graph.add_node();
    const size_t dot = node.op_type.rfind('.');
    made.set_op_type(dot == std::string::npos ? node.op_type : node.op_type.substr(dot + 1));
    if (dot != std::string::npos) {
      made.set_domain(node.op_type.substr(0, dot));
      domains.insert(made.domain());
    }
    made.set_name(node.name);
    for (const std::string& name : node.inputs) made.add_input(name);
    for (const std::string& name : node.outputs) made.add_output(name);
    for (const auto& [name, attribute] : node.attributes)
      WriteAttribute(name, attribute, *made.add_attribute());
  }
  for (const std::string& domain : domains) {
    auto& opset = *proto.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(1);
  }
  std::vector<uint8_t> bytes(proto.ByteSizeLong());
  TESSERA_CHECK(proto.SerializeToArray(bytes.data(), static_cast<int>(bytes.size())));
  return bytes;
}

}  // namespace tessera::onnx_model
