// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/plan.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/schedule/accel/tile_cycles.h"
#include "isa/costs.h"

namespace tessera::schedule::accel {
namespace {

using isa::Memory;

// ACC and OUT have banks by the high bits of an index; two users should have different banks.
constexpr int64_t kBanks = isa::RowOf(Memory::kAcc).banks;
static_assert(isa::RowOf(Memory::kOut).banks == kBanks);
// Shares fitted to cycles of regions on the RTL: the wait of the array for weights that are loaded
// once without room for two copies; the rows of a box in bursts of their own that pay for a
// transfer's start; the cycles of VECTOR that show where OUT has no room for two copies.
constexpr double kLateWeights = 0.1, kRowStarts = 0.5, kLateDrain = 0.5;
// A command waits for two tokens between neighbours; a tile for four, through all units and back.
constexpr double kCommandCycles = 2.0 * isa::kTokenCycles, kTileCycles = 4.0 * isa::kTokenCycles;

class Judge {
 public:
  Judge(const AnalyzedRegion& region, const isa::Config& config, const OnChip& on_chip)
      : region_(region), config_(config), on_chip_(on_chip), e_(ExtentsOf(region, config)) {
    inp_tiles_ = on_chip.inp_tiles < 0 ? config.Depth(Memory::kInp) : on_chip.inp_tiles;
    anchored_ = region.anchor.kind != AnchorKind::kNone;
    contraction_ = region.anchor.kind == AnchorKind::kContraction;
    weighted_ = contraction_ || region.anchor.kind == AnchorKind::kChannelwise;
    acc_slots_ = region.AccSlots(), out_slots_ = region.OutSlots();
  }

  const Extents& extents() const { return e_; }
  bool grouped() const { return contraction_ && e_.in_blocks < e_.in_total; }
  bool contraction() const { return contraction_; }
  bool weighted() const { return weighted_; }

  int64_t Banks(int64_t tiles, Memory memory) const {
    return CeilDiv(tiles, config_.Depth(memory) / kBanks);
  }
  // A cheap first test: whether the accumulators of such a tile fit.
  bool TileFits(int64_t channel_tile, int64_t y, int64_t x) const {
    return !anchored_ || Banks(channel_tile * y * x, Memory::kAcc) <= kBanks;
  }

  bool Fill(TilePlan* p) const;

 private:
  struct Sizes;
  struct Traffic;
  std::optional<Sizes> SizesOf(const TilePlan& p) const;
  int64_t Fetched(size_t d, int64_t tile) const;
  Traffic TrafficOf(const TilePlan& p, const Sizes& s) const;
  int64_t FillUnits(const Sizes& s, const Traffic& t, TilePlan* p) const;
  // Bytes of a tile of the result in device memory.
  double ResultTileBytes() const { return static_cast<double>(e_.rows * e_.out_lanes); }

  const AnalyzedRegion& region_;
  const isa::Config& config_;
  const std::shared_ptr<const target::Target> target_ = target::Accelerator(config_);
  const TileCycles cycles_{*target_, config_};
  const target::TargetMemory& memory_ = *target_->FindMemory(ir::Scope::kGlobal);
  const OnChip& on_chip_;
  Extents e_;
  int64_t inp_tiles_ = 0;
  bool anchored_ = false, weighted_ = false, contraction_ = false;
  int64_t acc_slots_ = 0, out_slots_ = 0;  // of the region
};

// How often the loops of a plan run, and the sizes of its buffers.
struct Judge::Sizes {
  int64_t n_y = 1, n_x = 1, n_o = 1, n_i = 1, n_w = 1;  // tiles, chunks, parts
  int64_t spatial = 1;                                  // tiles of positions
  int64_t span_y = 1, span_x = 1;                       // input positions of a box
  int64_t part_pixels = 1;                              // tiles that a part makes
  int64_t acc_banks = 0, extra_banks = 0, out_banks = 0;
  bool boxed = false;        // the input comes from device memory
  int64_t box = 0;           // tiles of the input at one time
  int64_t weight_piece = 0;  // WGT tiles at one time
  double pixels = 0;         // output positions of the region
};

// What a plan moves, and the work of VECTOR for a tile. The |serial| cycles overlap with no others.
struct Judge::Traffic {
  double read = 0, write = 0;  // bytes
  double serial = 0, first_box = 0, first_weights = 0;
  double passes = 0;  // cycles of VECTOR for a tile
  int64_t loads = 0;  // transfers
};

// The sizes of |p|; nothing if |p| does not fit.
std::optional<Judge::Sizes> Judge::SizesOf(const TilePlan& p) const {
  Sizes s;
  const int64_t tile_pixels = p.y_tile * p.x_tile;
  s.n_y = CeilDiv(e_.out_y, p.y_tile), s.n_x = CeilDiv(e_.out_x, p.x_tile);
  s.n_o = CeilDiv(e_.out_blocks, p.channel_tile), s.n_i = CeilDiv(e_.in_blocks, p.input_tile);
  s.n_w = CeilDiv(p.channel_tile, p.channel_part);
  s.spatial = e_.batches * s.n_y * s.n_x;
  s.pixels = static_cast<double>(e_.batches * e_.out_y * e_.out_x);

  s.part_pixels = p.channel_part * tile_pixels;
  s.acc_banks = anchored_ ? Banks(p.channel_tile * tile_pixels, Memory::kAcc) : 0;
  const int64_t extra_slots = acc_slots_ - (anchored_ ? 1 : 0);
  s.extra_banks = extra_slots * Banks(s.part_pixels, Memory::kAcc);
  s.out_banks = out_slots_ * Banks(s.part_pixels, Memory::kOut);
  // A pass that widens has a buffer beside the sums, even if the sums of its part are done with.
  const int64_t beside = std::max(extra_slots, anchored_ ? region_.WidePasses() : 0) *
                         Banks(s.part_pixels, Memory::kAcc);
  if (s.acc_banks + beside > kBanks || s.out_banks > kBanks) return std::nullopt;
  // Tiles of work of other regions come between two tiles of this one.
  if (on_chip_.rows > 0 && (2 * (s.acc_banks + s.extra_banks) > kBanks || 2 * s.out_banks > kBanks))
    return std::nullopt;

  // Channel blocks of a box: a contraction reads input blocks; other anchors read their own.
  const int64_t box_blocks =
      contraction_ ? (p.input_above ? e_.in_blocks : p.input_tile) : p.channel_tile;
  s.span_y = ChipSpan(region_, e_, 0, p.y_tile), s.span_x = ChipSpan(region_, e_, 1, p.x_tile);
  s.boxed = anchored_ && !on_chip_.input;
  s.box = s.boxed ? box_blocks * s.span_y * s.span_x * region_.anchor.input_terms : 0;
  if ((on_chip_.rows > 0 ? 2 * s.box : s.box) > inp_tiles_) return std::nullopt;

  if (weighted_) {
    const int64_t per_block = e_.in_blocks * e_.weight_tiles;
    switch (p.weights) {
      case Residency::kPart:
        s.weight_piece = p.channel_part * p.input_tile * e_.weight_tiles;
        break;
      case Residency::kChannel:
        s.weight_piece = p.channel_tile * per_block;
        break;
      case Residency::kRegion:
        s.weight_piece = e_.out_blocks * per_block;
        break;
    }
    if (s.weight_piece > config_.Depth(Memory::kWgt)) return std::nullopt;
  }
  const int64_t records =
      region_.Records() * (p.params == Residency::kRegion ? e_.out_blocks : p.channel_part);
  if (records > config_.Depth(Memory::kPrm)) return std::nullopt;
  return s;
}

// Input positions along axis |d| that tiles of |tile| outputs fetch, without pads.
int64_t Judge::Fetched(size_t d, int64_t tile) const {
  const WindowAxis& w = region_.anchor.window[d];
  int64_t sum = 0;
  for (int64_t at = 0; at < w.out; at += tile) {
    const int64_t outs = std::min(tile, w.out - at);
    if (w.taps == 1) {
      sum += outs;
      continue;
    }
    const int64_t lo = std::max<int64_t>(at * w.stride - w.before, 0);
    const int64_t hi = std::min(at * w.stride - w.before + w.Span(outs), w.in);
    sum += std::max<int64_t>(hi - lo, 0);
  }
  return sum;
}

// Traffic with device memory. LOAD writes whole beats to a scratchpad, so a tile counts as such.
Judge::Traffic Judge::TrafficOf(const TilePlan& p, const Sizes& s) const {
  Traffic t;
  const double bus = memory_.bytes_a_cycle;
  const double box_tile = static_cast<double>(RoundUp(e_.rows * e_.in_lanes, config_.bus_bytes()));
  if (s.boxed) {
    const double plane = static_cast<double>(Fetched(0, p.y_tile) * Fetched(1, p.x_tile));
    const int64_t again = contraction_ && !p.input_above ? s.n_o : 1;
    const int64_t blocks = contraction_ ? e_.in_blocks : e_.out_blocks;
    t.read += static_cast<double>(e_.batches * blocks * again * region_.anchor.input_terms) *
              plane * box_tile;
    t.loads += s.spatial * s.n_o * s.n_i;
    t.first_box = static_cast<double>(s.box) * box_tile / bus;
    if (2 * s.box > inp_tiles_) t.serial += t.read / bus;
  }
  if (weighted_) {
    double bytes = static_cast<double>(e_.out_blocks * e_.in_blocks * e_.weight_tiles *
                                       config_.wgt_tile_bytes());
    if (p.weights == Residency::kPart) bytes *= static_cast<double>(s.spatial);
    t.loads += (p.weights == Residency::kPart ? s.spatial : 1) * s.n_o * s.n_i * s.n_w;
    t.read += bytes;
    // LOAD brings weights that stay for the region while the region before computes.
    const bool ahead = on_chip_.follows && p.weights == Residency::kRegion;
    const int64_t first_bytes =
        p.channel_part * p.input_tile * e_.weight_tiles * config_.wgt_tile_bytes();
    if (!ahead) t.first_weights = static_cast<double>(first_bytes) / bus;
    if (2 * s.weight_piece > config_.Depth(Memory::kWgt))
      t.serial += p.weights == Residency::kRegion ? kLateWeights * bytes / bus : bytes / bus;
  }
  const double result_bytes = s.pixels * static_cast<double>(e_.out_blocks) * ResultTileBytes();
  t.write = on_chip_.stored ? result_bytes : 0;
  t.passes = on_chip_.result && on_chip_.stored ? cycles_.copy : 0;
  for (const EpilogueStep& step : region_.steps) {
    if (step.loads() && on_chip_.HaloOf(step.tensor)) continue;
    if (step.loads()) {
      t.read += result_bytes;
      t.loads += s.spatial * s.n_o * s.n_w;
    } else {
      t.passes += step.intrin->cycles;
    }
  }
  return t;
}

// Fills in the cycles of the units; returns the number of the array's commands.
int64_t Judge::FillUnits(const Sizes& s, const Traffic& t, TilePlan* p) const {
  const int64_t taps = region_.anchor.window[0].taps * region_.anchor.window[1].taps *
                       region_.anchor.input_terms * region_.anchor.weight_terms;
  const double block_pixels = s.pixels * static_cast<double>(e_.out_blocks);
  p->vector_cycles = block_pixels * t.passes;
  p->compute_cycles = 0;
  int64_t gemms = 0;
  if (contraction_) {
    p->compute_cycles = block_pixels * static_cast<double>(e_.in_blocks * taps) * cycles_.gemm;
    gemms = s.spatial * e_.out_blocks * s.n_i;
  } else if (region_.anchor.kind == AnchorKind::kChannelwise) {
    p->compute_cycles = block_pixels * static_cast<double>(e_.weight_tiles) * cycles_.window;
    p->down = WindowsGoDown(region_, config_, p->y_tile, p->x_tile);
    gemms = s.spatial * s.n_o * s.n_w;
  } else if (anchored_) {
    p->vector_cycles += block_pixels * static_cast<double>(taps) * cycles_.reduce;
  }
  const double bus = memory_.bytes_a_cycle;
  p->bus_cycles = memory_.shared > 0 ? (t.read + t.write) / bus / memory_.shared
                                     : std::max(t.read, t.write) / bus;
  // Each transfer pays for its start. If a tile is narrower than a row, each row is a burst.
  double bursts = static_cast<double>(t.loads);
  if (s.boxed && s.n_x > 1) {
    const int64_t boxes = s.spatial * (contraction_ && !p->input_above ? s.n_o : 1);
    bursts +=
        static_cast<double>(boxes * s.span_y * (contraction_ ? e_.in_blocks : p->channel_tile)) *
        kRowStarts;
  }
  p->bus_cycles += bursts * memory_.start_cycles;
  return gemms;
}

// Fills in the estimates of |p|; false if it does not fit.
bool Judge::Fill(TilePlan* p) const {
  const std::optional<Sizes> sizes = SizesOf(*p);
  if (!sizes) return false;
  const Sizes& s = *sizes;
  const Traffic t = TrafficOf(*p, s);
  const int64_t gemms = FillUnits(s, t, p);
  const double bus = memory_.bytes_a_cycle;
  double serial = t.serial;
  // The later weights of the first tile come while its first parts compute; only the rest of that
  // time shows. Weights of later tiles come during the tiles before them.
  if (weighted_ && s.n_w > 1 && t.first_weights > 0) {
    const double block_pixels = s.pixels * static_cast<double>(e_.out_blocks);
    const double tile_compute = p->compute_cycles *
                                static_cast<double>(p->channel_tile * p->y_tile * p->x_tile) /
                                std::max(block_pixels, 1.0);
    const double rest = static_cast<double>(p->channel_tile - p->channel_part) * t.first_weights /
                        static_cast<double>(p->channel_part);
    serial += std::max(
        0.0, rest - tile_compute * static_cast<double>(s.n_w - 1) / static_cast<double>(s.n_w));
  }
  const double part_vector = static_cast<double>(s.part_pixels) * t.passes;
  const double part_store =
      on_chip_.stored ? static_cast<double>(s.part_pixels) * ResultTileBytes() / bus : 0;
  if (2 * s.acc_banks + s.extra_banks > kBanks) serial += p->vector_cycles;
  if (2 * s.out_banks > kBanks) serial += p->vector_cycles * kLateDrain + t.write / bus;
  p->overhead_cycles = t.first_box + t.first_weights + part_vector + part_store + serial +
                       kCommandCycles * static_cast<double>(gemms) +
                       kTileCycles * static_cast<double>(s.spatial * s.n_o * s.n_i);
  return true;
}

// ceil(total / k) for k = 1, 2, ..: the tile sizes with different effects, largest first.
std::vector<int64_t> TileSizes(int64_t total) {
  std::vector<int64_t> sizes;
  for (int64_t k = 1; k <= total; ++k) {
    const int64_t size = CeilDiv(total, k);
    if (sizes.empty() || size != sizes.back()) sizes.push_back(size);
  }
  return sizes;
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
  const Judge judge(region, config, on_chip);
  const Extents& e = judge.extents();
  // A stage in place is computed once, so no part reaches into the channels of the next tile.
  const bool whole_parts = std::ranges::any_of(region.steps, &EpilogueStep::in_place);
  std::vector<TilePlan> best;
  auto consider = [&](TilePlan p) {
    if (!judge.Fill(&p) || (best.size() == most && p.cycles() >= best.back().cycles())) return;
    if (best.size() == most) best.pop_back();
    best.insert(std::ranges::upper_bound(best, p.cycles(), {}, &TilePlan::cycles), p);
  };
  const bool in_turn = on_chip.rows > 0, by_blocks = in_turn && on_chip.blocks > 0;
  const std::vector<int64_t> channel_tiles =
      judge.grouped() ? std::vector<int64_t>{1}
      : by_blocks     ? std::vector{std::min(on_chip.blocks, e.out_blocks)}
                      : TileSizes(e.out_blocks);
  const std::vector<int64_t> input_tiles =
      judge.contraction() ? TileSizes(e.in_blocks) : std::vector<int64_t>{1};
  TilePlan p;
  p.params = 2 * region.Records() * e.out_blocks <= config.Depth(isa::Memory::kPrm)
                 ? Residency::kRegion
                 : Residency::kPart;
  const bool apart = by_blocks && judge.grouped() && on_chip.blocks > 1;
  if (in_turn && (e.batches > 1 || a.packs_weight || p.params != Residency::kRegion || apart))
    return std::unexpected(NoPlan(region, config).error());
  const auto rows = in_turn ? std::vector{std::min(on_chip.rows, e.out_y)} : TileSizes(e.out_y);
  for (int64_t y : rows) {
    for (int64_t x : in_turn ? std::vector{e.out_x} : TileSizes(e.out_x)) {
      // Narrow tiles only if a whole row is too large: rows are contiguous in memory.
      if (x < e.out_x && y > 1 && x < 8) continue;
      for (int64_t channels : channel_tiles) {
        if (!judge.TileFits(channels, y, x)) continue;
        p.y_tile = y, p.x_tile = x, p.channel_tile = channels;
        for (int64_t part :
             judge.contraction() ? TileSizes(channels) : std::vector<int64_t>{channels}) {
          if (whole_parts && channels < e.out_blocks && channels % part != 0) continue;
          p.channel_part = part;
          for (int64_t inputs : input_tiles) {
            p.input_tile = inputs;
            for (Residency weights : {Residency::kRegion, Residency::kChannel, Residency::kPart}) {
              if (in_turn && judge.weighted() && weights != Residency::kRegion) continue;
              if (a.weight_by_image && weights != Residency::kPart) continue;
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
  if (best.empty()) return std::unexpected(NoPlan(region, config).error());
  return best;
}

}  // namespace tessera::schedule::accel
