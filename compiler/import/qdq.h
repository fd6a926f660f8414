// SPDX-License-Identifier: Apache-2.0
//
// The walk from ONNX's quantise/dequantise pairs to integer operators. An operator between
// DequantizeLinear and QuantizeLinear becomes one integer node; Relu and Clip in front of the
// QuantizeLinear become its bounds. Internal to compiler/import.
#ifndef TESSERA_COMPILER_IMPORT_QDQ_H_
#define TESSERA_COMPILER_IMPORT_QDQ_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/onnx_model.h"

namespace tessera::onnx_model {

class QdqConverter {
 public:
  explicit QdqConverter(const Model& model) : model_(model) {}
  Result<graph::Graph> Convert();

 private:
  // Where a float result goes: through activations into QuantizeLinear.
  struct Sink {
    graph::Quant quant;
    int32_t lo = -128, hi = 127;
    std::vector<std::string> quantized;  // outputs of the QuantizeLinear nodes
  };
  // Scales and zero points as the file has them, and the type it gives the integers, if it does.
  struct Scales {
    graph::Quant quant;
    std::optional<DType> type;
  };

  // Walk (qdq.cc).
  Status Inputs();
  Status Outputs();
  Status One(const Node& node);
  Result<Sink> Follow(const Node& node);
  Status Bound(const Node& node, const graph::Quant& quant, Sink& sink) const;
  Result<graph::TensorId> Operand(const Node& node, size_t index);  // an int8 activation
  const HostTensor* Initializer(const std::string& name) const;
  Result<graph::TensorId> AddConstant(const Node& node, graph::Tensor tensor);
  Result<graph::TensorId> Emit(graph::Node made, const Node& from, const graph::Quant& quant,
                               std::vector<int64_t> shape, const std::string& name);
  Status EmitInto(graph::Node made, const Node& from, std::vector<int64_t> shape);
  Status EmitSink(graph::Node made, const Node& from, const Sink& sink, std::vector<int64_t> shape);
  void MakeNamesUnique();

  // Scales (qdq_quant.cc).
  Status Quantize(const Node& node);
  Status Dequantize(const Node& node);
  Result<Scales> ReadScales(const Node& node) const;
  Result<graph::Quant> ActivationQuant(const Node& node,
                                       bool* is_unsigned) const;  // of a QuantizeLinear
  Status DequantizeConstant(const Node& node, const HostTensor& constant, Scales scales);

  // Operators (qdq_ops.cc, qdq_shape.cc).
  Status Conv(const Node& node);
  Status Dense(const Node& node);  // Gemm, MatMul
  Status Add(const Node& node);    // Add, Mul
  Status Pool(const Node& node);
  Status Reshape(const Node& node);
  Result<std::vector<int64_t>> NewShape(const Node& node, const std::vector<int64_t>& in) const;
  Status Activation(const Node& node);
  Result<graph::TensorId> Weights(const Node& node, size_t rank);
  Result<graph::TensorId> Bias(const Node& node, size_t index, const graph::Tensor& x,
                               const graph::Tensor& w);
  Result<graph::Window> ReadWindow(const Node& node, const std::vector<int64_t>& shape,
                                   std::vector<int64_t> kernel);
  Result<graph::TensorId> Spatial4(const Node& node, graph::TensorId x);

  const Model& model_;
  graph::Graph graph_;
  std::map<std::string, graph::TensorId> ints_;   // integer values by name
  std::map<std::string, graph::TensorId> reals_;  // float values that stand for an integer tensor
  std::map<std::string, std::vector<const Node*>> users_;
  std::set<const Node*>
      done_;  // activations and QuantizeLinear nodes that an operator has taken in
  std::set<std::string> unsigned_;  // integer values that the file has as uint8
  uint64_t constant_bytes_ = 0;
};

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_QDQ_H_
