// SPDX-License-Identifier: Apache-2.0
#include "tools/docs/schedule_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bits.h"
#include "isa/memories.h"
#include "tools/docs/schedule_problems.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

struct LayerSize {
  const char* name;
  int64_t channels, outs, extent, taps, stride;
};

// The layers by the names of VTA's papers.
constexpr LayerSize kLayers[] = {
    {"C1", 3, 64, 224, 7, 2},    {"C2", 64, 64, 56, 3, 1},    {"C3", 64, 64, 56, 1, 1},
    {"C4", 64, 128, 56, 3, 2},   {"C5", 64, 128, 56, 1, 2},   {"C6", 128, 128, 28, 3, 1},
    {"C7", 128, 256, 28, 3, 2},  {"C8", 128, 256, 28, 1, 2},  {"C9", 256, 256, 14, 3, 1},
    {"C10", 256, 512, 14, 3, 2}, {"C11", 256, 512, 14, 1, 2}, {"C12", 512, 512, 7, 3, 1},
};

std::vector<int64_t> Divisors(int64_t n) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

// Chooses the tiles of work with the least work for the bus, and of these the largest, such that
// two tiles fit on chip at a time. Takes one block of input channels at a time.
compiler::WindowTiles ChosenTiles(const compiler::WindowShape& v, const isa::Config& config) {
  constexpr int64_t kCopies = 2;
  const int64_t out_blocks = v.outs / config.block_out, in_blocks = v.channels / config.block_in,
                rows = v.out(v.height), columns = v.out(v.width);
  const auto fits = [&](isa::Memory memory, int64_t tiles, bool banks) {
    const int64_t depth = config.Depth(memory);
    const int64_t piece = banks ? depth / isa::RowOf(memory).banks : 1;
    return kCopies * RoundUp(tiles, piece) <= depth;
  };
  compiler::WindowTiles best;
  std::optional<int64_t> least;
  for (const int64_t blocks : Divisors(out_blocks / kCopies)) {
    for (const int64_t y : Divisors(rows)) {
      for (const int64_t x : Divisors(columns)) {
        const int64_t box = ((y - 1) * v.stride + v.taps) * ((x - 1) * v.stride + v.taps),
                      weights = blocks * v.taps * v.taps, positions = blocks * y * x;
        if (!fits(isa::Memory::kInp, box, false) || !fits(isa::Memory::kWgt, weights, false) ||
            !fits(isa::Memory::kAcc, positions, true) || !fits(isa::Memory::kOut, positions, true))
          continue;
        const int64_t bytes = out_blocks / blocks * (rows / y) * (columns / x) * in_blocks *
                              (box * config.TileBytes(isa::Memory::kInp) +
                               weights * config.TileBytes(isa::Memory::kWgt));
        if (least && bytes > *least) continue;
        least = bytes;
        best = {.rows = y, .columns = x, .blocks = blocks, .depth = 1};
      }
    }
  }
  return best;
}

double GemmShare(const RunReport& report) {
  const UnitCounters& gemm = report.units[static_cast<size_t>(isa::Unit::kGemm)];
  return 100 * static_cast<double>(gemm.busy) / static_cast<double>(report.cycles);
}

}  // namespace

Result<std::vector<LayerRuns>> MeasureLayers(const isa::Config& config) {
  std::vector<LayerRuns> all;
  for (const LayerSize& layer : kLayers) {
    LayerRuns runs{.name = layer.name,
                   .shape = {.channels = RoundUp(layer.channels, config.block_in),
                             .outs = layer.outs,
                             .height = layer.extent,
                             .width = layer.extent,
                             .taps = layer.taps,
                             .stride = layer.stride,
                             .pad = layer.taps / 2,
                             .value = -128}};
    runs.tiles = ChosenTiles(runs.shape, config);
    const ScheduleProblem problem = WindowProblem(runs.shape);
    runs.macs = problem.macs / runs.shape.channels * layer.channels;
    for (size_t k = 0; k < kLayerTurns.size(); ++k) {
      compiler::WindowTiles tiles = runs.tiles;
      tiles.turns = kLayerTurns[k];
      const Result<RunReport> report =
          Measure(problem, compiler::WindowSteps(config, tiles), config);
      if (!report) return Within(layer.name, report.error());
      runs.reports[k] = *report;
    }
    all.push_back(std::move(runs));
  }
  return all;
}

std::string LayerTable(const std::vector<LayerRuns>& layers, const isa::Config& config) {
  std::string table =
      "| layer | channels, taps, stride, positions | tile of work | 1: cycles | active | used | 2: "
      "cycles | active | used | D: cycles | active | used |\n"
      "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  std::array<double, kLayerTurns.size()> cycles{};
  int64_t macs = 0;
  const auto cells = [&](double count, double active, double used) {
    return fmt::format(" {} | {:.1f} % | {:.1f} % |", Grouped(static_cast<int64_t>(count)), active,
                       used);
  };
  for (const LayerRuns& l : layers) {
    const compiler::WindowShape& v = l.shape;
    table += fmt::format("| {} | {} to {}, {}x{}, {}, {}x{} | {} x {}x{} |", l.name,
                         l.macs / (v.outs * v.taps * v.taps * v.out(v.height) * v.out(v.width)),
                         v.outs, v.taps, v.taps, v.stride, v.out(v.height), v.out(v.width),
                         l.tiles.blocks * config.block_out, l.tiles.rows, l.tiles.columns);
    for (size_t k = 0; k < l.reports.size(); ++k) {
      const RunReport& r = l.reports[k];
      table += cells(static_cast<double>(r.cycles), GemmShare(r), ArrayShare(l.macs, r, config));
      cycles[k] += static_cast<double>(r.cycles);
    }
    table += "\n";
    macs += l.macs;
  }
  table += "| all, each once | | |";
  for (size_t k = 0; k < cycles.size(); ++k) {
    double busy = 0;
    for (const LayerRuns& l : layers)
      busy += static_cast<double>(l.reports[k].units[static_cast<size_t>(isa::Unit::kGemm)].busy);
    RunReport sum;
    sum.cycles = static_cast<uint64_t>(cycles[k]);
    table += cells(cycles[k], 100 * busy / cycles[k], ArrayShare(macs, sum, config));
  }
  return table + "\n";
}

std::string LayerPlot(const std::vector<LayerRuns>& layers, const isa::Config& config) {
  constexpr int kLeft = 44, kTop = 40, kHeight = 200, kBar = 14, kGroup = 58;
  constexpr const char* kActive[] = {"#c8c8c8", "#9ecae1", "#a1d99b"};
  constexpr const char* kUsed[] = {"#7f7f7f", "#2171b5", "#238b45"};
  constexpr const char* kNames[] = {"one thread", "two virtual threads", "double_buffer"};
  const int width = kLeft + kGroup * static_cast<int>(layers.size()) + 12,
            height = kTop + kHeight + 44;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<!-- printed by schedules_doc -->\n"
      "<title>ResNet-18's convolutions: the array at work</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  const auto text = [&](int x, int y, const char* anchor, const std::string& s) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, s);
  };
  const auto rect = [&](double x, double share, double bar, const char* fill) {
    const double tall = share / 100 * kHeight;
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x,
        kTop + kHeight - tall, bar, tall, fill);
  };
  for (int percent = 0; percent <= 100; percent += 20) {
    const int y = kTop + kHeight - percent * kHeight / 100;
    svg += fmt::format("<path d=\"M{} {}H{}\" stroke=\"#dddddd\"/>\n", kLeft, y, width - 8);
    text(kLeft - 6, y + 4, "end", fmt::format("{} %", percent));
  }
  for (size_t k = 0; k < kLayerTurns.size(); ++k) {
    const int x = kLeft + 10 + 190 * static_cast<int>(k);
    svg += fmt::format("<rect x=\"{}\" y=\"12\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                       kUsed[k]);
    text(x + 18, 22, "start", kNames[k]);
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    const int x = kLeft + 8 + kGroup * static_cast<int>(i);
    for (size_t k = 0; k < kLayerTurns.size(); ++k) {
      const double at = x + kBar * static_cast<double>(k);
      rect(at, GemmShare(layers[i].reports[k]), kBar - 2, kActive[k]);
      rect(at, ArrayShare(layers[i].macs, layers[i].reports[k], config), kBar - 2, kUsed[k]);
    }
    text(x + kBar * 3 / 2, kTop + kHeight + 16, "middle", layers[i].name);
  }
  text(kLeft + 10, height - 10, "start",
       "dark: MACs used, of all that the array could do; light: GEMM active with channels that "
       "only fill a tile");
  return svg + "</svg>\n";
}

}  // namespace tessera::tools
