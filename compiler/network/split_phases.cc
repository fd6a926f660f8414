// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/split_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/join_parts.h"
#include "compiler/network/tensor_places.h"
#include "compiler/quantize/params.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

constexpr int64_t kNoTap = -1;  // a weight of 0

// One axis of a phase, or of several whose results are channels of one convolution. Of stride 1:
// tap j of result q reads element q + first + j * dilation, and has weight taps[k][j] of the
// transposed convolution in phase k.
struct PhaseAxis {
  std::vector<std::vector<int64_t>> taps;  // as many for each phase; none: no weight reaches it
  int64_t dilation = 1, first = 0, out = 0;

  int64_t phases() const { return std::ssize(taps); }
  int64_t kernel() const { return std::max<int64_t>(std::ssize(taps[0]), 1); }
  // Elements from |first| to here are read, perhaps outside of the image.
  int64_t end() const { return first + out + (kernel() - 1) * dilation; }
};

// Phase |phase| along axis |d|: of the results y = stride * q + phase. Tap k of result y reads
// element (y + pad - k * dilation) / stride, if that is a whole number.
PhaseAxis AxisOf(const graph::TransposedConvAttributes& attributes, size_t d, int64_t phase) {
  const graph::Window& w = attributes.window;
  const int64_t stride = w.stride[d], at = phase + w.pad_before[d];
  PhaseAxis axis{.taps = {{}},
                 .dilation = w.dilation[d] / std::gcd(w.dilation[d], stride),
                 .out = CeilDiv(attributes.out[d] - phase, stride)};
  for (int64_t k = w.kernel[d]; k-- > 0;) {
    const int64_t from = at - k * w.dilation[d];
    if (from % stride != 0) continue;
    if (axis.taps[0].empty()) axis.first = from / stride;
    axis.taps[0].push_back(k);
  }
  return axis;
}

// |phases| as channels, with a window that covers theirs; nothing: they have other numbers of taps
// or results.
std::optional<PhaseAxis> Joined(const std::vector<PhaseAxis>& phases) {
  PhaseAxis all{.taps = {}, .dilation = 0, .first = phases[0].first, .out = phases[0].out};
  const size_t count = phases[0].taps[0].size();
  for (const PhaseAxis& phase : phases) {
    if (phase.taps[0].size() != count || count == 0 || phase.out != all.out) return std::nullopt;
    all.first = std::min(all.first, phase.first);
  }
  int64_t last = 0;  // element of the window, from |first| on
  for (const PhaseAxis& phase : phases) {
    const int64_t from = phase.first - all.first, step = count > 1 ? phase.dilation : 0;
    all.dilation = std::gcd(all.dilation, std::gcd(from, step));
    last = std::max(last, from + (phase.kernel() - 1) * step);
  }
  all.dilation = std::max<int64_t>(all.dilation, 1);
  for (const PhaseAxis& phase : phases) {
    auto& taps = all.taps.emplace_back(static_cast<size_t>(last / all.dilation + 1), kNoTap);
    for (size_t j = 0; j < count; ++j) {
      const int64_t from = phase.first - all.first + static_cast<int64_t>(j) * phase.dilation;
      taps[static_cast<size_t>(from / all.dilation)] = phase.taps[0][j];
    }
  }
  return all;
}

class PhaseSplitter {
 public:
  PhaseSplitter(Graph& graph, const isa::Config& config) : graph_(graph), config_(config) {}

  std::optional<Parts> Split(const Node& node) {
    if (!Splits(node)) return std::nullopt;
    const auto& attributes = node.As<graph::TransposedConvAttributes>();
    const std::vector<PhaseAxis> columns = ColumnsOf(node);
    const int64_t rows = attributes.window.stride[0];
    Parts parts{
        .nodes = {},
        .results = {},
        .labels = {},
        .joined = graph::InterleaveAttributes{{rows, std::ssize(columns)}, columns[0].phases()}};
    const char* label = columns[0].phases() > 1 ? ".row" : ".phase";
    for (int64_t row = 0; row < rows; ++row) {
      for (const PhaseAxis& column : columns) {
        AddPhase(node, {AxisOf(attributes, 0, row), column},
                 fmt::format("{}{}", label, parts.results.size()), &parts);
      }
    }
    return parts;
  }

 private:
  // The phases along x, or all of them as one.
  std::vector<PhaseAxis> ColumnsOf(const Node& node) const {
    const auto& attributes = node.As<graph::TransposedConvAttributes>();
    std::vector<PhaseAxis> phases;
    for (int64_t phase = 0; phase < attributes.window.stride[1]; ++phase)
      phases.push_back(AxisOf(attributes, 1, phase));
    const graph::Shape& out = graph_.tensor(node.output).shape;
    const bool grouped = graph_.tensor(node.inputs[0]).shape[1] != WeightsShape(node)[1];
    const int64_t count = std::ssize(phases);
    if (count == 1 || grouped || !ColumnsFit(out[0], out[1], count, config_)) return phases;
    const std::optional<PhaseAxis> all = Joined(phases);
    if (!all) return phases;
    // Tile products of a column for each block of the image's channels, and for each row of taps.
    const auto tiles = [&](const PhaseAxis& axis) {
      return CeilDiv(out[1] * axis.phases(), config_.block_out) * axis.kernel();
    };
    const int64_t more = tiles(*all) - count * tiles(phases[0]);
    return more < 0 || (more == 0 && LoadsBound(node, tiles(phases[0]))) ? std::vector{*all}
                                                                         : phases;
  }

  // Whether LOAD takes as long as the array for phases of |tiles| products of each row of taps,
  // because the image does not stay on chip: half of INP has no room for it.
  bool LoadsBound(const Node& node, int64_t tiles) const {
    const GraphTensor& image = graph_.tensor(node.inputs[0]);
    const auto& attributes = node.As<graph::TransposedConvAttributes>();
    const int64_t rows = attributes.window.stride[0], tile = config_.TileBytes(isa::Memory::kInp);
    int64_t products = 0;
    for (int64_t row = 0; row < rows; ++row)
      products += AxisOf(attributes, 0, row).kernel() * tiles;
    const int64_t blocks = CeilDiv(image.shape[1], config_.block_in),
                  places = CeilDiv(image.shape[0], config_.batch) * image.shape[2] * image.shape[3];
    return 2 * blocks * places > config_.Depth(isa::Memory::kInp) &&
           rows * tile >= products * config_.array_passes * config_.bus_bytes();
  }

  const graph::Shape& WeightsShape(const Node& node) const {
    return graph_.tensor(node.inputs[1]).shape;
  }

  bool Splits(const Node& node) const {
    if (node.op != Op::kTransposedConv || graph_.tensor(node.output).dtype != DType::kInt8 ||
        graph_.tensor(node.inputs[0]).dtype != DType::kInt8 || !node.requant)
      return false;
    // Each phase reads the image somewhere, and has results.
    const auto& attributes = node.As<graph::TransposedConvAttributes>();
    for (size_t d = 0; d < 2; ++d) {
      const int64_t extent = graph_.tensor(node.inputs[0]).shape[2 + d];
      for (int64_t phase = 0; phase < attributes.window.stride[d]; ++phase) {
        const PhaseAxis axis = AxisOf(attributes, d, phase);
        if (axis.out < 1 || axis.first >= extent || axis.end() < 1) return false;
      }
    }
    return true;
  }

  // The weights of the taps of |axes|.
  TensorId WeightsOf(const Node& node, const std::array<PhaseAxis, 2>& axes,
                     const std::string& name) {
    const TensorId id = Repeated(graph_, node.inputs[1], axes[1].phases(), name);
    const GraphTensor& all = graph_.tensor(node.inputs[1]);
    const int64_t pairs = all.shape[0] * all.shape[1], rows = all.shape[2], columns = all.shape[3];
    GraphTensor& made = graph_.tensor(id);
    made.data->clear();
    for (size_t d = 0; d < 2; ++d) made.shape[2 + d] = axes[d].kernel();
    for (const std::vector<int64_t>& row : axes[1].taps) {
      for (int64_t pair = 0; pair < pairs; ++pair) {
        for (const int64_t y : axes[0].taps[0]) {
          for (const int64_t x : row) {
            const int64_t at = (pair * rows + y) * columns + x;
            made.data->push_back(x == kNoTap ? 0 : (*all.data)[static_cast<size_t>(at)]);
          }
        }
      }
    }
    // Without a tap the sums are the biases: a weight of 0, which stands for 0.
    made.data->resize(static_cast<size_t>(made.count()));
    return id;
  }

  // The rows and columns of |image| that a convolution reads that begins behind its first one, or
  // ends before its last.
  TensorId CutOf(const Node& node, const std::array<std::array<int64_t, 2>, 2>& cut,
                 const std::string& name, std::vector<Node>* made) {
    const TensorId image = node.inputs[0];
    const graph::Shape in = graph_.tensor(image).shape;
    if (cut[0] == std::array{int64_t{0}, in[2]} && cut[1] == std::array{int64_t{0}, in[3]})
      return image;
    graph::SliceAttributes axes{{{0, 1, in[0]}, {0, 1, in[1]}}};
    for (const auto& [begin, end] : cut) axes.axes.push_back({begin, 1, end - begin});
    Node slice{.op = Op::kSlice, .name = name + ".cut", .inputs = {image}};
    slice.output = AddLike(graph_, image, name + ".cut",
                           {in[0], in[1], axes.axes[2].count, axes.axes[3].count});
    slice.attributes = std::move(axes);
    made->push_back(slice);
    return slice.output;
  }

  // Adds the convolution of a phase to |parts|.
  void AddPhase(const Node& node, const std::array<PhaseAxis, 2>& axes, const std::string& label,
                Parts* parts) {
    const std::string name = graph_.tensor(node.output).name + label;
    const graph::Shape in = graph_.tensor(node.inputs[0]).shape;
    const auto& given = node.As<graph::TransposedConvAttributes>();
    graph::ConvAttributes conv;
    conv.groups = in[1] / WeightsShape(node)[1];
    conv.single = given.single;
    conv.idle = std::ranges::count(axes[1].taps[0], kNoTap);  // in each phase as many
    std::array<std::array<int64_t, 2>, 2> cut{};
    for (size_t d = 0; d < 2; ++d) {
      const PhaseAxis& axis = axes[d];
      cut[d] = {std::max<int64_t>(axis.first, 0), std::min(axis.end(), in[2 + d])};
      conv.window.kernel[d] = axis.kernel();
      conv.window.dilation[d] = axis.dilation;
      conv.window.pad_before[d] = cut[d][0] - axis.first;
      conv.window.pad_after[d] = axis.end() - cut[d][1];
    }
    std::vector<TensorId> inputs{CutOf(node, cut, name, &parts->nodes),
                                 WeightsOf(node, axes, name + ".weights")};
    const int64_t phases = axes[1].phases();
    if (node.inputs.size() > 2)
      inputs.push_back(phases > 1 ? Repeated(graph_, node.inputs[2], phases, name + ".bias")
                                  : node.inputs[2]);
    graph::Shape shape = graph_.tensor(node.output).shape;
    shape[1] *= phases, shape[2] = axes[0].out, shape[3] = axes[1].out;
    AddConv(graph_, node, label, std::move(inputs), conv, shape, parts);
  }

  Graph& graph_;
  const isa::Config& config_;
};

// A concatenation's operand in another scale than its result is copied in that scale. The copy of a
// transposed convolution's result is a node of its own here: then each phase makes its share of it.
void ScaleOperands(Graph& graph) {
  std::vector<TensorId> made;  // by transposed convolutions, and functions of one value behind them
  for (const Node& node : graph.nodes) {
    if (node.op != Op::kTransposedConv) continue;
    const std::vector<size_t> followers = FollowersOf(graph, node);
    made.push_back(followers.empty() ? node.output : graph.nodes[followers.back()].output);
  }
  std::vector<Node> nodes;
  for (Node node : graph.nodes) {
    const bool scales = node.op == Op::kConcat && node.requant &&
                        node.requant->operands.size() == node.inputs.size() && node.lo <= -128 &&
                        node.hi >= 127;
    const Node given = node;
    for (size_t k = 0; k < node.inputs.size() && scales; ++k) {
      const TensorId id = given.inputs[k];
      if (std::ranges::count(made, id) == 0 || graph::KeepsNumbers(graph, given, k) ||
          graph.ConsumersOf(id).size() > 1)
        continue;
      nodes.push_back(PartCopy(graph, given, k));
      node.inputs[k] = nodes.back().output;
    }
    if (node.inputs != given.inputs) {
      const Status attached = quantize::AttachRequant(graph, node);
      TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);  // |given| has one
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace

void SplitPhases(Graph& graph, const isa::Config& config) {
  ScaleOperands(graph);
  PhaseSplitter splitter(graph, config);
  IntoParts(graph, [&](const Node& node, TensorId) { return splitter.Split(node); });
}

}  // namespace tessera::network
