// SPDX-License-Identifier: Apache-2.0
//
// The walk from a .tflite file's operators to a graph's: one or a few nodes for each, layouts from
// NHWC to NCHW. The node that makes an operator's result is named by the operator ("conv_2d_3");
// those in front of it and between have a suffix. Uint8 values with a scale are int8 in the graph,
// less by 128, but for the model's inputs and outputs; int16 ones ("16x8") stay int16. A node of
// constants is computed, and its result is a constant. Used by: tflite.cc, and the operators' rows
// in compiler/ops.
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

  // What an operator's row works with (compiler/ops): the operator op(), its operands and result,
  // the graph that grows. |i| counts the operator's inputs.

  const Operator& op() const { return *op_; }
  // Whether its result is plain: floats, or integers without a scale.
  bool real() const;
  // Which of its results is made next: Out(). The first, until it is changed.
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
  // Input |i|; a constant, too, as a tensor of the graph.
  Result<graph::TensorId> Operand(size_t i);
  // Input |i|, of |type|, INT8 for every quantised one; by default of the result's type, quantised
  // where that is.
  Result<graph::TensorId> Activation(size_t i, std::optional<TensorType> type = {});
  Result<graph::TensorId> Spatial(size_t i = 0);  // an image
  // A short constant of int32 or int64, of the file or computed.
  Result<std::vector<int64_t>> Integers(size_t i) const;
  // Whether input |i| is a constant, of the file or computed.
  bool Known(size_t i) const;
  // Input |i|, a constant, with its elements repeated to |shape| (in file order).
  Result<graph::TensorId> FullConstant(size_t i, const Shape& shape);
  Status Reserve(size_t bytes);  // before a constant of so many is made
  Result<graph::TensorId> Constant(graph::GraphTensor made);
  Result<const TfliteTensor*> Intermediate(size_t k) const;
  // Without |quant| the result has |dtype|, or else the type of the first operand.
  Result<graph::TensorId> Emit(graph::Node made, const std::string& suffix,
                               const std::optional<graph::Quant>& quant, Shape shape,
                               std::optional<DType> dtype = {});
  // The operator's result is the constant |bytes|, in the file's order.
  Status FinishValue(const Shape& file, std::vector<uint8_t> bytes);
  // Input 0, a constant of floats, is the operator's result: as floats of the result's type.
  Status FinishConstant();
  // Makes the operator's result. Both round as TFLite does, but for a node that asks for kHalfUp.
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
  Result<std::optional<graph::Quant>> ResultQuant() const;  // nothing: floats have none
  Status SameScale(graph::TensorId x) const;                // as the result's
  // A quantised result has |scale| and |zero|, which its kernel takes alone; of int16 2^-15 and 0.
  Status ResultHas(double scale, int32_t zero) const;
  std::unexpected<Error> UnknownActivation(tflite_file::ActivationFunctionType function) const;
  Status Bound(tflite_file::ActivationFunctionType function, graph::Node& node) const;

  // Layouts (tflite_shape.cc). "File order" is row-major NHWC.
  // The operator makes a result of |shape|, in the file's order: what the file says, where it says
  // anything.
  Status ShapeIs(const Shape& shape);
  // |x| with its elements in the file's order, under a shape of |x|'s or of the file. |prefix| is
  // in front of the suffix of what that takes.
  Result<graph::TensorId> ToFileOrder(graph::TensorId x, const std::string& prefix = "");
  // |x|, elements in the file's order, as a tensor of |file|, that shape in the file's order.
  Result<graph::TensorId> ToGraphOrder(graph::TensorId x, const Shape& file,
                                       const std::string& prefix = "");
  // Input |i|, of any type, as the file has it: its shape, its order.
  Result<graph::TensorId> InFileOrder(size_t i);
  // |x| as a tensor of |file|, that shape, elements in the file's order; from ToFileOrder.
  Result<graph::TensorId> Shaped(graph::TensorId x, const Shape& file, const std::string& suffix);
  Status FinishFromFileOrder(graph::TensorId x);
  // The operator's result is |x|, whose elements in the file's order are those of |file|.
  Status FinishAs(graph::TensorId x, const Shape& file);
  // Input |i|, of any type, with extents of 1 in front up to |rank|.
  Result<graph::TensorId> Raised(size_t i, size_t rank);
  // Input |i| for a result of |shape|, in the file's order, to which it repeats: a constant that
  // does, quantised values repeated, plain ones that do by themselves.
  Result<graph::TensorId> Beside(size_t i, const Shape& shape);
  Status ReshapeTo(const Shape& shape);

  // Variables (tflite_variables.cc): states of the graph, but for those that the model only reads,
  // which are constants.
  // The operators CALL_ONCE, VAR_HANDLE, READ_VARIABLE and ASSIGN_VARIABLE.
  Status CallOnce();
  Status VarHandle();
  Status ReadVariable();
  Status AssignVariable();
  // What input |i|, a variable tensor, holds now, as plain integers with |plain|; and what it holds
  // from here on.
  Result<graph::TensorId> StateNow(size_t i, bool plain = false);
  Status SetState(size_t i, graph::TensorId x);

  // Weights and windows (tflite_weights.cc, tflite_window.cc).
  Result<graph::TensorId> Weights(size_t rank, int channel_axis);
  Status AddBias(graph::Node& node, size_t i = 2);  // takes input |i|, when there is one
  Status AddFloatBias(graph::Node& node, const TfliteTensor& from);
  Status CheckBiasScale(const graph::Node& node, const TfliteTensor& from);
  Result<graph::Window> ReadWindow(const Shape& in, tflite_file::Padding padding,
                                   graph::Window window) const;
  // By axis of input 0, a reduction's, whether input 1 holds it.
  Result<std::vector<bool>> ReducedAxes() const;
  // Input 0 for a reduction along the axes that input 1 holds: an image that is reduced as a whole.
  // FinishReduction takes the result, an image of extents 1.
  Result<graph::TensorId> ReducedImage();
  Status FinishReduction(graph::Node made);

 private:
  // Walk (tflite_convert.cc), edges of the model (tflite_edges.cc).
  Status CheckOperators() const;
  Status Inputs();
  Status Outputs();
  // |id| for an output of the model: what is not made for it alone gets a copy, named |name|.
  graph::TensorId OwnOutput(graph::TensorId id, const std::string& name, bool is_unsigned);
  struct Variable;
  Status FindVariables();
  Result<Variable*> VariableOf(size_t i);  // that input |i|, a handle, names
  Status Assign(Variable& variable, graph::TensorId x);
  void States();  // of the variables that were read before they were assigned
  // |from|, a constant, for the graph.
  Result<graph::GraphTensor> ConstantOf(const TfliteTensor& from) const;
  Result<Shape> InputShape(const TfliteTensor& from, const std::string& place) const;
  Status One(const Operator& op);
  Status CentreWeights(const TfliteTensor& from, graph::GraphTensor& made) const;
  // Adds |made|, whose result |result| is; one of constants is computed instead.
  Result<graph::TensorId> Append(graph::Node made, graph::GraphTensor result);
  TfliteTensor& OutTensor() { return model_.tensors[static_cast<size_t>(op_->outputs[result_])]; }
  // The elements of |tensor|, a constant of floats or dequantised from one, as |type|, in file
  // order; nothing: it is none.
  std::optional<std::vector<uint8_t>> ConstantFloats(const TfliteTensor& tensor, DType type) const;
  void MakeNamesUnique();

  TfliteModel model_;  // results' open extents are filled in as they are made
  graph::Graph graph_;
  const Operator* op_ = nullptr;  // that is converted
  size_t result_ = 0;
  // By tensor of the file: activations so far, and constants that something has taken; -1.
  std::vector<graph::TensorId> made_;
  std::map<int, int> dequantised_;  // tensor -> the constant of floats that it is
  std::map<std::pair<int, int>, graph::TensorId> constants_;  // by tensor and channel axis
  uint64_t constant_bytes_ = 0;

  struct Variable {
    std::string place;         // for messages
    bool assigned = false;     // somewhere in the model
    graph::TensorId now = -1;  // what it holds; -1: not known yet
    // Its value before the model runs, row-major, where that is an input of the graph.
    std::optional<std::vector<uint8_t>> first;
  };
  std::map<std::string, Variable> variables_;  // by VariableName, "#" and a variable tensor's index
  std::map<int, std::string> handles_;         // by tensor
  std::vector<Variable*> states_;              // in the order of the graph's
};

// The shape, axis or bytes of a tensor of the file as the graph has them: four axes become NCHW,
// others stay.
std::vector<int64_t> GraphShape(const std::vector<int64_t>& file);
std::vector<int64_t> FileShape(const std::vector<int64_t>& graph);
int GraphAxis(size_t rank, int axis);
std::vector<uint8_t> GraphBytes(std::span<const uint8_t> bytes, const std::vector<int64_t>& file,
                                size_t size = 1);  // bytes of an element
// The graph's type of floats; nothing: |type| is none.
std::optional<DType> FloatType(TensorType type);
// Whether the integers of |tensor| stand for real numbers; and the graph's type of those that do.
bool IsQuantised(const TfliteTensor& tensor);
DType QuantisedType(const TfliteTensor& tensor);
// The graph's type of plain values; nothing: |tensor| is quantised, or of a type that it has not.
std::optional<DType> PlainType(const TfliteTensor& tensor);

}  // namespace tessera::tflite_model

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_CONVERT_H_
