// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "compiler/graph/op_def.h"

namespace tessera::graph {
namespace {

// Nodes of a region in floats: two layer normalisations and what is around them.
constexpr size_t kMostInFloats = 32;

// Whether |node| is elementwise with equal type and shape: an anchor's epilogue can compute it.
bool CanFollow(const Graph& graph, const Node& node, TensorId from) {
  return DefOf(node.op).category == Category::kElementwise &&
         graph.tensor(node.output).dtype == graph.tensor(from).dtype &&
         graph.tensor(node.output).shape == graph.tensor(from).shape;
}

// The region of |nodes|, which are in execution order.
Region RegionOf(const Graph& graph, std::vector<size_t> nodes) {
  Region region;
  region.nodes = std::move(nodes);
  std::vector<TensorId> inside;
  for (const size_t index : region.nodes) {
    const Node& node = graph.nodes[index];
    region.name += (region.name.empty() ? "" : "+") + node.name;
    for (const TensorId id : node.inputs) {
      const bool outside = std::ranges::count(inside, id) == 0 && !graph.tensor(id).constant();
      if (outside && std::ranges::count(region.inputs, id) == 0) region.inputs.push_back(id);
    }
    inside.push_back(node.output);
  }
  region.output = inside.back();
  return region;
}

// Whether |region| may be a part of a function in floats: of elements or rows, or a softmax.
bool InFloats(const Graph& graph, const Region& region) {
  const Op first = graph.nodes[region.nodes[0]].op;
  const Category category = DefOf(first).category;
  return category == Category::kElementwise || category == Category::kReduction ||
         first == Op::kSoftmax;
}

// Joins a region whose result is floats to the one that has all its readers, the last first. The
// regions stay in order: what a region reads is there before the region in front of its readers.
void JoinFloats(const Graph& graph, const std::function<bool(const Region&)>& may_be,
                std::vector<Region>* regions) {
  std::vector<size_t> home(graph.nodes.size());  // by node: its region
  for (size_t r = 0; r < regions->size(); ++r) {
    for (const size_t n : (*regions)[r].nodes) home[n] = r;
  }
  for (size_t r = regions->size(); r-- > 0;) {
    const Region& region = (*regions)[r];
    if (!IsFloat(graph.tensor(region.output).dtype) || !InFloats(graph, region)) continue;
    const std::vector<size_t> users = graph.ConsumersOf(region.output);
    if (users.empty() || std::ranges::count(graph.outputs, region.output) > 0) continue;
    const size_t by = home[users[0]];
    const Region& reader = (*regions)[by];
    if (!InFloats(graph, reader) || region.nodes.size() + reader.nodes.size() > kMostInFloats ||
        !std::ranges::all_of(users, [&](size_t n) { return home[n] == by; }))
      continue;
    std::vector<size_t> nodes = region.nodes;
    nodes.insert(nodes.end(), reader.nodes.begin(), reader.nodes.end());
    std::ranges::sort(nodes);
    Region joined = RegionOf(graph, std::move(nodes));
    if (may_be && !may_be(joined)) continue;
    for (const size_t n : region.nodes) home[n] = by;
    (*regions)[by] = std::move(joined);
    (*regions)[r].nodes.clear();
  }
  std::erase_if(*regions, [](const Region& region) { return region.nodes.empty(); });
}

}  // namespace

Followers::Followers(const Graph& graph) : graph_(graph), reader_(graph.tensors.size()) {
  std::vector<size_t> readers(graph.tensors.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (std::ranges::count(std::span(node.inputs).first(i), node.inputs[i]) > 0) continue;
      const auto t = static_cast<size_t>(node.inputs[i]);
      ++readers[t];
      reader_[t] = CanFollow(graph, node, node.inputs[i]) ? std::optional(n) : std::nullopt;
    }
  }
  for (size_t t = 0; t < readers.size(); ++t) {
    if (readers[t] != 1) reader_[t].reset();
  }
  for (const TensorId id : graph.outputs) reader_[static_cast<size_t>(id)].reset();
}

std::optional<size_t> Followers::After(const Region& region) const {
  const Category category = DefOf(graph_.nodes[region.nodes[0]].op).category;
  if (category != Category::kComplex && category != Category::kReduction) return std::nullopt;
  return reader_[static_cast<size_t>(region.output)];
}

Region Joined(const Graph& graph, const Region& region, size_t node) {
  std::vector<size_t> nodes = region.nodes;
  nodes.push_back(node);
  return RegionOf(graph, std::move(nodes));
}

std::vector<Region> Fuse(const Graph& graph, bool join,
                         const std::function<bool(const Region&)>& may_be) {
  std::vector<bool> taken(graph.nodes.size());
  std::vector<bool> made(graph.tensors.size());  // available before the current region starts
  for (size_t i = 0; i < graph.tensors.size(); ++i) made[i] = graph.tensors[i].constant();
  for (TensorId id : graph.inputs) made[static_cast<size_t>(id)] = true;

  const Followers followers(graph);
  std::vector<Region> regions;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (taken[n]) continue;
    Region region = RegionOf(graph, {n});
    taken[n] = true;
    while (join) {
      const std::optional<size_t> next = followers.After(region);
      if (!next || taken[*next]) break;
      const bool ready = std::ranges::all_of(graph.nodes[*next].inputs, [&](TensorId id) {
        return id == region.output || made[static_cast<size_t>(id)];
      });
      if (!ready) break;
      Region joined = Joined(graph, region, *next);
      if (may_be && !may_be(joined)) break;
      region = std::move(joined);
      taken[*next] = true;
    }
    made[static_cast<size_t>(region.output)] = true;
    regions.push_back(std::move(region));
  }
  if (join) JoinFloats(graph, may_be, &regions);
  return regions;
}

std::string Print(const Graph& graph, const std::vector<Region>& regions) {
  std::string text;
  for (size_t i = 0; i < regions.size(); ++i) {
    std::vector<std::string_view> ops;
    for (size_t n : regions[i].nodes) ops.push_back(Text(graph.nodes[n].op));
    text += fmt::format("region {} {}: {} -> %{}\n", i, regions[i].name, fmt::join(ops, " + "),
                        graph.tensor(regions[i].output).name);
  }
  return text;
}

}  // namespace tessera::graph
