// SPDX-License-Identifier: Apache-2.0
//
// Graph: a network as typed operators over logical tensors (row-major, NCHW for images). Integers
// with quantisation parameters stand for real numbers; floats, bools and integers without are
// plain: they are what they are. Importers make it, passes change it, compiler/te turns its regions
// into tensor expressions. Depends on: base, isa/enums.h (rounding modes).
#ifndef TESSERA_COMPILER_GRAPH_GRAPH_H_
#define TESSERA_COMPILER_GRAPH_GRAPH_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "compiler/graph/attributes.h"
#include "isa/enums.h"

namespace tessera::graph {

enum class Op : uint8_t {
#define OP(name, file) k##name,
#include "compiler/graph/ops.def"
};

std::string_view Text(Op op);

using Shape = std::vector<int64_t>;

// real = scale * (q - zero). One entry, or one per index of |axis|.
struct Quant {
  std::vector<double> scale;
  std::vector<int32_t> zero;
  int axis = -1;  // -1: per tensor
  bool operator==(const Quant&) const = default;
};

struct GraphTensor {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  std::optional<Quant> quant;
  std::optional<std::vector<uint8_t>> data;  // constants: row-major bytes
  // Inputs and outputs of a graph: dimension k of what the model's user gives or gets is dimension
  // order[k] here ({0, 2, 3, 1}: NHWC files). Empty: as here.
  std::vector<int> order;

  bool constant() const { return data.has_value(); }
  // The element that stands for 0.
  int32_t zero() const { return quant ? quant->zero[0] : 0; }
  int64_t count() const;
};

// How one operand of several is brought to a common scale: rescale((q - zero) << left, multiplier,
// shift).
struct OperandScale {
  int32_t zero = 0;
  int32_t left = 20;
  int32_t multiplier = 1 << 30;
  int8_t shift = 0;
};

// Exact requantisation of a node's int32 sums, derived from the scales by compiler/quantize. One
// entry per output channel, or one for all.
struct Requant {
  std::vector<int32_t> bias;        // folded: bias - zero_in * sum of weights
  std::vector<int32_t> multiplier;  // 31 bits
  std::vector<int8_t> shift;        // positive: left
  isa::Round round = isa::Round::kEven;
  int32_t out_zero = 0;
  int32_t lo = -128, hi = 127;
  std::vector<OperandScale> operands;  // where operands have scales of their own: Add, Sub, Concat
  std::vector<int16_t> table;          // functions of one value: of each value of its type
};

using TensorId = int32_t;

struct Node {
  Op op = Op::kConv;
  std::string name;
  std::vector<TensorId> inputs;  // Conv, Dense: x, weights, [bias]
  TensorId output = -1;
  Attributes attributes;  // of the operator's type
  // Fused activation: bounds on the result, on its integers (BoundsOf) or on its floats.
  int32_t lo = INT32_MIN, hi = INT32_MAX;
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();
  isa::Round round = isa::Round::kEven;
  std::optional<Requant> requant;  // filled by compiler/quantize

  template <typename T>
  const T& As() const {
    return attributes.As<T>();
  }
  template <typename T>
  T& Edit() {
    return attributes.Edit<T>();
  }
};

struct Graph {
  std::string name;
  std::string
      rules;  // whose integers a file's operators mean, where that is a choice: "tflite 2.14"
  std::vector<GraphTensor> tensors;
  std::vector<Node> nodes;  // in topological order
  std::vector<TensorId> inputs, outputs;
  // What one inference leaves for the next: the last inputs hold what the last outputs were the
  // time before, in order, and at first these bytes, row-major.
  std::vector<std::vector<uint8_t>> states;

  // Those that the model's user gives and gets.
  std::span<const TensorId> UserInputs() const {
    return std::span(inputs).first(inputs.size() - states.size());
  }
  std::span<const TensorId> UserOutputs() const {
    return std::span(outputs).first(outputs.size() - states.size());
  }

  GraphTensor& tensor(TensorId id) { return tensors[static_cast<size_t>(id)]; }
  const GraphTensor& tensor(TensorId id) const { return tensors[static_cast<size_t>(id)]; }
  TensorId AddTensor(GraphTensor tensor);

  // The node that makes |id|, or nothing for inputs and constants.
  std::optional<size_t> ProducerOf(TensorId id) const;
  std::vector<size_t> ConsumersOf(TensorId id) const;
};

// The bounds of |node|'s integers: its own, within the result's type.
IntegerLimits BoundsOf(const Graph& graph, const Node& node);

// The type of the sums of |node|, which has weights: float32 or int32; of int16 with a bias of
// int64 that. Source: TFLite's kernels.
DType SumType(const Graph& graph, const Node& node);

// Multiply-accumulates of |node| for one inference.
int64_t Macs(const Graph& graph, const Node& node);

// Checks that the graph is well formed: ids in range, topological order, one producer a tensor,
// operand counts, types and shapes that agree with the operators, constants and quantisation where
// they are needed.
//   errors  kInvalidArgument  names the node and what is wrong
Status Verify(const Graph& graph);

// One line a node with shapes, types, scales: what `tessera compile --dump graph` prints.
std::string Print(const Graph& graph);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_GRAPH_H_
