// SPDX-License-Identifier: Apache-2.0
//
// Graph: a network as typed operators over logical tensors (row-major, NCHW for images). Integers
// with quantisation parameters stand for real numbers; all other values are plain: floats, bools,
// and integers without a scale. Importers make a graph, passes change it, compiler/te turns its
// regions into tensor expressions. Depends on: base, isa/enums.h (rounding modes).
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
  // Inputs and outputs of a graph: dimension k of the user's tensor is dimension order[k] of this
  // one ({0, 2, 3, 1}: NHWC files). Empty: the same order.
  std::vector<int> order;

  bool constant() const { return data.has_value(); }
  // The integer that represents 0.
  int32_t zero() const { return quant ? quant->zero[0] : 0; }
  int64_t count() const;
};

// Brings one of several operands to a common scale: rescale((q - zero) << left, multiplier, shift).
struct OperandScale {
  int32_t zero = 0;
  int32_t left = 20;
  int32_t multiplier = 1 << 30;
  int8_t shift = 0;
};

// Exact requantisation of a node's int32 sums; compiler/quantize derives it from the scales. One
// entry per output channel, or one for all.
struct Requant {
  std::vector<int32_t> bias;        // folded: bias - zero_in * sum of weights
  std::vector<int32_t> multiplier;  // 31 bits
  std::vector<int8_t> shift;        // positive: left
  isa::Round round = isa::Round::kEven;
  int32_t out_zero = 0;
  int32_t lo = -128, hi = 127;
  std::vector<OperandScale> operands;  // for operands with their own scales: Add, Sub, Concat
  std::vector<int16_t> table;          // functions of one value: an entry for each value
};

using TensorId = int32_t;

struct Node {
  Op op = Op::kConv;
  std::string name;
  std::vector<TensorId> inputs;  // Conv, Dense: x, weights, [bias]
  TensorId output = -1;
  Attributes attributes;  // of the type that the operator chooses
  // Fused activation: bounds on the result; integers use lo and hi (BoundsOf), floats the others.
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

// The window of a convolution or a pool; nothing: |node| is neither.
std::optional<Window> WindowOf(const Node& node);

// A layer that both devices make: the result of each device's part, some of the output channels or
// rows.
struct SharedLayer {
  TensorId accelerator = -1, host = -1;
};

struct Graph {
  std::string name;
  std::string
      rules;  // the integer arithmetic of a file's operators, if there are variants: "tflite 2.14"
  std::vector<GraphTensor> tensors;
  std::vector<Node> nodes;  // in topological order
  std::vector<TensorId> inputs, outputs;
  // State between inferences: the last inputs hold the previous values of the last outputs, in
  // order; for the first inference they hold these bytes, row-major.
  std::vector<std::vector<uint8_t>> states;
  std::vector<SharedLayer> shared;  // made after the passes over graphs

  // The inputs and outputs that the model's user sees, without states.
  std::span<const TensorId> UserInputs() const {
    return std::span(inputs).first(inputs.size() - states.size());
  }
  std::span<const TensorId> UserOutputs() const {
    return std::span(outputs).first(outputs.size() - states.size());
  }

  GraphTensor& tensor(TensorId id) { return tensors[static_cast<size_t>(id)]; }
  const GraphTensor& tensor(TensorId id) const { return tensors[static_cast<size_t>(id)]; }
  TensorId AddTensor(GraphTensor tensor);

  // The node that makes |id|; nothing for inputs and constants.
  std::optional<size_t> ProducerOf(TensorId id) const;
  std::vector<size_t> ConsumersOf(TensorId id) const;
};

// The integer bounds of |node|'s result: its own, limited to the result's type.
IntegerLimits BoundsOf(const Graph& graph, const Node& node);

// Whether the integers of operand |index| have the same meaning in the result of |node|, and the
// node has no bounds: a copy of them needs no requantisation.
bool KeepsNumbers(const Graph& graph, const Node& node, size_t index);

// The type of the sums of |node|, which has weights: float32, int32, or int64 for int16 operands
// with an int64 bias. Source: TFLite's kernels.
DType SumType(const Graph& graph, const Node& node);

// Multiply-accumulates of |node| in one inference.
int64_t Macs(const Graph& graph, const Node& node);

// Checks that the graph is well formed: ids in range, topological order, one producer per tensor,
// operand counts, types and shapes that the operators accept, constants and quantisation where
// required.
//   errors  kInvalidArgument  names the node and what is wrong
Status Verify(const Graph& graph);

// One line per node with shapes, types, scales: the output of `tessera compile --dump graph`.
std::string Print(const Graph& graph);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_GRAPH_H_
