// SPDX-License-Identifier: Apache-2.0
//
// Graph: a network as typed integer operators over logical tensors (row-major, NCHW for images),
// with quantisation parameters on the tensors. Importers make it, passes change it, compiler/te
// turns its regions into tensor expressions. Depends on: base, isa/enums.h (rounding modes).
#ifndef TESSERA_COMPILER_GRAPH_GRAPH_H_
#define TESSERA_COMPILER_GRAPH_GRAPH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "isa/enums.h"

namespace tessera::graph {

enum class Op : uint8_t {
#define OP(name, text, category, least, most, meaning) name,
#include "compiler/graph/ops.def"
};
enum class Category : uint8_t { kElementwise, kInjective, kReduction, kComplex, kOpaque };

std::string_view Text(Op op);
Category CategoryOf(Op op);
struct OperandCount {
  size_t least, most;
};
OperandCount OperandsOf(Op op);

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
  int64_t count() const;
};

// A window over the two spatial axes (y, x). 1-D operators have extent 1 along y.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 2> pad_before{0, 0}, pad_after{0, 0};
  // Output extent along axis |d| of an input extent; <= 0: the window does not fit.
  int64_t OutExtent(int d, int64_t in) const;
  bool operator==(const Window&) const = default;
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
};

// The two inputs of an addition (subtraction) and its output: u_i = rescale((q - zero) << left,
// multiplier, shift, tflite rounding), output requant(u_0 + u_1) (u_0 - u_1).
struct AddInput {
  int32_t zero = 0;
  int32_t left = 20;
  int32_t multiplier = 1 << 30;
  int8_t shift = 0;
};

using TensorId = int32_t;

struct Node {
  Op op = Op::kConv;
  std::string name;
  std::vector<TensorId> inputs;  // Conv, Dense: x, weights, [bias]
  TensorId output = -1;
  Window window;          // Conv, pools
  std::vector<int> perm;  // Transpose: dimension k of the result is dimension perm[k] of x
  std::vector<std::array<int64_t, 2>> pads;  // Pad: before and after, a pair a dimension
  int32_t pad_value = 0;                     // Pad: as an element
  int axis = 0;                              // Concat
  double beta = 1;                           // Softmax: of beta * x
  int64_t groups = 1;                        // Conv
  int32_t lo = -128, hi = 127;               // fused activation as bounds on the quantised output
  isa::Round round = isa::Round::kEven;
  bool float_factor =
      false;  // Mul, Rescale: the scales are multiplied and divided in float32, not in double
  std::optional<Requant> requant;      // filled by compiler/quantize
  std::array<AddInput, 2> add_inputs;  // Add and Sub, filled by compiler/quantize
};

struct Graph {
  std::string name;
  std::vector<GraphTensor> tensors;
  std::vector<Node> nodes;  // in topological order
  std::vector<TensorId> inputs, outputs;

  GraphTensor& tensor(TensorId id) { return tensors[static_cast<size_t>(id)]; }
  const GraphTensor& tensor(TensorId id) const { return tensors[static_cast<size_t>(id)]; }
  TensorId AddTensor(GraphTensor tensor);

  // The node that makes |id|, or nothing for inputs and constants.
  std::optional<size_t> ProducerOf(TensorId id) const;
  std::vector<size_t> ConsumersOf(TensorId id) const;
};

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
