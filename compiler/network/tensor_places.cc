// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/tensor_places.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>

#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;
using schedule::accel::Packing;

// Whether the machine's memory has a place for each element of |t|.
bool HasPlace(const GraphTensor& t) { return t.dtype == DType::kInt8 && t.shape.size() <= 4; }

Packing PackingOf(const GraphTensor& t, const isa::Config& config) {
  return schedule::accel::PackingOf(schedule::accel::ToShape4(t.shape), config);
}

// The byte of the packing of |whole| from which on |part|, its indices from |begin| of axis |axis|
// on, has its own packing; nothing: there is none.
std::optional<int64_t> OffsetOf(const GraphTensor& part, const GraphTensor& whole, size_t axis,
                                int64_t begin, const isa::Config& config) {
  if (!HasPlace(part) || !HasPlace(whole)) return std::nullopt;
  const Packing a = PackingOf(part, config), b = PackingOf(whole, config);
  if (a.layout != b.layout) return std::nullopt;
  const auto at = static_cast<int>(schedule::accel::PositionOf(whole.shape.size(), axis));
  const std::vector<int64_t> shape = PhysicalShape(b.shape, b.layout),
                             strides = PhysicalStrides(b.shape, b.layout);
  for (size_t d = 0; d < shape.size(); ++d) {
    const LayoutDim& dim = b.layout.dims[d];
    if (dim.dim == at) {
      if (begin % dim.div != 0) return std::nullopt;
      return begin / dim.div * strides[d];
    }
    if (shape[d] != 1) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Lying> LyingOfSlice(const Graph& graph, const Node& node, const isa::Config& config) {
  const GraphTensor &in = graph.tensor(node.inputs[0]), &out = graph.tensor(node.output);
  const auto& axes = node.As<graph::SliceAttributes>().axes;
  std::optional<size_t> cut;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].begin == 0 && axes[d].step == 1 && axes[d].count == in.shape[d]) continue;
    if (cut || axes[d].step != 1) return {};
    cut = d;
  }
  if (!cut) return {};
  const auto offset = OffsetOf(out, in, *cut, axes[*cut].begin, config);
  if (!offset) return {};
  return {{node.output, node.inputs[0], *offset}};
}

std::vector<Lying> LyingOfConcat(const Graph& graph, const Node& node, const isa::Config& config) {
  const auto axis = static_cast<size_t>(node.As<graph::ConcatAttributes>().axis);
  std::vector<Lying> parts;
  int64_t begin = 0;
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const TensorId id = node.inputs[k];
    const GraphTensor& part = graph.tensor(id);
    const auto offset = OffsetOf(part, graph.tensor(node.output), axis, begin, config);
    if (!offset || part.constant() || !graph::KeepsNumbers(graph, node, k)) return {};
    parts.push_back({id, node.output, *offset});
    begin += part.shape[axis];
  }
  return parts;
}

}  // namespace

std::vector<Lying> LyingOf(const Graph& graph, const Node& node, const isa::Config& config) {
  const auto placed = [&](TensorId id) { return HasPlace(graph.tensor(id)); };
  if (!placed(node.output) || !std::ranges::all_of(node.inputs, placed)) return {};
  if (node.op == Op::kSlice) return LyingOfSlice(graph, node, config);
  if (node.op == Op::kConcat) return LyingOfConcat(graph, node, config);
  if (node.op != Op::kReshape) return {};
  const GraphTensor &in = graph.tensor(node.inputs[0]), &out = graph.tensor(node.output);
  // Nothing applies the order in which the user gives or gets a tensor.
  const bool ordered = !in.order.empty() || !out.order.empty();
  if (ordered || schedule::accel::ToShape4(in.shape) != schedule::accel::ToShape4(out.shape))
    return {};
  return {{node.output, node.inputs[0], 0}};
}

TensorPlaces::TensorPlaces(const Graph& graph, const isa::Config& config,
                           const std::vector<bool>& on)
    : TensorPlaces(graph, config) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (on[n]) LayAll(LyingOf(graph, graph.nodes[n], config_));
  }
}

TensorPlace TensorPlaces::Of(TensorId id) const {
  TensorPlace place{id, 0};
  for (auto next = places_.find(id); next != places_.end(); next = places_.find(place.in))
    place = {next->second.in, place.offset + next->second.offset};
  return place;
}

int64_t TensorPlaces::BytesOf(TensorId id) const {
  const GraphTensor& t = graph_->tensor(id);
  return HasPlace(t) ? PackingOf(t, config_).bytes() : 0;
}

bool TensorPlaces::Overlap(TensorId a, TensorId b) const {
  const TensorPlace p = Of(a), q = Of(b);
  return p.in == q.in && p.offset < q.offset + BytesOf(b) && q.offset < p.offset + BytesOf(a);
}

bool TensorPlaces::Lay(const Lying& lying) {
  const TensorPlace part = Of(lying.part), whole = Of(lying.whole);
  if (part.in == whole.in) return part.offset == whole.offset + lying.offset;
  if (part.offset != 0 || BytesOf(part.in) != BytesOf(lying.part)) return false;
  places_[part.in] = {lying.whole, lying.offset};
  return true;
}

bool TensorPlaces::LayAll(const std::vector<Lying>& parts) {
  const std::map<TensorId, TensorPlace> before = places_;
  if (std::ranges::all_of(parts, [&](const Lying& part) { return Lay(part); })) return true;
  places_ = before;
  return false;
}

}  // namespace tessera::network
