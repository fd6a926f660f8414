// SPDX-License-Identifier: Apache-2.0
//
// Constants in the order in which the machine reads them.
#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/lower/accel/lower_region.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::lower::accel {

using sched::Anchor;
using sched::AnchorKind;

int64_t FirstInputBlock(const sched::AnalyzedRegion& region, const sched::Extents& e,
                        const isa::Config& config, int64_t block) {
  const Anchor& a = region.anchor;
  const int64_t first = block * config.block_out / a.group_out * a.group_in / config.block_in;
  return std::min(first, e.in_total - e.in_blocks);
}

std::vector<uint8_t> PackWeights(const sched::AnalyzedRegion& region, const sched::Extents& e,
                                 const isa::Config& config, const std::vector<uint8_t>& weights) {
  const Anchor& a = region.anchor;
  const int64_t block = config.block_out, tile = config.wgt_tile_bytes();
  const int64_t outs = region.shape[1], taps_y = a.window[0].taps, taps_x = a.window[1].taps;
  auto weight = [&](int64_t o, int64_t i, int64_t ty, int64_t tx) {
    return weights[static_cast<size_t>(a.WeightAt(o, i, ty, tx))];
  };
  std::vector<uint8_t> packed(
      static_cast<size_t>(e.out_blocks * e.in_blocks * e.weight_tiles * tile), 0);
  for (int64_t o = 0; o < outs; ++o) {
    const int64_t ob = o / block;
    if (a.kind == AnchorKind::kChannelwise) {
      int64_t first = ob * e.weight_tiles;
      for (int64_t y = 0; y < taps_y; y += sched::kWindowTaps) {
        for (int64_t x = 0; x < taps_x; x += sched::kWindowTaps) {
          const int64_t kh = std::min(sched::kWindowTaps, taps_y - y),
                        kw = std::min(sched::kWindowTaps, taps_x - x);
          for (int64_t t = 0; t < kh * kw; ++t) {
            // Tap t is column t of the piece's tiles, a channel is a row.
            const int64_t at = (first + t / block) * tile + o % block * block + t % block;
            packed[static_cast<size_t>(at)] = weight(o, 0, y + t / kw, x + t % kw);
          }
          first += CeilDiv(kh * kw, block);
        }
      }
      continue;
    }
    const int64_t base = FirstInputBlock(region, e, config, ob) * block;
    for (int64_t i = 0; i < a.group_in; ++i) {
      const int64_t channel = o / a.group_out * a.group_in + i - base;
      TESSERA_CHECK(channel >= 0 && channel < e.in_blocks * block);
      for (int64_t t = 0; t < taps_y * taps_x; ++t) {
        const int64_t at = (ob * e.in_blocks + channel / block) * e.weight_tiles + t;
        packed[static_cast<size_t>(at * tile + o % block * block + channel % block)] =
            weight(o, i, t / taps_x, t % taps_x);
      }
    }
  }
  return packed;
}

std::vector<uint8_t> PackParams(const sched::AnalyzedRegion& region, const sched::ParamTable& table,
                                const isa::Config& config, const ConstantMap& constants) {
  const int64_t channels = region.shape[1], block = config.block_out;
  std::vector<int32_t> numbers(
      static_cast<size_t>(CeilDiv(channels, block) * target::RecordNumbers(config)), 0);
  auto value = [&](const sched::Param& p, int64_t c) {
    if (!p.tensor) return static_cast<int32_t>(p.value);
    const std::vector<uint8_t>& data = *constants.at(p.tensor.get());
    int32_t v = 0;
    std::memcpy(&v, &data[static_cast<size_t>(4 * (p.tensor.shape()[0] == 1 ? 0 : c))], 4);
    return v;
  };
  for (int64_t c = 0; c < channels; ++c) {
    int32_t* at =
        &numbers[static_cast<size_t>(c / block * target::RecordNumbers(config) + c % block)];
    at[0] = value(table.bias, c);
    at[block] = value(table.multiplier, c);
    at[2 * block] = value(table.shift, c);
  }
  std::vector<uint8_t> packed(numbers.size() * sizeof(int32_t));
  std::memcpy(packed.data(), numbers.data(), packed.size());
  return packed;
}

}  // namespace tessera::lower::accel
