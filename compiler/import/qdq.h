// SPDX-License-Identifier: Apache-2.0
//
// Converts an ONNX file to a graph, node by node. An operator between DequantizeLinear and
// QuantizeLinear becomes one integer node; Relu and Clip in front of the QuantizeLinear become its
// bounds. Every other operator works on plain values: a dequantised value becomes a float tensor
// the first time that such an operator reads it. A node whose operands are all constants is
// computed at once from its operator's definition, and its result is a constant like those of the
// file. Used by: onnx.cc, and the operators' rows in compiler/ops.
#ifndef TESSERA_COMPILER_IMPORT_QDQ_H_
#define TESSERA_COMPILER_IMPORT_QDQ_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/onnx_model.h"
#include "compiler/import/options.h"

namespace tessera::onnx_model {

class QdqConverter {
 public:
  QdqConverter(const OnnxModel& model, const ImportOptions& options)
      : model_(model), options_(options) {}
  Result<graph::Graph> Convert();
  // After the conversion: the constants that the converter computed, which the file does not have.
  const std::map<std::string, HostTensor>& computed() const { return computed_; }

  // Functions that the operators' rows use (compiler/ops).

  // The end of a float result: through activations into QuantizeLinear.
  struct Sink {
    graph::Quant quant;
    int32_t lo = -128, hi = 127;
    std::vector<std::string> quantized;  // outputs of the QuantizeLinear nodes
  };

  // Whether the current node works on plain values (graph::OnnxRow).
  bool real() const { return real_; }
  int64_t opset() const { return model_.opset; }
  const graph::GraphTensor& tensor(graph::TensorId id) const { return graph_.tensor(id); }
  // The constant |name|, from the file or computed; null if |name| is not a constant.
  const HostTensor* Initializer(const std::string& name) const;
  // The shape of input |index| if it is a constant; also for integers behind DequantizeLinear.
  std::optional<graph::Shape> ConstantShape(const OnnxNode& node, size_t index) const;
  // Whether input |index| is present.
  static bool Has(const OnnxNode& node, size_t index) {
    return index < node.inputs.size() && !node.inputs[index].empty();
  }
  // The integers of input |index|, a constant.
  Result<std::vector<int64_t>> Integers(const OnnxNode& node, size_t index) const;
  // The single number of input |index|, a constant.
  Result<double> Number(const OnnxNode& node, size_t index) const;
  // The shape of value |name|, an activation or a constant.
  Result<graph::Shape> ShapeOf(const OnnxNode& node, const std::string& name) const;
  // Input |index|: an int8 activation, or plain values, constant or not.
  Result<graph::TensorId> Operand(const OnnxNode& node, size_t index);
  // Input |index| as plain values, also if the node works on integers.
  Result<graph::TensorId> Plain(const OnnxNode& node, size_t index);
  Result<graph::TensorId> AddConstant(const OnnxNode& node, graph::GraphTensor tensor);
  // Value |name| of the file is |id|, or represents the integers of |id|.
  void SetReal(const std::string& name, graph::TensorId id);
  void SetPlain(const std::string& name, graph::TensorId id);
  // Value |name| of the file is a constant.
  Status SetConstant(const OnnxNode& node, const std::string& name, HostTensor value);

  // The QuantizeLinear nodes behind |node|, and the activations in between, which are folded in.
  Result<Sink> Follow(const OnnxNode& node);
  // Bounds |sink| by |node|, a Relu or Clip.
  Status Bound(const OnnxNode& node, const graph::Quant& quant, Sink& sink) const;
  // The bounds of |node|, a Relu or Clip.
  struct Limits {
    std::optional<float> least, most;
  };
  Result<Limits> ReadLimits(const OnnxNode& node) const;
  // Adds |made| to the graph, with a result of |shape|. Emit makes an int8 tensor called |name|;
  // EmitSink makes the tensor that a known Sink of |from| receives; EmitInto finds that Sink
  // itself. EmitReal keeps the scale of the first operand; its result is a float value in the file.
  // For a node on plain values each makes a tensor of |dtype|, or by default of the type that the
  // operator gives for its first operand. A node of constants is computed instead.
  Result<graph::TensorId> Emit(graph::Node made, const OnnxNode& from,
                               const std::optional<graph::Quant>& quant, std::vector<int64_t> shape,
                               const std::string& name, std::optional<DType> dtype = {});
  // Result |index| of |from|.
  Status EmitPlain(graph::Node made, const OnnxNode& from, DType dtype, std::vector<int64_t> shape,
                   size_t index = 0);
  Status EmitInto(graph::Node made, const OnnxNode& from, std::vector<int64_t> shape);
  Status EmitSink(graph::Node made, const OnnxNode& from, const Sink& sink,
                  std::vector<int64_t> shape);
  Status EmitReal(graph::Node made, const OnnxNode& from, std::vector<int64_t> shape);
  // Like EmitInto; the result of |shape| is reshaped to |as|, which has as many elements.
  Status EmitReshaped(graph::Node made, const OnnxNode& from, const std::vector<int64_t>& shape,
                      std::vector<int64_t> as);
  // Like EmitInto; |shape| has four axes, which become [N, C, L] if |rank| is 3.
  Status EmitSpatial(graph::Node made, const OnnxNode& from, size_t rank,
                     const std::vector<int64_t>& shape);

  // Operands of one kind (qdq_operand.cc).
  Result<graph::TensorId> Weights(const OnnxNode& node, size_t rank);
  // Weights with their first two axes exchanged.
  Result<graph::TensorId> SwapAxes(const OnnxNode& node, graph::TensorId weights);
  // The axis along which |weights| have scales; -1 if they have one scale.
  int ScaleAxis(graph::TensorId weights) const;
  Result<graph::TensorId> Bias(const OnnxNode& node, size_t index, const graph::GraphTensor& x,
                               const graph::GraphTensor& w);
  Result<graph::Window> ReadWindow(const OnnxNode& node, const std::vector<int64_t>& shape,
                                   std::vector<int64_t> kernel);
  Result<graph::TensorId> Spatial4(const OnnxNode& node, graph::TensorId x);

  // Scales (qdq_quant.cc).
  Status Quantize(const OnnxNode& node);
  Status Dequantize(const OnnxNode& node);

 private:
  // Scales and zero points from the file, and the type of the integers if the file gives it.
  struct Scales {
    graph::Quant quant;
    std::optional<DType> type;
  };

  // Walk (qdq.cc, qdq_float.cc).
  Status Inputs();
  Status Outputs();
  Status One(const OnnxNode& node);
  Status Known(const Value& value);
  Status CheckOperators() const;
  Result<graph::TensorId> FloatWeights(const OnnxNode& node, size_t rank);
  Result<graph::TensorId> FloatBias(const OnnxNode& node, size_t index, int64_t channels);
  bool IsReal(const OnnxNode& node, const graph::OnnxRow& row) const;
  bool IsQuantised(const OnnxNode& node) const;  // whether Follow finds a QuantizeLinear
  // The plain values |name|; if the file holds integers, they are converted to floats.
  Result<graph::TensorId> PlainValue(const OnnxNode& node, const std::string& name);
  void MakeNamesUnique();

  // Scales (qdq_quant.cc).
  Result<Scales> ReadScales(const OnnxNode& node) const;
  Result<graph::Quant> ActivationQuant(const OnnxNode& node,
                                       bool* is_unsigned) const;  // of a QuantizeLinear
  Status QuantisedFrom(const OnnxNode& node, const std::string& name, const Scales& scales);
  Status DequantizeConstant(const OnnxNode& node, const HostTensor& constant, Scales scales);

  const OnnxModel& model_;
  const ImportOptions& options_;
  graph::Graph graph_;
  std::map<std::string, graph::TensorId> ints_;   // integer values by name
  std::map<std::string, graph::TensorId> reals_;  // float values that stand for an integer tensor
  std::map<std::string, graph::TensorId> plain_;  // values that are tensors of plain values
  std::map<std::string, HostTensor> computed_;    // constants that the file does not have
  bool real_ = false;
  bool whole_ = false;  // the current node moves integers, without their scales
  std::map<std::string, std::vector<const OnnxNode*>> users_;
  std::set<const OnnxNode*> done_;  // activations and QuantizeLinear nodes folded into an operator
  std::set<std::string> unsigned_;  // integer values that are uint8 in the file
  uint64_t constant_bytes_ = 0;
};

// Rows of ONNX operators that only make constants (onnx_constants.cc).
std::span<const graph::OnnxRow> ConstantRows();
// The row of the ONNX operator |type|; null if it is not supported.
const graph::OnnxRow* RowOf(std::string_view type);

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_QDQ_H_
