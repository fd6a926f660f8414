// SPDX-License-Identifier: Apache-2.0
//
// The walk from a .tflite file's operators to a graph's: one or a few nodes for each, layouts from
// NHWC to NCHW. The node that makes an operator's result is named by the operator ("conv_2d_3");
// those in front of it and between have a suffix. Used by: tflite.cc, and the operators' rows in
// compiler/ops.
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
  Converter(const TfliteModel& model, const ImportOptions& the_options)
      : options(the_options), model_(model), made_(model.tensors.size(), -1) {}
  Result<graph::Graph> Convert();

  const ImportOptions options;

  // What an operator's row works with (compiler/ops): the operator op(), its operands and result,
  // the graph that grows. |i| counts the operator's inputs.

  const Operator& op() const { return *op_; }
  // Whether its result is one of floats.
  bool real() const;
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
  const TfliteTensor& Out() const { return model_.tensors[static_cast<size_t>(op_->outputs[0])]; }
  // Input |i|, of |type|; by default of the result's type where that is a float, else INT8.
  Result<graph::TensorId> Activation(size_t i, std::optional<TensorType> type = {}) const;
  Result<graph::TensorId> Spatial(size_t i = 0) const;    // an image
  Result<std::vector<int64_t>> Integers(size_t i) const;  // a short constant of int32 or int64
  // Input |i|, a constant, with its elements repeated to |shape| (in file order).
  Result<graph::TensorId> FullConstant(size_t i, const Shape& shape);
  Status Reserve(size_t bytes);  // before a constant of so many is made
  Result<graph::TensorId> Emit(graph::Node made, const std::string& suffix,
                               const std::optional<graph::Quant>& quant, Shape shape);
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
  Result<graph::Quant> ReadQuant(const TfliteTensor& tensor, int64_t channels, int axis) const;
  Result<graph::Quant> ActivationQuant(const TfliteTensor& tensor) const;
  Result<std::optional<graph::Quant>> ResultQuant() const;  // nothing: floats have none
  Status SameScale(graph::TensorId x) const;                // as the result's
  std::unexpected<Error> UnknownActivation(tflite_file::ActivationFunctionType function) const;
  Status Bound(tflite_file::ActivationFunctionType function, graph::Node& node) const;

  // Layouts (tflite_shape.cc). "File order" is row-major NHWC.
  Result<graph::TensorId> ToFileOrder(graph::TensorId x);
  Status FinishFromFileOrder(graph::TensorId x);
  Status ReshapeTo(const Shape& shape);

  // Weights and windows (tflite_weights.cc, tflite_window.cc).
  Result<graph::TensorId> Weights(size_t rank, int channel_axis);
  Status AddBias(graph::Node& node, size_t i = 2);  // takes input |i|, when there is one
  Result<graph::Window> ReadWindow(const Shape& in, tflite_file::Padding padding,
                                   graph::Window window) const;
  // Input 1 of |what| holds the axes of the image; whether the result keeps them.
  Result<bool> OverImage(const char* what) const;

 private:
  // Walk (tflite_convert.cc).
  Status Inputs();
  Status Outputs();
  Status One(const Operator& op);
  // The elements of |tensor|, a constant of floats or dequantised from one, as |type|, in file
  // order; nothing: it is none.
  std::optional<std::vector<uint8_t>> ConstantFloats(const TfliteTensor& tensor, DType type) const;
  void MakeNamesUnique();

  const TfliteModel& model_;
  graph::Graph graph_;
  const Operator* op_ = nullptr;       // that is converted
  std::vector<graph::TensorId> made_;  // by tensor of the file: activations so far; -1
  std::map<int, int> dequantised_;     // tensor -> the constant of floats that it is
  std::map<std::pair<int, int>, graph::TensorId> constants_;  // by tensor and channel axis
  uint64_t constant_bytes_ = 0;
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

}  // namespace tessera::tflite_model

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_CONVERT_H_
