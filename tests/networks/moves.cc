// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/moves.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace tessera::networks {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

// |x| as [N, C / groups, groups, H, W], which a reshape makes a shuffle of its channels: adds a
// reshape and a transposition, as PyTorch's exporter writes them.
TensorId Turned(Graph& graph, TensorId x, int64_t groups, const std::string& name) {
  const Shape in = graph.tensor(x).shape;
  const int64_t each = in[1] / groups;
  const auto add = [&](Op op, const char* label, Shape shape, graph::Attributes attributes) {
    GraphTensor made = graph.tensor(x);
    made.name = name + label;
    made.shape = std::move(shape);
    made.order.clear();
    graph.nodes.push_back({.op = op,
                           .name = made.name,
                           .inputs = {x},
                           .output = graph.AddTensor(made),
                           .attributes = std::move(attributes)});
    x = graph.nodes.back().output;
  };
  add(Op::kReshape, ".apart", {in[0], groups, each, in[2], in[3]}, {});
  add(Op::kTranspose, ".turned", {in[0], each, groups, in[2], in[3]},
      graph::TransposeAttributes{{0, 2, 1, 3, 4}});
  return x;
}

// |count| random channels of |x|, in order or not, some of them twice: a gather whose indices it
// adds.
Node Picked(Graph& graph, TensorId x, int64_t count, const std::string& name, Rng& rng) {
  const int64_t channels = graph.tensor(x).shape[1];
  GraphTensor at{.name = name, .dtype = DType::kInt64, .shape = {count}};
  at.data.emplace();
  const bool in_order = rng.OneIn(3);
  const int64_t first = rng.Range(0, channels - 1), step = rng.Range(1, 3);
  for (int64_t k = 0; k < count; ++k) {
    int64_t channel = in_order ? (first + k * step) % channels : rng.Range(0, channels - 1);
    if (rng.OneIn(4)) channel -= channels;  // counted from the end
    const auto bytes = std::bit_cast<std::array<uint8_t, 8>>(channel);
    at.data->insert(at.data->end(), bytes.begin(), bytes.end());
  }
  using graph::GatherAttributes;
  return {.op = Op::kGather,
          .inputs = {x, graph.AddTensor(std::move(at))},
          .attributes = GatherAttributes{GatherAttributes::Form::kSlices, 1}};
}

// Pads of rows and columns, or of channels.
Node Padded(const Graph& graph, TensorId x, const Step& step, Shape* shape) {
  graph::PadAttributes pad{std::vector<std::array<int64_t, 2>>(4), graph.tensor(x).zero()};
  const auto& pads = step[Field::kPads];
  if (step.kind == Kind::kWiden) {
    pad.pads[1] = {pads[0], pads[2]};
  } else {
    pad.pads[2] = {pads[0], pads[2]}, pad.pads[3] = {pads[1], pads[3]};
  }
  for (size_t d = 0; d < 4; ++d) (*shape)[d] += pad.pads[d][0] + pad.pads[d][1];
  return {.op = Op::kPad, .inputs = {x}, .attributes = std::move(pad)};
}

// Each row and column |times| times.
Node Resized(TensorId x, const std::array<int64_t, 4>& times, Shape* shape) {
  graph::ResizeAttributes from;
  for (size_t d = 0; d < 2; ++d) {
    (*shape)[2 + d] *= times[d];
    for (int64_t k = 0; k < (*shape)[2 + d]; ++k)
      (d == 0 ? from.rows : from.columns).push_back(k / times[d]);
  }
  return {.op = Op::kResize, .inputs = {x}, .attributes = std::move(from)};
}

}  // namespace

Result<Node> Moved(Graph& graph, TensorId x, const Step& step, const std::string& name, Rng& rng,
                   Shape* shape) {
  *shape = graph.tensor(x).shape;
  if (step.kind == Kind::kTranspose) {
    std::swap((*shape)[2], (*shape)[3]);
    return Node{.op = Op::kTranspose,
                .inputs = {x},
                .attributes = graph::TransposeAttributes{{0, 1, 3, 2}}};
  }
  if (step.kind == Kind::kResize) return Resized(x, step[Field::kKernel], shape);
  if (step.kind == Kind::kPick) {
    (*shape)[1] = step[Field::kOuts][0];
    return Picked(graph, x, (*shape)[1], name + ".at", rng);
  }
  if (step.kind != Kind::kShuffle) return Padded(graph, x, step, shape);
  const int64_t groups = step[Field::kGroups][0], channels = (*shape)[1];
  if (channels % groups != 0)
    return Fail(Code::kInvalidArgument, "{} groups of {} channels", groups, channels);
  return Node{.op = Op::kReshape, .inputs = {Turned(graph, x, groups, name)}};
}

}  // namespace tessera::networks
