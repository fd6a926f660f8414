// SPDX-License-Identifier: Apache-2.0
//
// FoldFactors: folds constants per output channel into the preceding weights and bias.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "compiler/graph/passes.h"

namespace tessera::graph {
namespace {

bool Unbounded(const Node& node) {
  return node.least == -std::numeric_limits<float>::infinity() &&
         node.most == std::numeric_limits<float>::infinity();
}

std::vector<float> FloatsOf(const GraphTensor& t) {
  std::vector<float> values(t.data->size() / sizeof(float));
  std::memcpy(values.data(), t.data->data(), t.data->size());
  return values;
}

void SetFloats(GraphTensor& t, const std::vector<float>& values) {
  t.data.emplace(values.size() * sizeof(float));
  std::memcpy(t.data->data(), values.data(), t.data->size());
}

// The only node that reads |id|; empty if |id| is an output of the graph.
std::optional<size_t> OnlyConsumer(const Graph& graph, TensorId id) {
  const std::vector<size_t> users = graph.ConsumersOf(id);
  if (users.size() != 1 || std::ranges::count(graph.outputs, id) > 0) return std::nullopt;
  return users[0];
}

// The elements of |t|, one for each channel (axis 1) of a tensor of |shape|. Empty if |t| is not
// such a constant, or if it would enlarge the result.
std::vector<float> ByChannel(const GraphTensor& t, const Shape& shape) {
  if (!t.constant() || t.dtype != DType::kFloat32 || shape.size() < 2 ||
      t.shape.size() > shape.size())
    return {};
  for (size_t k = 1; k <= t.shape.size(); ++k) {
    const size_t axis = shape.size() - k;
    const int64_t extent = t.shape[t.shape.size() - k];
    if (extent != 1 && (axis != 1 || extent != shape[1])) return {};
  }
  std::vector<float> values = FloatsOf(t);
  if (values.size() == 1) values.resize(static_cast<size_t>(shape[1]), values[0]);
  return values;
}

// Applies |op| with |number| to the weights and the bias of one channel.
void Fold(Op op, float number, std::span<float> weights, float& bias) {
  const auto by = [&](float v) { return op == Op::kMul ? v * number : v / number; };
  if (op == Op::kAdd) bias += number;
  if (op == Op::kSub) bias -= number;
  if (op != Op::kMul && op != Op::kDiv) return;
  for (float& w : weights) w = by(w);
  bias = by(bias);
}

bool Finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
}

// Folds the node behind the contraction |at| into it. False if that is not possible.
bool TakeIn(Graph& graph, size_t at) {
  const Node node = graph.nodes[at];
  if (node.op != Op::kConv && node.op != Op::kDense && node.op != Op::kTransposedConv) return false;
  const GraphTensor& w = graph.tensor(node.inputs[1]);
  if (w.dtype != DType::kFloat32 || !Unbounded(node)) return false;
  // A reshape in between may drop an axis of extent 1.
  auto user = OnlyConsumer(graph, node.output);
  std::optional<size_t> view;
  if (user && graph.nodes[*user].op == Op::kReshape && Unbounded(graph.nodes[*user])) {
    const Shape &from = graph.tensor(node.output).shape,
                &to = graph.tensor(graph.nodes[*user].output).shape;
    if (to.size() < 2 || !std::equal(to.begin(), to.begin() + 2, from.begin())) return false;
    view = user;
    user = OnlyConsumer(graph, graph.nodes[*user].output);
  }
  if (!user) return false;
  const Node behind = graph.nodes[*user];
  const bool either = behind.op == Op::kMul || behind.op == Op::kAdd;
  if (!either && behind.op != Op::kDiv && behind.op != Op::kSub) return false;
  const TensorId sum = view ? graph.nodes[*view].output : node.output;
  if (behind.inputs[0] == behind.inputs[1] || (!either && behind.inputs[0] != sum)) return false;
  const TensorId by = behind.inputs[behind.inputs[0] == sum ? 1 : 0];
  const std::vector<float> numbers = ByChannel(graph.tensor(by), graph.tensor(sum).shape);
  if (numbers.empty() || graph.tensor(behind.output).shape != graph.tensor(sum).shape) return false;

  std::vector<float> weights = FloatsOf(w);
  const size_t channels = numbers.size(), each = weights.size() / channels;
  std::vector<float> bias(channels);
  if (node.inputs.size() > 2) bias = FloatsOf(graph.tensor(node.inputs[2]));
  for (size_t c = 0; c < channels; ++c)
    Fold(behind.op, numbers[c], std::span(weights).subspan(c * each, each), bias[c]);
  if (!Finite(weights) || !Finite(bias)) return false;

  GraphTensor scaled = w, moved{.name = graph.tensor(node.output).name + ".bias",
                                .dtype = DType::kFloat32,
                                .shape = {static_cast<int64_t>(channels)}};
  SetFloats(scaled, weights);
  SetFloats(moved, bias);
  const TensorId new_weights = graph.AddTensor(std::move(scaled));
  const TensorId new_bias = graph.AddTensor(std::move(moved));
  Node& made = graph.nodes[at];
  made.inputs = {node.inputs[0], new_weights, new_bias};
  made.least = behind.least;
  made.most = behind.most;
  (view ? graph.nodes[*view] : made).output = behind.output;
  graph.nodes.erase(graph.nodes.begin() + static_cast<int64_t>(*user));
  return true;
}

}  // namespace

void FoldFactors(Graph& graph) {
  for (size_t at = 0; at < graph.nodes.size(); ++at) {
    while (TakeIn(graph, at)) {
    }
  }
}

}  // namespace tessera::graph
