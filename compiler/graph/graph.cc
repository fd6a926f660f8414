// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/graph.h"

#include <fmt/ranges.h>

#include <cmath>

#include "compiler/graph/op_def.h"

namespace tessera::graph {
namespace {

std::string QuantText(const Quant& quant) {
  if (quant.scale.size() == 1)
    return fmt::format(" scale {:.9g} zero {}", quant.scale[0], quant.zero[0]);
  return fmt::format(" scale per axis {} ({} values)", quant.axis, quant.scale.size());
}

}  // namespace

std::string_view Text(Op op) { return DefOf(op).name; }

int64_t GraphTensor::count() const {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

int64_t Window::Reach(int d) const { return (kernel[d] - 1) * dilation[d] + 1; }

int64_t Window::OutExtent(int d, int64_t in) const {
  const int64_t room = in + pad_before[d] + pad_after[d] - Reach(d);
  return room < 0 ? 0 : room / stride[d] + 1;
}

std::optional<Window> WindowOf(const Node& node) {
  if (node.op == Op::kConv) return node.As<ConvAttributes>().window;
  if (node.op == Op::kMaxPool || node.op == Op::kAvgPool) return node.As<PoolAttributes>().window;
  return std::nullopt;
}

TensorId Graph::AddTensor(GraphTensor tensor) {
  tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors.size() - 1);
}

std::optional<size_t> Graph::ProducerOf(TensorId id) const {
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].output == id) return n;
  }
  return std::nullopt;
}

std::vector<size_t> Graph::ConsumersOf(TensorId id) const {
  std::vector<size_t> users;
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (TensorId input : nodes[n].inputs) {
      if (input == id) {
        users.push_back(n);
        break;
      }
    }
  }
  return users;
}

IntegerLimits BoundsOf(const Graph& graph, const Node& node) {
  const IntegerLimits type = LimitsOf(graph.tensor(node.output).dtype);
  return {std::max(node.lo, type.lo), std::min(node.hi, type.hi)};
}

bool KeepsNumbers(const Graph& graph, const Node& node, size_t index) {
  const GraphTensor& out = graph.tensor(node.output);
  const IntegerLimits bounds = BoundsOf(graph, node), limits = LimitsOf(out.dtype);
  return graph.tensor(node.inputs[index]).quant == out.quant && bounds.lo == limits.lo &&
         bounds.hi == limits.hi;
}

DType SumType(const Graph& graph, const Node& node) {
  const DType of = graph.tensor(node.inputs[0]).dtype;
  if (IsFloat(of)) return DType::kFloat32;
  const bool wide = node.inputs.size() > 2 && graph.tensor(node.inputs[2]).dtype == DType::kInt64;
  return of == DType::kInt16 && wide ? DType::kInt64 : DType::kInt32;
}

int64_t Macs(const Graph& graph, const Node& node) {
  const OpDef& def = DefOf(node.op);
  return def.macs ? def.macs(graph, node) : 0;
}

std::string Print(const Graph& graph) {
  std::string text = fmt::format("graph {}\n", graph.name);
  const auto describe = [&](TensorId id) {
    const GraphTensor& t = graph.tensor(id);
    return fmt::format("%{} {}[{}]{}", t.name, tessera::Text(t.dtype), fmt::join(t.shape, ", "),
                       t.quant ? QuantText(*t.quant) : "");
  };
  for (TensorId id : graph.UserInputs()) text += fmt::format("  input {}\n", describe(id));
  const size_t own_inputs = graph.UserInputs().size(), own_outputs = graph.UserOutputs().size();
  for (size_t s = 0; s < graph.states.size(); ++s) {
    text += fmt::format("  state {}, then %{}\n", describe(graph.inputs[own_inputs + s]),
                        graph.tensor(graph.outputs[own_outputs + s]).name);
  }
  for (const Node& node : graph.nodes) {
    text += fmt::format("  {} = {}(", describe(node.output), Text(node.op));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      text += fmt::format("{}%{}", i ? ", " : "", graph.tensor(node.inputs[i]).name);
    }
    text += ")";
    if (const auto own = DefOf(node.op).text) text += own(node);
    const IntegerLimits bounds = BoundsOf(graph, node),
                        limits = LimitsOf(graph.tensor(node.output).dtype);
    if (bounds.lo > limits.lo || bounds.hi < limits.hi)
      text += fmt::format(" clamp {}..{}", bounds.lo, bounds.hi);
    if (std::isfinite(node.least) || std::isfinite(node.most))
      text += fmt::format(" clamp {}..{}", node.least, node.most);
    if (const int64_t macs = Macs(graph, node)) text += fmt::format("  # {} MACs", macs);
    text += fmt::format("  // {}\n", node.name);
  }
  for (TensorId id : graph.UserOutputs())
    text += fmt::format("  output %{}\n", graph.tensor(id).name);
  return text;
}

}  // namespace tessera::graph
