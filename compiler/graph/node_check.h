// SPDX-License-Identifier: Apache-2.0
//
// NodeCheck: the view of a node for an operator's shape rule; its ids are in range. Depends on:
// graph.h. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_GRAPH_NODE_CHECK_H_
#define TESSERA_COMPILER_GRAPH_NODE_CHECK_H_

#include <fmt/format.h>

#include <string>
#include <utility>

#include "compiler/graph/graph.h"
#include "compiler/graph/op_def.h"

namespace tessera::graph {

std::string ShapeText(const Shape& shape);
// Why a reshape of |from| to |to|, which has another number of elements, is refused.
std::string CannotBecome(const Shape& from, const Shape& to);

class NodeCheck {
 public:
  NodeCheck(const Graph& the_graph, const Node& the_node) : graph(the_graph), node(the_node) {}
  const Graph& graph;
  const Node& node;

  // Runs all checks that Verify needs for the node.
  Status Run() const;
  // The shape that follows from the operands; the result tensor need not exist yet.
  Result<Shape> ResultShape() const;

  template <typename... Args>
  std::unexpected<Error> Bad(fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "node {} ({}): {}", node.name, Text(node.op),
                fmt::format(format, std::forward<Args>(args)...));
  }
  const GraphTensor& In(size_t i) const { return graph.tensor(node.inputs[i]); }
  const GraphTensor& Out() const { return graph.tensor(node.output); }

  // All operands have the first one's type and shape.
  Status SameShapes() const;
  // The first operand is an image [N, C, H, W].
  Status Image() const;
  // Neither the first operand nor the result has a scale.
  Status Plain() const;
  // Every operand has the result's type, scale and zero point.
  Status KeepsScale() const;
  // Operand 1 must be constant weights of |rank| axes and of operand 0's type. Floats have no
  // scale; int8 has one scale, or one per index of axis 0, and no zero points. For int8 operands
  // the weights may be int16 (uint8 minus a zero point; only the host computes with them). Operand
  // 2, if present, is a constant of int32 or the float type, one element per output channel.
  Status Weights(size_t rank) const;
  // |window| has positive extents and fits an image of shape |in|.
  Status Fits(const Window& window, const Shape& in) const;

 private:
  Status Scaled(const GraphTensor& t, const char* what) const;
  Status HasTypes() const;
};

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_NODE_CHECK_H_
