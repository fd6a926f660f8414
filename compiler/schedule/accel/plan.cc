// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/plan.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "compiler/schedule/accel/plan_estimate.h"

namespace tessera::schedule::accel {
namespace {

// ceil(total / k) for k = 1, 2, ..: the tile sizes with different effects, largest first. With a
// |unit| that divides |total|, multiples of it.
std::vector<int64_t> TileSizes(int64_t total, int64_t unit = 1) {
  std::vector<int64_t> sizes;
  for (int64_t k = 1; k <= total / unit; ++k) {
    const int64_t size = CeilDiv(total / unit, k) * unit;
    if (sizes.empty() || size != sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

// The plans of a region that sums over the blocks of channels in front of it, like |p|.
void ConsiderSums(const Extents& e, const OnChip& on_chip, TilePlan p,
                  const std::function<void(const TilePlan&)>& consider) {
  p.inputs_outside = true;
  p.channel_tile = e.out_blocks, p.y_tile = std::min(on_chip.rows, e.out_y), p.x_tile = e.out_x;
  p.input_tile = std::min(on_chip.input_blocks, e.in_blocks);
  for (const int64_t part : TileSizes(e.out_blocks)) {
    if (e.out_blocks % part != 0) continue;
    p.channel_part = part;
    p.weights = Residency::kRegion;
    consider(p);
    p.weights = Residency::kPart;
    if (on_chip.WholePlanes(e.out_y)) consider(p);
  }
}

// What the tiles of work of a region can be.
struct TileChoices {
  const PlanJudge& judge;
  const AnalyzedRegion& region;
  const OnChip& on_chip;
  std::vector<int64_t> channel_tiles, input_tiles;
  // Whether a better plan than one with |cycles| is not looked for.
  std::function<bool(double cycles)> enough;

  bool in_turn() const { return on_chip.rows > 0; }
  bool by_blocks() const { return in_turn() && on_chip.blocks > 0; }
  // Whether weights stay because the region takes turns.
  bool stay() const { return in_turn() && !on_chip.WholePlanes(judge.extents().out_y); }
};

// The plans of all tiles of work, like |p| otherwise.
void ConsiderTiles(const TileChoices& choices, TilePlan p,
                   const std::function<void(const TilePlan&)>& consider) {
  const auto& [judge, region, on_chip, channel_tiles, input_tiles, enough] = choices;
  const Extents& e = judge.extents();
  const Anchor& a = region.anchor;
  const bool in_turn = choices.in_turn(), by_blocks = choices.by_blocks(), stay = choices.stay();
  // A stage in place is computed once, so no part reaches into the channels of the next tile.
  const bool whole_parts = std::ranges::any_of(region.steps, &EpilogueStep::in_place);
  const auto [y_unit, x_unit] = region.Units();
  const auto rows =
      in_turn ? std::vector{std::min(on_chip.rows, e.out_y)} : TileSizes(e.out_y, y_unit);
  for (int64_t y : rows) {
    for (int64_t x : in_turn ? std::vector{e.out_x} : TileSizes(e.out_x, x_unit)) {
      // Narrow tiles only if a whole row is too large: rows are contiguous in memory.
      if (x < e.out_x && y > 1 && x < 8) continue;
      for (int64_t channels : channel_tiles) {
        if (!judge.TileFits(channels, y, x)) continue;
        p.y_tile = y, p.x_tile = x, p.channel_tile = channels, p.input_tile = e.in_blocks;
        if (enough(judge.LeastCycles(p))) continue;
        for (int64_t part :
             judge.contraction() ? TileSizes(channels) : std::vector<int64_t>{channels}) {
          if (whole_parts && channels < e.out_blocks && channels % part != 0) continue;
          p.channel_part = part;
          for (int64_t inputs : input_tiles) {
            p.input_tile = inputs;
            if (enough(judge.LeastCycles(p))) continue;
            for (Residency weights : {Residency::kRegion, Residency::kChannel, Residency::kPart}) {
              if (stay && judge.weighted() && weights != Residency::kRegion) continue;
              // Loaded before, they would come before the region that makes them.
              if ((a.weight_by_image || a.weight_lies) && weights != Residency::kPart) continue;
              p.weights = weights;
              p.spatial_outside = false, p.input_above = false;
              if (!in_turn || by_blocks || channels == e.out_blocks) consider(p);
              if (!judge.weighted() || weights == Residency::kChannel || by_blocks) continue;
              p.spatial_outside = true;
              p.input_above = judge.contraction() && !judge.grouped() && inputs == e.in_blocks;
              if (p.input_above) consider(p);
            }
          }
        }
      }
    }
  }
}

std::unexpected<Refusal> NoPlan(const AnalyzedRegion& region, const isa::Config& config) {
  const int64_t inp = config.Depth(isa::Memory::kInp), acc = config.Depth(isa::Memory::kAcc),
                out = config.Depth(isa::Memory::kOut), wgt = config.Depth(isa::Memory::kWgt);
  return std::unexpected(
      Refusal(RefusalKind::kRoom,
              fmt::format("{}: not even one row of one channel block fits configuration {} (INP {} "
                          "tiles, ACC {}, OUT {}, WGT {}); larger scratchpads or the host can run "
                          "it",
                          region.output.name(), config.name, inp, acc, out, wgt),
              fmt::format("INP ({} tiles), ACC ({}), OUT ({}) and WGT ({})", inp, acc, out, wgt),
              Code::kOutOfRange));
}

}  // namespace

const Halo* OnChip::HaloOf(const te::Tensor& tensor) const {
  for (const auto& [t, halo] : fetched) {
    if (t == tensor) return &halo;
  }
  return nullptr;
}

double TilePlan::cycles() const {
  return std::max({compute_cycles, bus_cycles, vector_cycles}) + overhead_cycles;
}

Accepted<TilePlan> MakePlan(const AnalyzedRegion& region, const isa::Config& config,
                            const OnChip& on_chip) {
  auto plans = MakePlans(region, config, on_chip, 1);
  if (!plans) return std::unexpected(plans.error());
  return plans->front();
}

Accepted<std::vector<TilePlan>> MakePlans(const AnalyzedRegion& region, const isa::Config& config,
                                          const OnChip& on_chip, size_t most) {
  if (config.batch > 1 && region.output.shape().size() == 1) {
    return std::unexpected(
        Refusal(RefusalKind::kBatchRows,
                fmt::format("{} has no batch, and tiles of configuration {} have rows of {} "
                            "images; the host can run it",
                            region.output.name(), config.name, config.batch),
                std::to_string(config.batch)));
  }
  const Anchor& a = region.anchor;
  if (a.weight_by_image && config.batch > 1) {
    return std::unexpected(Refusal(
        RefusalKind::kImageWeights,
        fmt::format("stage {}: tiles of configuration {} have rows of {} images, which GEMM "
                    "multiplies by the same weights, and here each image has its own; the host "
                    "can run it",
                    a.stage.name(), config.name, config.batch),
        std::to_string(config.batch)));
  }
  const PlanJudge judge(region, config, on_chip);
  const Extents& e = judge.extents();
  std::vector<TilePlan> best;
  const auto enough = [&](double cycles) {
    return best.size() == most && cycles >= best.back().cycles();
  };
  auto consider = [&](TilePlan p) {
    if (!judge.Fill(&p) || enough(p.cycles())) return;
    if (best.size() == most) best.pop_back();
    best.insert(std::ranges::upper_bound(best, p.cycles(), {}, &TilePlan::cycles), p);
  };
  TileChoices choices{judge, region, on_chip, {1}, {1}, enough};
  const bool in_turn = choices.in_turn(), by_blocks = choices.by_blocks(), stay = choices.stay();
  if (by_blocks && !judge.grouped())
    choices.channel_tiles = {std::min(on_chip.blocks, e.out_blocks)};
  else if (!judge.grouped())
    choices.channel_tiles = TileSizes(e.out_blocks);
  if (judge.contraction()) choices.input_tiles = TileSizes(e.in_blocks);
  TilePlan p;
  const bool once = on_chip.WholePlanes(e.out_y);
  p.params = !once && 2 * region.Records() * e.out_blocks <= config.Depth(isa::Memory::kPrm)
                 ? Residency::kRegion
                 : Residency::kPart;
  const bool apart = by_blocks && judge.grouped() && on_chip.blocks > 1;
  if (in_turn && (e.batches > 1 || e.matrix || a.packs_weight || apart))
    return std::unexpected(NoPlan(region, config).error());
  const int64_t y_unit = region.Units()[0];
  if (in_turn && on_chip.rows % y_unit != 0 && on_chip.rows < e.out_y)
    return std::unexpected(NoPlan(region, config).error());
  if (stay && p.params != Residency::kRegion)
    return std::unexpected(NoPlan(region, config).error());
  if (on_chip.input_blocks > 0) {
    ConsiderSums(e, on_chip, p, consider);
    if (best.empty()) return std::unexpected(NoPlan(region, config).error());
    return best;
  }
  ConsiderTiles(choices, p, consider);
  // A window of many rows may not fit. Its sum goes over pieces of it then.
  const WindowAxis& window = a.window[0];
  const bool pieces = a.kind == AnchorKind::kReduction && !in_turn && !on_chip.input &&
                      e.out_y == 1 && window.taps > 1;
  for (int64_t count = 2; count <= window.taps && pieces && best.empty(); ++count) {
    if (window.taps % count != 0) continue;
    p.window_rows = window.taps / count;
    ConsiderTiles(choices, p, consider);
  }
  if (best.empty()) return std::unexpected(NoPlan(region, config).error());
  return best;
}

}  // namespace tessera::schedule::accel
