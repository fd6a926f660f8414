// SPDX-License-Identifier: Apache-2.0
//
// Example: builds a node of an operator for docs/operators.md (fixed choices) or for a random
// network (random choices). Depends on: graph.h. Used by: OpDef::example, docs/operators.md,
// tests/networks.
#ifndef TESSERA_COMPILER_GRAPH_EXAMPLE_H_
#define TESSERA_COMPILER_GRAPH_EXAMPLE_H_

#include <functional>
#include <optional>

#include "compiler/graph/graph.h"

namespace tessera::graph {

struct Example {
  Graph& graph;
  // An integer in [least, most]; for the documentation always |least|.
  std::function<int64_t(int64_t least, int64_t most)> draw;
  // Adds another operand like the first, with its own scale unless |same_scale|.
  std::function<TensorId(bool same_scale)> another;

  Node node;                   // inputs[0] is set
  std::optional<Shape> shape;  // of the result, if the operands do not determine it
  std::optional<Quant> quant;  // of the result, if the operator prescribes it

  const GraphTensor& first() const { return graph.tensor(node.inputs[0]); }
  // Constant weights of |shape| and of the first operand's type. For integers: int8 with one scale.
  TensorId Weights(Shape weights);
  // Sets the only scale and zero point that the operator's kernel supports; int16 uses 2^-15 and 0.
  void UnitScale(double scale, int32_t zero) {
    quant =
        first().dtype == DType::kInt16 ? Quant{{1.0 / 32768}, {0}, -1} : Quant{{scale}, {zero}, -1};
  }
  // The result gets the scale of the first operand.
  void KeepScale() { quant = first().quant; }
};

// |quant| adapted to |dtype|: int16 has zero point 0. Nothing: integers of |dtype| are plain.
std::optional<Quant> QuantFor(DType dtype, Quant quant);

// Lets |example|'s operator complete it and adds the result's tensor, of the default type. The
// result has scale |own| if it has a scale that the operator does not prescribe.
//   errors  kInvalidArgument  the operator takes no operand of this shape
Status Complete(Example& example, const Quant& own);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_EXAMPLE_H_
