// SPDX-License-Identifier: Apache-2.0
//
// NodeCheck: a node whose ids are in range, as an operator's shape rule sees it. Depends on:
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

class NodeCheck {
 public:
  NodeCheck(const Graph& the_graph, const Node& the_node) : graph(the_graph), node(the_node) {}
  const Graph& graph;
  const Node& node;

  // All that Verify asks of the node.
  Status Run() const;
  // The shape that the operands make; the result need not be there yet.
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
  // Every operand's type, scale and zero point are the result's.
  Status KeepsScale() const;
  // Operand 1 is constant weights of |rank| axes and of operand 0's type: int8 with one scale, or
  // one an index of axis 0, and no zero points, or floats. Beside int8 they may be int16 (uint8
  // less a zero point, which the host alone computes with). Operand 2, where there is one, is a
  // constant with one element an output channel, of int32 or of the float type.
  Status Weights(size_t rank) const;
  // |window| has positive extents and fits an image of shape |in|.
  Status Fits(const Window& window, const Shape& in) const;

 private:
  Status Scaled(const GraphTensor& t, const char* what) const;
  Status HasTypes() const;
};

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_NODE_CHECK_H_
