// SPDX-License-Identifier: Apache-2.0
//
// ONNX models for the importer's tests, put together with the protobuf classes.
#ifndef TESSERA_TESTS_COMPILER_IMPORT_MODEL_BUILDER_H_
#define TESSERA_TESTS_COMPILER_IMPORT_MODEL_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace tessera {

class ModelBuilder {
 public:
  using Names = std::vector<std::string>;
  using Dims = std::vector<int64_t>;

  onnx::ModelProto model;

  ModelBuilder() {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    graph().set_name("test");
  }
  onnx::GraphProto& graph() { return *model.mutable_graph(); }
  onnx::NodeProto& node(const std::string& name) {
    for (auto& n : *graph().mutable_node()) {
      if (n.name() == name) return n;
    }
    throw std::out_of_range(name);
  }
  onnx::TensorProto& init(const std::string& name) {
    for (auto& t : *graph().mutable_initializer()) {
      if (t.name() == name) return t;
    }
    throw std::out_of_range(name);
  }

  void Input(const std::string& name, const Dims& dims, int type = onnx::TensorProto::FLOAT) {
    Describe(*graph().add_input(), name, dims, type);
  }
  void Output(const std::string& name) {
    Describe(*graph().add_output(), name, {}, onnx::TensorProto::FLOAT);
  }

  onnx::NodeProto& Node(const std::string& op, const Names& inputs, const Names& outputs,
                        const std::string& name = "") {
    onnx::NodeProto& n = *graph().add_node();
    n.set_op_type(op);
    n.set_name(name);
    for (const std::string& i : inputs) n.add_input(i);
    for (const std::string& o : outputs) n.add_output(o);
    return n;
  }

  void Floats(const std::string& name, const Dims& dims, const std::vector<float>& values) {
    onnx::TensorProto& t = Init(name, dims, onnx::TensorProto::FLOAT);
    for (const float v : values) t.add_float_data(v);
  }
  void Int8s(const std::string& name, const Dims& dims, const std::vector<int>& values,
             int type = onnx::TensorProto::INT8) {
    onnx::TensorProto& t = Init(name, dims, type);
    for (const int v : values) t.add_int32_data(v);
  }
  void Int32s(const std::string& name, const Dims& dims, const std::vector<int>& values) {
    Int8s(name, dims, values, onnx::TensorProto::INT32);
  }
  void Int64s(const std::string& name, const Dims& dims, const std::vector<int64_t>& values) {
    onnx::TensorProto& t = Init(name, dims, onnx::TensorProto::INT64);
    for (const int64_t v : values) t.add_int64_data(v);
  }

  // QuantizeLinear, DequantizeLinear: |out| = QDQ(|in|) through the integer value |out|_q. Scale
  // and zero point become |out|_s and |out|_z. |uint8|: the same real values as uint8, |zero| given
  // for int8.
  void Qdq(const std::string& in, const std::string& out, float scale, int zero) {
    Floats(out + "_s", {}, {scale});
    Int8s(out + "_z", {}, {uint8 ? zero + 128 : zero},
          uint8 ? onnx::TensorProto::UINT8 : onnx::TensorProto::INT8);
    Node("QuantizeLinear", {in, out + "_s", out + "_z"}, {out + "_q"}, out + "_quantize");
    Node("DequantizeLinear", {out + "_q", out + "_s", out + "_z"}, {out}, out + "_dequantize");
  }
  // A constant |name| = DQ(|name|_i) with one scale, or one for each index of |axis|.
  void Weights(const std::string& name, const Dims& dims, const std::vector<int>& values,
               const std::vector<float>& scales, int64_t axis = 0) {
    Int8s(name + "_i", dims, values);
    Scales(name, scales, axis, onnx::TensorProto::INT8);
  }
  void Bias(const std::string& name, const std::vector<int>& values,
            const std::vector<float>& scales) {
    Int32s(name + "_i", {static_cast<int64_t>(values.size())}, values);
    Scales(name, scales, 0, onnx::TensorProto::INT32);
  }

  static void Attr(onnx::NodeProto& n, const std::string& name, int64_t value) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(value);
  }
  static void Attr(onnx::NodeProto& n, const std::string& name, const Dims& values) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INTS);
    for (const int64_t v : values) a.add_ints(v);
  }
  static void AttrF(onnx::NodeProto& n, const std::string& name, float value) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(value);
  }
  static void AttrS(onnx::NodeProto& n, const std::string& name, const std::string& value) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(value);
  }

  std::vector<uint8_t> Bytes() const {
    const std::string text = model.SerializeAsString();
    return {text.begin(), text.end()};
  }

  bool uint8 = false;

 private:
  static void Describe(onnx::ValueInfoProto& value, const std::string& name, const Dims& dims,
                       int type) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    for (const int64_t d : dims) {
      auto& dim = *tensor.mutable_shape()->add_dim();
      if (d >= 0) {
        dim.set_dim_value(d);
      } else {
        dim.set_dim_param("batch");
      }
    }
  }
  onnx::TensorProto& Init(const std::string& name, const Dims& dims, int type) {
    onnx::TensorProto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (const int64_t d : dims) t.add_dims(d);
    return t;
  }
  void Scales(const std::string& name, const std::vector<float>& scales, int64_t axis, int type) {
    const bool one = scales.size() == 1;
    const Dims dims = one ? Dims{} : Dims{static_cast<int64_t>(scales.size())};
    Floats(name + "_s", dims, scales);
    Int8s(name + "_z", dims, std::vector<int>(scales.size()), type);
    onnx::NodeProto& n = Node("DequantizeLinear", {name + "_i", name + "_s", name + "_z"}, {name},
                              name + "_dequantize");
    if (!one) Attr(n, "axis", axis);
  }
};

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_IMPORT_MODEL_BUILDER_H_
