// SPDX-License-Identifier: Apache-2.0
//
// Converts the operators of a .tflite file to nodes of a graph: one or a few nodes for each, and
// layouts from NHWC to NCHW. The node that makes an operator's result is named after the operator
// ("conv_2d_3"); the nodes before it have a suffix. Uint8 values with a scale are int8 in the
// graph, minus 128, except at the model's inputs and outputs; int16 values ("16x8") stay int16. A
// node of constants is computed, and its result is a constant. Used by: tflite.cc, and the
// operators' rows in compiler/ops.
#ifndef TESSERA_COMPILER_IMPORT_TFLITE_CONVERT_H_
#define TESSERA_COMPILER_IMPORT_TFLITE_CONVERT_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/options.h"
#include "compiler/import/tflite_model.h"

namespace tessera::tflite_model {

using graph::Shape;

class Converter {
 public:
  Converter(TfliteModel model, const ImportOptions& the_options)
      : options(the_options), model_(std::move(model)), made_(model_.tensors.size(), -1) {}
  Result<graph::Graph> Convert();

  const ImportOptions options;

  // Functions that the operators' rows use (compiler/ops): the current operator op(), its operands
  // and results, the graph under construction. |i| counts the operator's inputs.

  const Operator& op() const { return *op_; }
  // Whether the operator's result is plain: floats, or integers without a scale.
  bool real() const;
  // Selects the result that is made next, Out(). Initially the first.
  void Select(size_t result) { result_ = result; }
  const graph::GraphTensor& tensor(graph::TensorId id) const { return graph_.tensor(id); }

  template <typename... Args>
  std::unexpected<Error> Invalid(fmt::format_string<Args...> format, Args&&... args) const {
    return Within(op_->Place(),
                  Fail(Code::kInvalidArgument, format, std::forward<Args>(args)...).error());
  }
  template <typename... Args>
  std::unexpected<Error> Unsupported(fmt::format_string<Args...> format, Args&&... args) const {
    return Within(op_->Place(),
                  Fail(Code::kUnsupported, format, std::forward<Args>(args)...).error());
  }

  // Operands and results (tflite_operand.cc).
  bool Has(size_t i) const { return i < op_->inputs.size() && op_->inputs[i] >= 0; }
  Result<const TfliteTensor*> In(size_t i) const;
  const TfliteTensor& Out() const {
    return model_.tensors[static_cast<size_t>(op_->outputs[result_])];
  }
  // Input |i|; a constant becomes a tensor of the graph.
  Result<graph::TensorId> Operand(size_t i);
  // Input |i|, which must have |type|; INT8 stands for every quantised type. By default |type| is
  // that of the result, or INT8 if the result is quantised.
  Result<graph::TensorId> Activation(size_t i, std::optional<TensorType> type = {});
  Result<graph::TensorId> Spatial(size_t i = 0);  // an image
  // A short constant of int32 or int64, from the file or computed.
  Result<std::vector<int64_t>> Integers(size_t i) const;
  // Whether input |i| is a constant, from the file or computed.
  bool Known(size_t i) const;
  // Input |i|, a constant, with its elements repeated to |shape| (in file order).
  Result<graph::TensorId> FullConstant(size_t i, const Shape& shape);
  Status Reserve(size_t bytes);  // call before making a constant of |bytes|
  Result<graph::TensorId> Constant(graph::GraphTensor made);
  Result<const TfliteTensor*> Intermediate(size_t k) const;
  // Without |quant| the result has |dtype|, or else the type of the first operand.
  Result<graph::TensorId> Emit(graph::Node made, const std::string& suffix,
                               const std::optional<graph::Quant>& quant, Shape shape,
                               std::optional<DType> dtype = {});
  // The operator's result is the constant |bytes|, in the file's order.
  Status FinishValue(const Shape& file, std::vector<uint8_t> bytes);
  // Makes input 0, a constant of floats, the operator's result, converted to the result's type.
  Status FinishConstant();
  // Makes the operator's result. Both round as TFLite does, unless a node asks for kHalfUp.
  Status Finish(graph::Node made, Shape shape);
  template <typename T>
  Result<const T*> Options() const {
    const T* found = op_->table->template builtin_options_as<T>();
    if (!found) return Invalid("its options are missing or another operator's");
    return found;
  }

  // Scales and bounds (tflite_quant.cc).
  static constexpr int kAnyAxis = -2;
  Result<graph::Quant> ReadQuant(const TfliteTensor& tensor, int64_t channels, int axis) const;
  Result<graph::Quant> ActivationQuant(const TfliteTensor& tensor) const;
  Result<std::optional<graph::Quant>> ResultQuant() const;  // nothing for plain values
  Status SameScale(graph::TensorId x) const;                // |x| has the result's scale
  // Checks that a quantised result has |scale| and |zero|, the only ones its kernel supports; an
  // int16 result must have 2^-15 and 0.
  Status ResultHas(double scale, int32_t zero) const;
  std::unexpected<Error> UnknownActivation(tflite_file::ActivationFunctionType function) const;
  Status Bound(tflite_file::ActivationFunctionType function, graph::Node& node) const;

  // Layouts (tflite_shape.cc). "File order" is row-major NHWC.
  // Checks |shape|, in file order, against the shape that the file gives for the result, if any.
  Status ShapeIs(const Shape& shape);
  // |x| with its elements in file order; its shape is that of |x| or of the file. |prefix| precedes
  // the suffix in the names of the nodes made here.
  Result<graph::TensorId> ToFileOrder(graph::TensorId x, const std::string& prefix = "");
  // |x|, whose elements are in file order, as a graph tensor whose shape in file order is |file|.
  Result<graph::TensorId> ToGraphOrder(graph::TensorId x, const Shape& file,
                                       const std::string& prefix = "");
  // Input |i|, of any type, with its shape and order of the file.
  Result<graph::TensorId> InFileOrder(size_t i);
  // |x|, from ToFileOrder, reshaped to |file|; elements stay in file order.
  Result<graph::TensorId> Shaped(graph::TensorId x, const Shape& file, const std::string& suffix);
  Status FinishFromFileOrder(graph::TensorId x);
  // Makes |x| the operator's result. |file| is the shape of |x| in file order.
  Status FinishAs(graph::TensorId x, const Shape& file);
  // Input |i|, of any type, with extents of 1 added in front up to |rank|.
  Result<graph::TensorId> Raised(size_t i, size_t rank);
  // Input |i| as an operand that broadcasts to a result of |shape| (in file order). Constants and
  // quantised values are repeated here; plain values broadcast by themselves.
  Result<graph::TensorId> Beside(size_t i, const Shape& shape);
  Status ReshapeTo(const Shape& shape);

  // Variables (tflite_variables.cc): a variable that the model only reads becomes a constant, every
  // other one a state of the graph.
  // The operators CALL_ONCE, VAR_HANDLE, READ_VARIABLE and ASSIGN_VARIABLE.
  Status CallOnce();
  Status VarHandle();
  Status ReadVariable();
  Status AssignVariable();
  // StateNow: the current value of input |i|, a variable tensor; with |plain| as plain integers.
  // SetState: its value from here on.
  Result<graph::TensorId> StateNow(size_t i, bool plain = false);
  Status SetState(size_t i, graph::TensorId x);

  // Weights and windows (tflite_weights.cc, tflite_window.cc).
  Result<graph::TensorId> Weights(size_t rank, int channel_axis);
  Status AddBias(graph::Node& node, size_t i = 2);  // takes input |i| if present
  Status AddFloatBias(graph::Node& node, const TfliteTensor& from);
  Status CheckBiasScale(const graph::Node& node, const TfliteTensor& from);
  Result<graph::Window> ReadWindow(const Shape& in, tflite_file::Padding padding,
                                   graph::Window window) const;
  // For each axis of input 0 of a reduction: whether input 1 lists it.
  Result<std::vector<bool>> ReducedAxes() const;
  // Input 0 as an image for a reduction along the axes that input 1 lists; the whole image is
  // reduced. FinishReduction takes the result, an image whose extents are 1.
  Result<graph::TensorId> ReducedImage();
  Status FinishReduction(graph::Node made);

 private:
  // Walk (tflite_convert.cc), inputs and outputs of the model (tflite_edges.cc).
  Status CheckOperators() const;
  Status Inputs();
  Status Outputs();
  // |id| as an output of the model: a copy named |name| if the tensor has another use.
  graph::TensorId OwnOutput(graph::TensorId id, const std::string& name, bool is_unsigned);
  struct Variable;
  Status FindVariables();
  Result<Variable*> VariableOf(size_t i);  // the one that input |i|, a handle, names
  Status Assign(Variable& variable, graph::TensorId x);
  void States();  // of variables that are read before they are assigned
  // The constant |from| as a tensor of the graph.
  Result<graph::GraphTensor> ConstantOf(const TfliteTensor& from) const;
  Result<Shape> InputShape(const TfliteTensor& from, const std::string& place) const;
  Status One(const Operator& op);
  Status CentreWeights(const TfliteTensor& from, graph::GraphTensor& made) const;
  // Adds |made|, whose result is |result|; a node of constants is computed instead.
  Result<graph::TensorId> Append(graph::Node made, graph::GraphTensor result);
  TfliteTensor& OutTensor() { return model_.tensors[static_cast<size_t>(op_->outputs[result_])]; }
  // The elements of |tensor|, a constant of floats or dequantised from one, as |type|, in file
  // order; nothing for any other tensor.
  std::optional<std::vector<uint8_t>> ConstantFloats(const TfliteTensor& tensor, DType type) const;
  void MakeNamesUnique();

  TfliteModel model_;  // open extents of results are filled in during the walk
  graph::Graph graph_;
  const Operator* op_ = nullptr;  // the current one
  size_t result_ = 0;
  // By tensor of the file: the graph's tensor for it; -1 if not made yet.
  std::vector<graph::TensorId> made_;
  std::map<int, int> dequantised_;  // tensor -> the constant that it dequantises
  std::map<std::pair<int, int>, graph::TensorId> constants_;  // by tensor and channel axis
  uint64_t constant_bytes_ = 0;

  struct Variable {
    std::string place;         // for messages
    bool assigned = false;     // somewhere in the model
    graph::TensorId now = -1;  // what it holds; -1: not known yet
    // Its value before the model runs, row-major, where that is an input of the graph.
    std::optional<std::vector<uint8_t>> first;
  };
  std::map<std::string, Variable>
      variables_;  // by VariableName, or "#" and the index of a variable tensor
  std::map<int, std::string> handles_;  // by tensor
  std::vector<Variable*> states_;       // in the order of the graph's states
};

// The shape, axis or bytes of a file's tensor in the graph's layout: four axes become NCHW, other
// ranks stay.
std::vector<int64_t> GraphShape(const std::vector<int64_t>& file);
std::vector<int64_t> FileShape(const std::vector<int64_t>& graph);
int GraphAxis(size_t rank, int axis);
std::vector<uint8_t> GraphBytes(std::span<const uint8_t> bytes, const std::vector<int64_t>& file,
                                size_t size = 1);  // bytes of an element
// The graph's float type; nothing if |type| is not a float type.
std::optional<DType> FloatType(TensorType type);
// Whether the integers of |tensor| stand for real numbers, and the graph's type for such integers.
bool IsQuantised(const TfliteTensor& tensor);
DType QuantisedType(const TfliteTensor& tensor);
// The graph's type of plain values; nothing if |tensor| is quantised or its type is not supported.
std::optional<DType> PlainType(const TfliteTensor& tensor);

}  // namespace tessera::tflite_model

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_CONVERT_H_
