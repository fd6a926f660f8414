// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/channel_weights.h"

#include <algorithm>
#include <utility>

#include "compiler/network/channel_order.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

constexpr const char* kMovedName = ".moved";  // behind the names of constants

// The entries of |list|, |each| a channel, in |order|; |gap| where that has a gap.
template <typename T>
void Reorder(const std::vector<int64_t>& order, int64_t each, T gap, std::vector<T>* list) {
  const std::vector<T> before = std::exchange(*list, {});
  for (const int64_t from : order) {
    const auto begin = before.begin() + from * each;
    from == kGap ? void(list->insert(list->end(), static_cast<size_t>(each), gap))
                 : void(list->insert(list->end(), begin, begin + each));
  }
}

// The constant |id| with |order| along its first axis.
TensorId Reordered(Graph& graph, TensorId id, const std::vector<int64_t>& order) {
  GraphTensor made = graph.tensor(id);
  const int64_t each = std::ssize(*made.data) / made.shape[0];
  Reorder(order, each, uint8_t{0}, &*made.data);
  if (made.quant && made.quant->scale.size() > 1) {
    Reorder(order, 1, made.quant->scale[0], &made.quant->scale);
    Reorder(order, 1, int32_t{0}, &made.quant->zero);
  }
  made.shape[0] = std::ssize(order);
  made.name += kMovedName;
  return graph.AddTensor(std::move(made));
}

// The bias of |node| takes off what the zero points of its operand add to the sums. Those of gaps
// in |places| are not in the sums.
void LeaveOut(const Graph& graph, const std::vector<int64_t>& places, Node* node) {
  const GraphTensor& w = graph.tensor(node->inputs[1]);
  const int64_t outs = w.shape[0], ins = w.shape[1], taps = w.shape[2] * w.shape[3];
  const int64_t zero = graph.tensor(node->inputs[0]).zero();
  std::vector<int32_t>& bias = node->requant->bias;
  if (bias.size() < static_cast<size_t>(outs))
    bias.resize(static_cast<size_t>(outs), bias.empty() ? 0 : bias[0]);
  for (int64_t o = 0; o < outs; ++o) {
    int64_t sum = bias[static_cast<size_t>(o)];
    for (int64_t k = 0; k < ins * taps; ++k) {
      if (places[static_cast<size_t>(k / taps)] == kGap)
        sum += zero * static_cast<int8_t>((*w.data)[static_cast<size_t>(o * ins * taps + k)]);
    }
    bias[static_cast<size_t>(o)] = static_cast<int32_t>(sum);  // sums wrap
  }
}

}  // namespace

bool HasMovableWeights(const Graph& graph, const Node& node) {
  if (node.op != Op::kConv || !node.requant || node.inputs.size() < 2) return false;
  const GraphTensor& w = graph.tensor(node.inputs[1]);
  const bool biased = node.inputs.size() < 3 || graph.tensor(node.inputs[2]).constant();
  return graph.tensor(node.inputs[0]).dtype == DType::kInt8 &&
         graph.tensor(node.output).dtype == DType::kInt8 && w.dtype == DType::kInt8 &&
         w.constant() && biased && w.quant &&
         std::ranges::all_of(w.quant->zero, [](int32_t zero) { return zero == 0; });
}

bool IsPlainConv(const Graph& graph, const Node& node) {
  return HasMovableWeights(graph, node) && node.As<graph::ConvAttributes>().groups == 1;
}

bool IsDepthwise(const Graph& graph, const Node& node) {
  if (!HasMovableWeights(graph, node)) return false;
  const int64_t groups = node.As<graph::ConvAttributes>().groups;
  return groups > 1 && groups == graph.tensor(node.inputs[0]).shape[1] &&
         groups == graph.tensor(node.output).shape[1];
}

void ReadFrom(Graph& graph, TensorId x, const std::vector<int64_t>& places, Node* node) {
  GraphTensor made = graph.tensor(node->inputs[1]);
  const std::vector<uint8_t> before = *made.data;
  const int64_t outs = made.shape[0], ins = made.shape[1], all = graph.tensor(x).shape[1];
  const int64_t taps = made.shape[2] * made.shape[3], gaps = std::ranges::count(places, kGap);
  made.shape[1] = all;
  made.name += kMovedName;
  made.data->assign(static_cast<size_t>(made.count()), 0);
  for (int64_t o = 0; o < outs; ++o) {
    for (int64_t c = 0; c < ins; ++c) {
      const auto from = before.begin() + (o * ins + c) * taps;
      const int64_t place = places[static_cast<size_t>(c)];
      if (place != kGap)
        std::copy(from, from + taps, made.data->begin() + (o * all + place) * taps);
    }
  }
  if (gaps > 0) LeaveOut(graph, places, node);
  node->inputs[0] = x;
  node->inputs[1] = graph.AddTensor(std::move(made));
  node->Edit<graph::ConvAttributes>().idle_inputs += all - (ins - gaps);
}

void WriteIn(Graph& graph, const std::vector<int64_t>& order, Node* node) {
  auto& conv = node->Edit<graph::ConvAttributes>();
  const int64_t before = graph.tensor(node->inputs[1]).shape[0];
  conv.idle_outputs += std::ssize(order) - before;
  if (conv.groups > 1) conv.groups = std::ssize(order);
  for (size_t k = 1; k < node->inputs.size(); ++k)
    node->inputs[k] = Reordered(graph, node->inputs[k], order);
  graph::Requant& requant = *node->requant;
  if (requant.bias.size() > 1) Reorder(order, 1, int32_t{0}, &requant.bias);
  if (requant.multiplier.size() > 1) Reorder(order, 1, int32_t{1} << 30, &requant.multiplier);
  if (requant.shift.size() > 1) Reorder(order, 1, int8_t{0}, &requant.shift);
}

Node Selection(Graph& graph, TensorId x, const std::vector<int64_t>& from,
               const graph::OperandScale& scale, const graph::Requant& requant,
               const std::string& name) {
  const int64_t ins = graph.tensor(x).shape[1], outs = std::ssize(from);
  GraphTensor weights{.name = name + ".weights",
                      .shape = {outs, ins, 1, 1},
                      .quant = graph::Quant{{1.0}, {0}, -1},
                      .data = std::vector<uint8_t>(static_cast<size_t>(outs * ins))};
  graph::Requant made = requant;
  made.operands.clear();
  made.table.clear();
  made.bias.assign(from.size(), 0);
  made.multiplier.assign(from.size(), scale.multiplier);
  made.shift.assign(from.size(), scale.shift);
  int64_t gaps = 0;
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k] == kGap) {
      ++gaps;
      continue;
    }
    (*weights.data)[k * static_cast<size_t>(ins) + static_cast<size_t>(from[k])] = 1;
    made.bias[k] = -scale.zero;
  }
  Node node{.op = Op::kConv,
            .inputs = {x, graph.AddTensor(std::move(weights))},
            .attributes = graph::ConvAttributes{.idle_inputs = ins, .idle_outputs = gaps},
            .round = made.round,
            .requant = std::move(made)};
  node.lo = node.requant->lo, node.hi = node.requant->hi;
  return node;
}

}  // namespace tessera::network
