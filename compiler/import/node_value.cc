// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/node_value.h"

#include <algorithm>

#include "compiler/graph/fuse.h"
#include "compiler/graph/node_check.h"
#include "compiler/region/region.h"

namespace tessera {
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 27;  // elements times the steps of their reductions

int64_t StepsOf(const te::RegionTe& region) {
  int64_t steps = 0;
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    if (t->placeholder) continue;
    int64_t count = 1;
    for (const int64_t extent : t.shape()) count *= extent;
    for (const ir::Axis& axis : t->reduce_axes) count *= axis.extent;
    steps += count;
  }
  return steps;
}

// The axis of the result that corresponds to axis |axis| of the operand; -1 if none does.
int AxisThrough(const graph::Graph& graph, const graph::Node& node, int axis) {
  const graph::Shape &from = graph.tensor(node.inputs[0]).shape,
                     &to = graph.tensor(node.output).shape;
  if (node.op == graph::Op::kTranspose) {
    const std::vector<int>& perm = node.As<graph::TransposeAttributes>().perm;
    return static_cast<int>(std::ranges::find(perm, axis) - perm.begin());
  }
  const auto before = [](const graph::Shape& shape, size_t end) {
    int64_t count = 1;
    for (size_t d = 0; d < end; ++d) count *= shape[d];
    return count;
  };
  const auto at = static_cast<size_t>(axis);
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == from[at] && before(to, d) == before(from, at)) return static_cast<int>(d);
  }
  return -1;
}

}  // namespace

Result<std::vector<uint8_t>> ValueOf(const graph::Graph& graph, size_t index) {
  const graph::Node& node = graph.nodes[index];
  TESSERA_TRY(graph::NodeCheck(graph, node).Run());
  const te::RegionTe region = te::BuildRegion(
      graph, {.name = node.name, .nodes = {index}, .inputs = {}, .output = node.output});
  if (const int64_t steps = StepsOf(region); steps > kMostSteps) {
    return Fail(Code::kOutOfRange,
                "its operands are constants, and to compute it at import takes {} steps of "
                "arithmetic, at most {} are accepted; store its result in the model",
                steps, kMostSteps);
  }
  te::Values values;
  for (const te::Binding& binding : region.bindings) {
    values[binding.placeholder.get()] = ir::Array(binding.placeholder.dtype(), binding.constant);
  }
  TESSERA_TRY(te::Evaluate({region.output}, &values));
  return values.at(region.output.get()).bytes();
}

std::optional<graph::Quant> QuantThrough(const graph::Graph& graph, const graph::Node& node) {
  std::optional<graph::Quant> quant = graph.tensor(node.inputs[0]).quant;
  if (!quant || !graph.tensor(node.output).quant) return graph.tensor(node.output).quant;
  if (quant->scale.size() > 1) quant->axis = AxisThrough(graph, node, quant->axis);
  return quant;
}

}  // namespace tessera
