// SPDX-License-Identifier: Apache-2.0
//
// Sizes of a region in blocks of the machine, and what its windows take on chip.
#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::schedule::accel {

using isa::Memory;

Extents ExtentsOf(const AnalyzedRegion& region, const isa::Config& config) {
  Extents e;
  const int64_t block = config.block_out;
  e.rows = std::min(region.shape[0], config.batch);
  e.batches = CeilDiv(region.shape[0], e.rows);
  e.out_blocks = CeilDiv(region.shape[1], block);
  e.out_y = region.shape[2];
  e.out_x = region.shape[3];
  const Anchor& a = region.anchor;
  const int64_t taps = a.window[0].taps * a.window[1].taps;
  e.in_total = CeilDiv(std::max<int64_t>(a.in_channels, 1), block);
  e.in_lanes = MemoryLanes({region.shape[0], std::max<int64_t>(a.in_channels, 1), 1, 1}, config);
  e.out_lanes = MemoryLanes(region.shape, config);
  if (a.kind == AnchorKind::kContraction) {
    e.weight_tiles = taps * a.weight_terms;
    for (int64_t o = 0; o < region.shape[1]; o += block) {
      const int64_t last = std::min(o + block, region.shape[1]) - 1;
      const int64_t from = o / a.group_out * a.group_in, to = (last / a.group_out + 1) * a.group_in;
      e.in_blocks = std::max(e.in_blocks, CeilDiv(to, block) - from / block);
    }
    const bool steps = taps == 1 && a.window[0].stride * a.window[1].stride > 1;
    e.steps_over = a.im2col == 0 && steps && !a.InGroups(region.shape[1]) && a.ReadsInput();
  } else if (a.kind == AnchorKind::kChannelwise) {
    for (int64_t y = 0; y < a.window[0].taps; y += kWindowTaps) {
      for (int64_t x = 0; x < a.window[1].taps; x += kWindowTaps) {
        const int64_t piece = std::min(kWindowTaps, a.window[0].taps - y) *
                              std::min(kWindowTaps, a.window[1].taps - x);
        e.weight_tiles += CeilDiv(piece, block);
      }
    }
  }
  const auto alone = [](const WindowAxis& w) { return w.in == 1 && w.out == 1 && w.taps == 1; };
  const bool by_row =
      a.kind == AnchorKind::kNone || (a.kind == AnchorKind::kContraction && !a.weight_by_image &&
                                      alone(a.window[0]) && alone(a.window[1]));
  e.matrix = by_row && e.batches > 1 && e.out_y * e.out_x == 1;
  if (e.matrix) std::swap(e.out_y, e.batches);
  for (size_t d = 0; d < 2; ++d) {
    const WindowAxis& w = a.window[d];
    e.chip_stride[d] = e.steps_over || (a.im2col != 0 && w.taps == 1) ? 1 : w.stride;
  }
  return e;
}

// The low bits of an index choose the bank of INP, and windows read rows in pairs. If the pitch
// were a multiple of the number of banks, both rows would be in one bank.
int64_t WindowPitch(const AnalyzedRegion& region, int64_t columns) {
  constexpr int64_t kInpBanks = isa::RowOf(Memory::kInp).banks;
  const WindowAxis& y = region.anchor.window[0];
  const bool clash = region.anchor.kind == AnchorKind::kChannelwise && y.taps > 1 &&
                     columns * y.dilation % kInpBanks == 0 && y.dilation % kInpBanks != 0;
  return clash ? columns + 1 : columns;
}

bool WindowsGoDown(const AnalyzedRegion& region, const isa::Config& config, int64_t y_tile,
                   int64_t x_tile) {
  const auto& window = region.anchor.window;
  if (region.anchor.kind != AnchorKind::kChannelwise || window[0].taps == 1 || window[1].taps == 1)
    return false;
  const target::TileCall& call = *target::FindTileCall(target::kTileWindow);
  // The windows of a line along axis |d|, one line after the other.
  const auto cycles = [&](size_t d) {
    const int64_t taps = std::min(window[d].taps, kWindowTaps),
                  lines = std::min(window[1 - d].taps, kWindowTaps);
    const int64_t fresh = window[d].dilation == 1 ? std::min(window[d].stride, taps) : taps;
    const int64_t length = d == 0 ? y_tile : x_tile, count = d == 0 ? x_tile : y_tile;
    return count * (call.call_cycles(config, taps * lines, taps * lines) +
                    (length - 1) * call.call_cycles(config, taps * lines, fresh * lines));
  };
  return cycles(0) < cycles(1);
}

int64_t ChipSpan(const AnalyzedRegion& region, const Extents& e, size_t d, int64_t outs) {
  const WindowAxis& w = region.anchor.window[d];
  const int64_t span = (outs - 1) * e.chip_stride[d] + (w.taps - 1) * w.dilation + 1;
  return d == 1 ? WindowPitch(region, span) : span;
}

int64_t ResidentTiles(const Shape4& shape, const Halo& halo,
                      const std::optional<FoldedRows>& folded, const isa::Config& config) {
  const int64_t images = std::min(shape[0], config.batch),
                rows = folded ? folded->rows : halo.before[0] + shape[2] + halo.after[0];
  int64_t planes = CeilDiv(shape[0], images) * CeilDiv(shape[1], config.block_out);
  if (folded && folded->blocks > 0) planes = std::min(planes, folded->blocks);
  return planes * rows * (halo.before[1] + shape[3] + halo.after[1]);
}

int64_t MemoryLanes(const Shape4& shape, const isa::Config& config) {
  return std::min(shape[0], config.batch) == 1 ? std::min(shape[1], config.block_out)
                                               : config.block_out;
}

Packing PackingOf(const Shape4& shape, const isa::Config& config) {
  return BlockedPacking(shape, std::min(shape[0], config.batch), MemoryLanes(shape, config));
}

}  // namespace tessera::schedule::accel
