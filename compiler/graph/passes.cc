// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/gathers.h"
#include "compiler/graph/op_def.h"

namespace tessera::graph {

void RemoveDead(Graph& graph) {
  std::vector<bool> used(graph.tensors.size());
  for (TensorId id : graph.inputs) used[static_cast<size_t>(id)] = true;
  for (TensorId id : graph.outputs) used[static_cast<size_t>(id)] = true;
  std::vector<Node> alive;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!used[static_cast<size_t>(node->output)]) continue;
    for (TensorId id : node->inputs) used[static_cast<size_t>(id)] = true;
    alive.push_back(std::move(*node));
  }
  std::ranges::reverse(alive);
  graph.nodes = std::move(alive);

  std::vector<TensorId> moved(graph.tensors.size(), -1);
  std::vector<GraphTensor> kept;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (!used[i]) continue;
    moved[i] = static_cast<TensorId>(kept.size());
    kept.push_back(std::move(graph.tensors[i]));
  }
  graph.tensors = std::move(kept);
  const auto renumber = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) id = moved[static_cast<size_t>(id)];
  };
  renumber(graph.inputs);
  renumber(graph.outputs);
  for (Node& node : graph.nodes) {
    renumber(node.inputs);
    node.output = moved[static_cast<size_t>(node.output)];
  }
}

namespace {

// Reorders elements of |size| bytes from [O, H, W, C] to |shape| = [O, C, H, W].
std::vector<uint8_t> ToChannelsFirst(const std::vector<uint8_t>& bytes,
                                     const std::vector<int64_t>& shape, int64_t size) {
  std::vector<uint8_t> moved(bytes.size());
  const int64_t pixels = shape[2] * shape[3];
  for (int64_t o = 0; o < shape[0]; ++o) {
    for (int64_t p = 0; p < pixels; ++p) {
      for (int64_t c = 0; c < shape[1]; ++c) {
        const auto from = bytes.begin() + ((o * pixels + p) * shape[1] + c) * size;
        std::copy(from, from + size, moved.begin() + ((o * shape[1] + c) * pixels + p) * size);
      }
    }
  }
  return moved;
}

}  // namespace

void FoldPads(Graph& graph) {
  for (Node& node : graph.nodes) {
    if (node.op != Op::kConv) continue;
    const auto producer = graph.ProducerOf(node.inputs[0]);
    if (!producer || graph.nodes[*producer].op != Op::kPad) continue;
    const Node& pad = graph.nodes[*producer];
    const auto& [pads, value, real, mode] = pad.As<PadAttributes>();
    const std::array<int64_t, 2> none{0, 0};
    const GraphTensor& x = graph.tensor(node.inputs[0]);
    const bool zero = IsFloat(x.dtype) ? real == 0 : value == x.zero();
    if (pads[0] != none || pads[1] != none || !zero || mode != PadMode::kConstant) continue;
    Window& window = node.Edit<ConvAttributes>().window;
    for (size_t d = 0; d < 2; ++d) {
      window.pad_before[d] += pads[d + 2][0];
      window.pad_after[d] += pads[d + 2][1];
    }
    node.inputs[0] = pad.inputs[0];
  }
}

void FoldTransposes(Graph& graph) {
  std::vector<TensorId> same(graph.tensors.size());  // by tensor: one with the same elements
  std::iota(same.begin(), same.end(), TensorId{0});
  for (Node& node : graph.nodes) {
    for (TensorId& id : node.inputs) id = same[static_cast<size_t>(id)];
    if (node.op != Op::kTranspose) continue;
    const auto producer = graph.ProducerOf(node.inputs[0]);
    if (!producer || graph.nodes[*producer].op != Op::kTranspose) continue;
    const Node& first = graph.nodes[*producer];
    const std::vector<int> before = first.As<TransposeAttributes>().perm;
    std::vector<int>& perm = node.Edit<TransposeAttributes>().perm;
    for (int& axis : perm) axis = before[static_cast<size_t>(axis)];
    node.inputs[0] = first.inputs[0];
    // The user's tensor has a name of its own.
    if (std::ranges::is_sorted(perm) && std::ranges::count(graph.outputs, node.output) == 0)
      same[static_cast<size_t>(node.output)] = node.inputs[0];
  }
}

void DenseToConv(Graph& graph) {
  std::vector<Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  for (Node& node : nodes) {
    const auto producer = node.op == Op::kDense ? graph.ProducerOf(node.inputs[0]) : std::nullopt;
    if (!producer || graph.nodes[*producer].op != Op::kReshape) {
      graph.nodes.push_back(std::move(node));
      continue;
    }
    TensorId image = graph.nodes[*producer].inputs[0];
    const auto mover = graph.ProducerOf(image);
    const bool by_rows =
        mover && graph.nodes[*mover].op == Op::kTranspose &&
        graph.nodes[*mover].As<TransposeAttributes>().perm == std::vector<int>{0, 2, 3, 1};
    if (by_rows) image = graph.nodes[*mover].inputs[0];
    const std::vector<int64_t> in = graph.tensor(image).shape;
    const std::vector<int64_t> row{1, graph.tensor(image).count()};
    if (in.size() != 4 || in[0] != 1 || graph.tensor(node.inputs[0]).shape != row) {
      graph.nodes.push_back(std::move(node));
      continue;
    }
    // [O, C*H*W] and [O, C, H, W] are the same bytes in row-major order: only the shape changes.
    GraphTensor weights = graph.tensor(node.inputs[1]);
    weights.shape = {weights.shape[0], in[1], in[2], in[3]};
    if (by_rows)
      weights.data = ToChannelsFirst(*weights.data, weights.shape, SizeOf(weights.dtype));
    const GraphTensor flat = graph.tensor(node.output);
    GraphTensor result = flat;
    result.name += ".rank4";
    result.shape = {1, weights.shape[0], 1, 1};
    Node conv = node;
    conv.op = Op::kConv;
    conv.attributes = ConvAttributes{.window = {.kernel = {in[2], in[3]}}};
    conv.inputs[0] = image;
    conv.inputs[1] = graph.AddTensor(std::move(weights));
    conv.output = graph.AddTensor(std::move(result));
    Node reshape{.op = Op::kReshape, .name = node.name + ".flat", .inputs = {conv.output}};
    reshape.output = node.output;
    graph.nodes.push_back(std::move(conv));
    graph.nodes.push_back(std::move(reshape));
  }
}

void Simplify(Graph& graph) {
  SliceGathers(graph);
  FoldTransposes(graph);
  FoldPads(graph);
  FoldFactors(graph);
  DenseToConv(graph);
  RemoveDead(graph);
}

}  // namespace tessera::graph
