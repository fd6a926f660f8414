// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/gathers.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::graph {
namespace {

template <typename T>
std::vector<int64_t> IntegersIn(const std::vector<uint8_t>& bytes) {
  std::vector<T> read(bytes.size() / sizeof(T));
  std::memcpy(read.data(), bytes.data(), read.size() * sizeof(T));
  return {read.begin(), read.end()};
}

// The slice that takes |indices|, at least one; nothing: they are not at equal steps.
std::optional<AxisCut> CutOfIndices(const std::vector<int64_t>& indices) {
  const int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  for (size_t k = 1; k < indices.size(); ++k) {
    if (step == 0 || indices[k] - indices[k - 1] != step) return std::nullopt;
  }
  return AxisCut{indices[0], step, std::ssize(indices)};
}

}  // namespace

std::optional<std::vector<int64_t>> GatheredIndices(const Graph& graph, const Node& node) {
  const auto& [form, along] = node.As<GatherAttributes>();
  const GraphTensor& at = graph.tensor(node.inputs[1]);
  if (form != GatherAttributes::Form::kSlices || !at.constant()) return std::nullopt;
  const int64_t extent = graph.tensor(node.inputs[0]).shape[static_cast<size_t>(along)];
  std::vector<int64_t> indices =
      at.dtype == DType::kInt64 ? IntegersIn<int64_t>(*at.data) : IntegersIn<int32_t>(*at.data);
  // The definition counts negative indices from the end, and reads the nearest element outside.
  for (int64_t& index : indices)
    index = std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
  return indices;
}

void SliceGathers(Graph& graph) {
  std::vector<Node> made;
  for (Node& node : graph.nodes) {
    const auto indices = node.op == Op::kGather ? GatheredIndices(graph, node) : std::nullopt;
    const auto cut = indices && !indices->empty() ? CutOfIndices(*indices) : std::nullopt;
    if (!cut) {
      made.push_back(std::move(node));
      continue;
    }
    GraphTensor taken = graph.tensor(node.inputs[0]);
    SliceAttributes axes;
    for (const int64_t extent : taken.shape) axes.axes.push_back({0, 1, extent});
    const auto axis = static_cast<size_t>(node.As<GatherAttributes>().axis);
    axes.axes[axis] = *cut;
    taken.shape[axis] = cut->count;
    Node slice = node;
    slice.op = Op::kSlice;
    slice.inputs = {node.inputs[0]};
    slice.attributes = std::move(axes);
    if (taken.shape != graph.tensor(node.output).shape) {
      taken.name = graph.tensor(node.output).name + ".taken";
      taken.order.clear();
      slice.output = graph.AddTensor(std::move(taken));
      made.push_back(slice);
      made.push_back({.op = Op::kReshape,
                      .name = node.name + ".shape",
                      .inputs = {slice.output},
                      .output = node.output});
      continue;
    }
    made.push_back(std::move(slice));
  }
  graph.nodes = std::move(made);
}

}  // namespace tessera::graph
