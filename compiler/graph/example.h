// SPDX-License-Identifier: Apache-2.0
//
// Example: a node of an operator that is being made up, for docs/operators.md (one choice) or for a
// random network (any). Depends on: graph.h. Used by: OpDef::example, docs/operators.md,
// tests/networks.
#ifndef TESSERA_COMPILER_GRAPH_EXAMPLE_H_
#define TESSERA_COMPILER_GRAPH_EXAMPLE_H_

#include <functional>
#include <optional>

#include "compiler/graph/graph.h"

namespace tessera::graph {

struct Example {
  Graph& graph;
  // A whole number of [least, most]: the documentation gets |least|.
  std::function<int64_t(int64_t least, int64_t most)> draw;
  // Another operand like the first; with a scale of its own unless |same_scale|.
  std::function<TensorId(bool same_scale)> another;

  Node node;                   // inputs[0] is there
  std::optional<Shape> shape;  // of the result, where the operands do not say
  std::optional<Quant> quant;  // of the result, where it is not free

  const GraphTensor& first() const { return graph.tensor(node.inputs[0]); }
  // Constant weights of |shape| and of the first operand's type; beside integers int8 under one
  // scale.
  TensorId Weights(Shape weights);
  // The result has this scale and zero point, which its kernel takes alone; of int16 2^-15 and 0.
  void UnitScale(double scale, int32_t zero) {
    quant =
        first().dtype == DType::kInt16 ? Quant{{1.0 / 32768}, {0}, -1} : Quant{{scale}, {zero}, -1};
  }
  // The result keeps the scale of the first operand.
  void KeepScale() { quant = first().quant; }
};

// |quant| as a tensor of |dtype| in an example has it: int16 with zero point 0. Nothing: integers
// of |dtype| stand for no real numbers.
std::optional<Quant> QuantFor(DType dtype, Quant quant);

// Lets |example|'s operator complete it, and gives the result's tensor, of the usual type, with
// |own| as its scale where it has one and is free.
//   errors  kInvalidArgument  the operator takes no operand of this shape
Status Complete(Example& example, const Quant& own);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_EXAMPLE_H_
