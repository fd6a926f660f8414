// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/group_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/tensor_places.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

// The taps along x of |columns| neighbouring windows of |w|. Tap t is |dilation| * t elements
// behind the first.
struct Taps {
  int64_t count = 0, dilation = 1;
};

Taps TapsOf(const graph::Window& w, int64_t columns) {
  const int64_t span = (columns - 1) * w.stride[1] + (w.kernel[1] - 1) * w.dilation[1];
  if (columns == 1) return {w.kernel[1], w.dilation[1]};
  const int64_t dilation = std::gcd(w.stride[1], w.dilation[1]);
  return {span / dilation + 1, dilation};
}

class ColumnGrouper {
 public:
  ColumnGrouper(Graph& graph, const isa::Config& config) : graph_(graph), config_(config) {}

  std::optional<Parts> Split(const Node& node, TensorId last) {
    const int64_t columns = ColumnsOf(node, last);
    if (columns == 1) return std::nullopt;
    const graph::Shape shape = graph_.tensor(node.output).shape;
    const std::string label = fmt::format(".columns{}", columns),
                      name = graph_.tensor(node.output).name + label;
    const auto& given = node.As<graph::ConvAttributes>();
    const Taps taps = TapsOf(given.window, columns);
    graph::ConvAttributes conv = given;
    conv.window.kernel[1] = taps.count, conv.window.dilation[1] = taps.dilation;
    conv.window.stride[1] *= columns;
    conv.idle = taps.count - given.window.kernel[1];
    conv.idle_outputs *= columns;
    std::vector<TensorId> inputs{node.inputs[0], WeightsOf(node, columns, taps, name + ".weights")};
    if (node.inputs.size() > 2)
      inputs.push_back(Repeated(graph_, node.inputs[2], columns, name + ".bias"));
    Parts parts{.nodes = {},
                .results = {},
                .labels = {},
                .joined = graph::InterleaveAttributes{{1, 1}, columns}};
    AddConv(graph_, node, label, std::move(inputs), conv,
            {shape[0], shape[1] * columns, shape[2], shape[3] / columns}, &parts);
    return parts;
  }

 private:
  // The number of columns that takes the fewest cycles; 1: |node| stays as it is.
  int64_t ColumnsOf(const Node& node, TensorId last) const {
    const GraphTensor &in = graph_.tensor(node.inputs[0]), &out = graph_.tensor(node.output);
    if (node.op != Op::kConv || !node.requant || in.dtype != DType::kInt8 ||
        out.dtype != DType::kInt8 || node.As<graph::ConvAttributes>().groups > 1 ||
        !graph_.tensor(node.inputs[1]).constant())
      return 1;
    if (std::min(out.shape[0], config_.batch) > 1) return 1;  // a tile has whole blocks
    bool read = false;                                        // by what may run on the accelerator
    for (const size_t user : graph_.ConsumersOf(last)) {
      if (JoinsParts(graph_.nodes[user].op)) return 1;  // |last| may lie with gaps
      read = read || graph_.tensor(graph_.nodes[user].output).dtype == DType::kInt8;
    }
    int64_t best = 1, least = CyclesOf(node, 1, read);
    for (int64_t columns = 2; columns * out.shape[1] <= config_.block_out; ++columns) {
      if (out.shape[3] % columns != 0) continue;
      const int64_t cycles = CyclesOf(node, columns, read);
      if (cycles < least) least = cycles, best = columns;
    }
    return best;
  }

  // Cycles of the array and of the bus for the weights with |columns| columns as channels. If the
  // result is |read| again it cannot stay on chip, because its tiles differ there.
  int64_t CyclesOf(const Node& node, int64_t columns, bool read) const {
    const GraphTensor& out = graph_.tensor(node.output);
    const graph::Window& window = node.As<graph::ConvAttributes>().window;
    const int64_t tiles = TilesOf(node.inputs[0], window.kernel[0], TapsOf(window, columns).count);
    const int64_t results = out.shape[0] * out.shape[2] * out.shape[3] / columns;
    const int64_t moved = read && columns > 1 ? 2 * out.count() : 0;
    return results * tiles + (tiles * config_.wgt_tile_bytes() + moved) / config_.bus_bytes();
  }

  // Tile products of a window of |rows| by |columns| taps of |image|. Of what the host packs, taps
  // along rows, columns or both may be channels.
  int64_t TilesOf(TensorId image, int64_t rows, int64_t columns) const {
    const int64_t channels = graph_.tensor(image).shape[1];
    const auto blocks = [&](int64_t taps) { return CeilDiv(channels * taps, config_.block_in); };
    const int64_t apart = blocks(1) * rows * columns;
    const auto maker = std::ranges::find(graph_.nodes, image, &Node::output);
    const bool packed =
        maker == graph_.nodes.end() || graph_.tensor(maker->inputs[0]).dtype != DType::kInt8;
    if (!packed) return apart;
    return std::min(
        {apart, blocks(rows) * columns, blocks(columns) * rows, blocks(rows * columns)});
  }

  TensorId WeightsOf(const Node& node, int64_t columns, const Taps& taps, const std::string& name) {
    const TensorId wide = Repeated(graph_, node.inputs[1], columns, name);
    const graph::Window& window = node.As<graph::ConvAttributes>().window;
    const std::vector<uint8_t> all = *graph_.tensor(node.inputs[1]).data;
    GraphTensor& made = graph_.tensor(wide);
    const int64_t rows = made.shape[0] / columns * made.shape[1] * made.shape[2];
    made.shape[3] = taps.count;
    // Taps that a column does not have: a weight of 0, which stands for 0.
    made.data->assign(static_cast<size_t>(made.count()), 0);
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t k = 0; k < window.kernel[1]; ++k) {
          const int64_t tap = (column * window.stride[1] + k * window.dilation[1]) / taps.dilation;
          (*made.data)[static_cast<size_t>((column * rows + row) * taps.count + tap)] =
              all[static_cast<size_t>(row * window.kernel[1] + k)];
        }
      }
    }
    return wide;
  }

  Graph& graph_;
  const isa::Config& config_;
};

}  // namespace

void GroupColumns(Graph& graph, const isa::Config& config) {
  ColumnGrouper grouper(graph, config);
  IntoParts(graph, [&](const Node& node, TensorId last) { return grouper.Split(node, last); });
}

}  // namespace tessera::network
