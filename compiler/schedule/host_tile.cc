// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/host_tile.h"

#include <algorithm>

#include "base/bits.h"
#include "compiler/schedule/host_steps.h"

namespace tessera::schedule {
namespace {

// Cycles until a load has what a store before it wrote (Agner Fog's tables: 4 to 8).
constexpr double kForwarding = 7;

// What a tile of |points| x |blocks| costs for each of its products, in units of a product: each
// needs an instruction, points + blocks loads, work on these operands, and sums that do not wait
// for themselves. The epilogue's constants of a channel are loaded once for all points. A block's
// weights and sums are |registers|. Where sums, weights and one input are more than the processor
// has, sums go to memory and back between two products, and the next product waits for that too.
double TileCost(const target::Target& target, const Dot& dot, int64_t points, int64_t blocks,
                int64_t registers) {
  const double cycles = dot.intrin->cycles / static_cast<double>(registers);
  const target::TensorIntrin& intrin = *dot.intrin;
  const int64_t taken = points * blocks * registers + blocks * registers * intrin.right.registers +
                        intrin.left.registers + intrin.scratch,
                spilled = std::max<int64_t>(taken - target.vector_registers, 0);
  const double latency = intrin.latency + (spilled > 0 ? kForwarding : 0);
  const auto n = static_cast<double>(points * blocks * registers),
             loads = static_cast<double>(points + blocks * registers + spilled);
  const double work = static_cast<double>(points) * intrin.left.cycles +
                      static_cast<double>(blocks * registers) * intrin.right.cycles;
  return std::max({1.0 + work / cycles / n, loads / n / (target.loads_a_cycle * cycles),
                   latency / cycles / n}) +
         0.1 * loads / n + 0.2 / static_cast<double>(points);
}

// The tile sizes up to |most| that cut |extent|: of those with as many tiles, the smallest.
std::vector<int64_t> RaggedSizes(int64_t extent, int64_t most) {
  std::vector<int64_t> sizes;
  for (int64_t n = 1; n <= std::min(extent, most); ++n) {
    if (n == 1 || CeilDiv(extent, n) < CeilDiv(extent, n - 1)) sizes.push_back(n);
  }
  return sizes;
}

}  // namespace

DotTile TileFor(const target::Target& target, const Dot& dot, int64_t extent, int64_t channels,
                bool ragged) {
  const int64_t registers = target.vector_registers;
  const int64_t each = CeilDiv(4 * dot.lanes, target.vector_bytes);
  // An eighth of them is what the epilogue takes.
  const int64_t most = std::max<int64_t>((registers - registers / 8) / each, 1);
  DotTile tile{.dot = dot,
               .points = ragged ? RaggedSizes(extent, most) : Divisors(extent, most),
               .blocks = Divisors(CeilDiv(channels, dot.lanes), most)};
  const auto cost = [&](size_t p, size_t b) {
    const int64_t points = tile.points[p], rest = extent % points;
    const auto of = [&](int64_t n) {
      return static_cast<double>(n) * TileCost(target, dot, n, tile.blocks[b], each);
    };
    const double row =
        static_cast<double>(extent / points) * of(points) + (rest > 0 ? of(rest) : 0);
    return row / static_cast<double>(extent);
  };
  for (size_t p = 0; p < tile.points.size(); ++p) {
    for (size_t b = 0; b < tile.blocks.size(); ++b) {
      // The sums, a register of each block's weights and one input are in registers.
      const int64_t sums = tile.points[p] * tile.blocks[b];
      if (sums > most || sums * each + tile.blocks[b] + 1 > registers) continue;
      if (cost(p, b) < cost(tile.point, tile.block)) tile.point = p, tile.block = b;
    }
  }
  tile.cycles = cost(tile.point, tile.block) * dot.intrin->cycles /
                static_cast<double>(dot.lanes * dot.quad) *
                static_cast<double>(CeilDiv(channels, dot.lanes) * dot.lanes) /
                static_cast<double>(channels);
  return tile;
}

}  // namespace tessera::schedule
