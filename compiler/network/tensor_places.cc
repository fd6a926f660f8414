// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/tensor_places.h"

#include <algorithm>
#include <array>
#include <functional>
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
using schedule::accel::Lattice;
using schedule::accel::Packing;

// Whether the machine's memory has a place for each element of |t|.
bool HasPlace(const GraphTensor& t) { return t.dtype == DType::kInt8 && t.shape.size() <= 4; }

Packing PackingOf(const GraphTensor& t, const isa::Config& config) {
  return schedule::accel::PackingOf(schedule::accel::ToShape4(t.shape), config);
}

// Indices begin, begin + step, .. of an axis. Of channels |blocks| is the step from a block to the
// next.
struct Along {
  int64_t begin = 0, step = 1, blocks = 1;
};

// The piece of the packing of |whole| that the packing of |part| is, whose index k of axis d is
// index along[d].begin + k * along[d].step of |whole|, if |along|[d].blocks is 1; nothing: it is no
// piece of it.
std::optional<Lattice> LatticeOf(const GraphTensor& part, const GraphTensor& whole,
                                 const std::vector<Along>& along, const isa::Config& config) {
  if (!HasPlace(part) || !HasPlace(whole)) return std::nullopt;
  const Packing a = PackingOf(part, config), b = PackingOf(whole, config);
  if (a.layout != b.layout) return std::nullopt;
  std::array<Along, 4> at;
  for (size_t d = 0; d < along.size(); ++d)
    at[schedule::accel::PositionOf(along.size(), d)] = along[d];
  Lattice piece = schedule::accel::WholeOf(a);
  for (size_t d = 0; d < piece.size(); ++d) {
    const LayoutDim& dim = b.layout.dims[d];
    const auto [begin, step, blocks] = at[static_cast<size_t>(dim.dim)];
    // A block, and the rows of several images in a tile, stay as they are.
    const bool blocked = dim.div > 1 || dim.mod > 0;
    if (step < 1 ||
        (blocked && (step != 1 || (dim.mod > 0 ? begin % dim.mod : begin % dim.div) != 0)))
      return std::nullopt;
    if (dim.mod == 0) piece[d].begin = begin / dim.div, piece[d].step = step * blocks;
  }
  return piece;
}

// Whether |a| and |b|, which have the same elements in row-major order, have the same bytes when
// packed: blocks of channels stay whole, of one image or of several.
bool HaveSameBytes(const GraphTensor& a, const GraphTensor& b, const isa::Config& config) {
  const schedule::accel::Shape4 p = schedule::accel::ToShape4(a.shape),
                                q = schedule::accel::ToShape4(b.shape);
  if (p[2] * p[3] != q[2] * q[3]) return false;
  if (p[0] == q[0]) return true;
  return config.batch == 1 && p[1] % config.block_out == 0 && q[1] % config.block_out == 0;
}

std::vector<Lying> LyingOfSlice(const Graph& graph, const Node& node, const isa::Config& config) {
  std::vector<Along> along;
  for (const graph::AxisCut& cut : node.As<graph::SliceAttributes>().axes)
    along.push_back({cut.begin, cut.count > 1 ? cut.step : 1, 1});
  const auto piece =
      LatticeOf(graph.tensor(node.output), graph.tensor(node.inputs[0]), along, config);
  if (!piece) return {};
  return {{node.output, node.inputs[0], *piece}};
}

// The image that |part| holds: so many |columns| beside each other are its channels.
GraphTensor ImageOf(GraphTensor part, int64_t columns) {
  if (columns > 1) part.shape[1] /= columns, part.shape[3] *= columns;
  return part;
}

// Lays operand k of |node| at |along(k)| of the result, so many |columns| as channels.
std::vector<Lying> LyingOfParts(const Graph& graph, const Node& node, const isa::Config& config,
                                const std::function<std::vector<Along>(size_t)>& along,
                                int64_t columns = 1) {
  std::vector<Lying> parts;
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const TensorId id = node.inputs[k];
    const GraphTensor& part = graph.tensor(id);
    const auto piece =
        LatticeOf(ImageOf(part, columns), graph.tensor(node.output), along(k), config);
    if (!piece || part.constant() || !graph::KeepsNumbers(graph, node, k)) return {};
    parts.push_back({.part = id, .whole = node.output, .piece = *piece, .columns = columns});
  }
  return parts;
}

std::vector<Lying> LyingOfConcat(const Graph& graph, const Node& node, const isa::Config& config) {
  const auto axis = static_cast<size_t>(node.As<graph::ConcatAttributes>().axis);
  return LyingOfParts(graph, node, config, [&](size_t k) {
    std::vector<Along> along(graph.tensor(node.output).shape.size());
    for (size_t before = 0; before < k; ++before)
      along[axis].begin += graph.tensor(node.inputs[before]).shape[axis];
    return along;
  });
}

std::vector<Lying> LyingOfInterleave(const Graph& graph, const Node& node,
                                     const isa::Config& config) {
  const auto& attributes = node.As<graph::InterleaveAttributes>();
  const graph::Shape& shape = graph.tensor(node.output).shape;
  if (!ColumnsFit(shape[0], shape[1], attributes.columns, config)) return {};
  if (attributes.channels > 0) {
    if (attributes.channels != config.block_out) return {};
    return LyingOfParts(graph, node, config, [&](size_t k) {
      const int64_t first = static_cast<int64_t>(k) * config.block_out;
      return std::vector<Along>{{}, {first, 1, std::ssize(node.inputs)}, {}, {}};
    });
  }
  const auto [rows, columns] = attributes.steps;
  const auto along = [&, rows = rows, columns = columns](size_t k) {
    const auto part = static_cast<int64_t>(k);
    return std::vector<Along>{{}, {}, {part / columns, rows, 1}, {part % columns, columns, 1}};
  };
  return LyingOfParts(graph, node, config, along, attributes.columns);
}

}  // namespace

std::vector<Lying> LyingOf(const Graph& graph, const Node& node, const isa::Config& config) {
  const auto placed = [&](TensorId id) { return HasPlace(graph.tensor(id)); };
  if (!placed(node.output) || !std::ranges::all_of(node.inputs, placed)) return {};
  if (node.op == Op::kSlice) return LyingOfSlice(graph, node, config);
  if (node.op == Op::kConcat) return LyingOfConcat(graph, node, config);
  if (node.op == Op::kInterleave) return LyingOfInterleave(graph, node, config);
  if (node.op != Op::kReshape) return {};
  const GraphTensor &in = graph.tensor(node.inputs[0]), &out = graph.tensor(node.output);
  // Nothing applies the order in which the user gives or gets a tensor.
  const bool ordered = !in.order.empty() || !out.order.empty();
  if (ordered || !HaveSameBytes(in, out, config)) return {};
  const bool other = schedule::accel::ToShape4(in.shape) != schedule::accel::ToShape4(out.shape);
  return {{node.output, node.inputs[0], schedule::accel::WholeOf(PackingOf(in, config)), other}};
}

bool ColumnsFit(int64_t images, int64_t channels, int64_t columns, const isa::Config& config) {
  if (columns == 1 || channels % config.block_out == 0) return true;
  return channels * columns <= config.block_out && std::min(images, config.batch) == 1;
}

TensorPlaces::TensorPlaces(const Graph& graph, const isa::Config& config,
                           const std::vector<bool>& on)
    : TensorPlaces(graph, config) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (on[n]) LayAll(LyingOf(graph, graph.nodes[n], config_));
  }
}

Packing TensorPlaces::Alone(TensorId id) const {
  return network::PackingOf(graph_->tensor(id), config_);
}

TensorPlace TensorPlaces::Of(TensorId id) const {
  TensorPlace place{id, {}};
  if (HasPlace(graph_->tensor(id))) place.piece = schedule::accel::WholeOf(Alone(id));
  for (auto next = places_.find(id); next != places_.end(); next = places_.find(place.in)) {
    const TensorPlace& outer = next->second;
    if (outer.other_dims) return outer;  // which lies in no other
    place = {outer.in,
             outer.columns > 1 ? outer.piece : schedule::accel::Within(place.piece, outer.piece),
             false, std::max(place.columns, outer.columns)};
  }
  return place;
}

Packing TensorPlaces::PackingOf(TensorId id) const {
  const TensorPlace place = Of(id);
  if (place.other_dims) return Alone(id);
  return schedule::accel::PackingIn(Alone(id), place.piece, Alone(place.in), place.columns);
}

int64_t TensorPlaces::OffsetOf(TensorId id) const {
  const TensorPlace place = Of(id);
  return schedule::accel::OffsetIn(place.piece, Alone(place.in));
}

bool TensorPlaces::Overlap(TensorId a, TensorId b) const {
  const TensorPlace p = Of(a), q = Of(b);
  return p.in == q.in && (p.piece.empty() || schedule::accel::SharedBy(p.piece, q.piece) > 0);
}

bool TensorPlaces::Lay(const Lying& lying) {
  const TensorPlace part = Of(lying.part), whole = Of(lying.whole);
  if (whole.columns > 1) return false;
  if (part.in == whole.in) {
    return part.piece == schedule::accel::Within(lying.piece, whole.piece) &&
           part.columns == lying.columns;
  }
  if (part.piece != schedule::accel::WholeOf(Alone(part.in))) return false;
  // The bytes of other dimensions stay together: none of the two tensors lies in a third one.
  // Nothing lies in columns that are channels.
  const auto holds_others = [&](const auto& place) {
    return place.second.in == part.in && (place.second.other_dims || lying.columns > 1);
  };
  if (std::ranges::any_of(places_, holds_others)) return false;
  if (whole.other_dims) {
    // All of these bytes may have yet other dimensions.
    if (part.in != lying.part || lying.piece != schedule::accel::WholeOf(Alone(lying.whole)))
      return false;
    places_[lying.part] = whole;
    return true;
  }
  if (lying.other_dims) {
    const Lattice all = schedule::accel::WholeOf(Alone(whole.in));
    if (part.in != lying.part || whole.piece != all) return false;
    places_[lying.part] = {whole.in, all, true};
    return true;
  }
  places_[part.in] = {lying.whole, lying.piece, false, lying.columns};
  return true;
}

bool TensorPlaces::LayAll(const std::vector<Lying>& parts) {
  if (parts.empty()) return true;
  const std::map<TensorId, TensorPlace> before = places_;
  if (std::ranges::all_of(parts, [&](const Lying& part) { return Lay(part); })) return true;
  places_ = before;
  return false;
}

}  // namespace tessera::network
