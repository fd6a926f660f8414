// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/plan_estimate.h"

#include <algorithm>

#include "isa/costs.h"

namespace tessera::schedule::accel {

using isa::Memory;

namespace {

static_assert(isa::RowOf(Memory::kOut).banks == kTileBanks);
// Shares fitted to cycles of regions on the RTL: the wait of the array for weights that are loaded
// once without room for two copies; the rows of a box in bursts of their own that pay for a
// transfer's start; the cycles of VECTOR that show where OUT has no room for two copies.
constexpr double kLateWeights = 0.1, kRowStarts = 0.5, kLateDrain = 0.5;
// A command waits for two tokens between neighbours; a tile for four, through all units and back.
constexpr double kCommandCycles = 2.0 * isa::kTokenCycles, kTileCycles = 4.0 * isa::kTokenCycles;

}  // namespace

// How often the loops of a plan run, and the sizes of its buffers.
struct PlanJudge::Sizes {
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
struct PlanJudge::Traffic {
  double read = 0, write = 0;  // bytes
  double serial = 0, first_box = 0, first_weights = 0;
  double passes = 0;  // cycles of VECTOR for a tile
  int64_t loads = 0;  // transfers
};

// The sizes of |p|; nothing if |p| does not fit.
std::optional<PlanJudge::Sizes> PlanJudge::SizesOf(const TilePlan& p) const {
  Sizes s;
  const int64_t tile_pixels = p.y_tile * p.x_tile;
  s.n_y = CeilDiv(e_.out_y, p.y_tile), s.n_x = CeilDiv(e_.out_x, p.x_tile);
  s.n_o = CeilDiv(e_.out_blocks, p.channel_tile), s.n_i = CeilDiv(e_.in_blocks, p.input_tile);
  s.n_w = CeilDiv(p.channel_tile, p.channel_part);
  s.spatial = e_.batches * s.n_y * s.n_x;
  s.pixels = static_cast<double>(e_.batches * e_.out_y * e_.out_x);

  s.part_pixels = p.channel_part * tile_pixels;
  const int64_t summed = p.inputs_outside ? e_.out_y * e_.out_x : tile_pixels;
  s.acc_banks = anchored_ ? AccBanks(p.channel_tile * summed) : 0;
  const int64_t extra_slots = acc_slots_ - (anchored_ ? 1 : 0);
  s.extra_banks = extra_slots * AccBanks(s.part_pixels);
  s.out_banks = out_slots_ * OutBanks(s.part_pixels);
  // A pass that widens has a buffer beside the sums, even if the sums of its part are done with.
  const int64_t beside =
      std::max(extra_slots, anchored_ ? region_.WidePasses() : 0) * AccBanks(s.part_pixels);
  if (s.acc_banks + beside > AccBanks() || s.out_banks > kTileBanks) return std::nullopt;
  // Tiles of work of other regions come between two tiles of this one.
  const bool between = on_chip_.rows > 0 && !on_chip_.WholePlanes(e_.out_y);
  const int64_t in_turn = p.inputs_outside ? s.extra_banks : s.acc_banks + s.extra_banks;
  if (between && (2 * in_turn > AccBanks() || 2 * s.out_banks > kTileBanks)) return std::nullopt;

  // Channel blocks of a box: a contraction reads input blocks; other anchors read their own.
  const int64_t box_blocks =
      contraction_ ? (p.input_above ? e_.in_blocks : p.input_tile) : p.channel_tile;
  s.span_y = ChipSpan(region_, e_, 0, p.y_tile), s.span_x = ChipSpan(region_, e_, 1, p.x_tile);
  if (p.window_rows > 0) {
    const WindowAxis& rows = region_.anchor.window[0];
    s.n_i = rows.taps / p.window_rows;
    s.span_y -= (rows.taps - p.window_rows) * rows.dilation;
  }
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
    if (s.weight_piece > wgt_tiles_) return std::nullopt;
  }
  const int64_t records =
      region_.Records() * (p.params == Residency::kRegion ? e_.out_blocks : p.channel_part);
  if (records > prm_records_) return std::nullopt;
  return s;
}

// Input positions along axis |d| that tiles of |tile| outputs fetch, without pads.
int64_t PlanJudge::Fetched(size_t d, int64_t tile) const {
  if (d == 0 && e_.matrix) return e_.out_y;
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
PlanJudge::Traffic PlanJudge::TrafficOf(const TilePlan& p, const Sizes& s) const {
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
    double bytes =
        static_cast<double>(e_.out_blocks * e_.in_blocks * e_.weight_tiles * wgt_tile_bytes_);
    if (p.weights == Residency::kPart) bytes *= static_cast<double>(s.spatial);
    t.loads += (p.weights == Residency::kPart ? s.spatial : 1) * s.n_o * s.n_i * s.n_w;
    t.read += bytes;
    // LOAD brings weights that stay for the region while the region before computes.
    const bool ahead = on_chip_.follows && p.weights == Residency::kRegion;
    const int64_t first_bytes = p.channel_part * p.input_tile * e_.weight_tiles * wgt_tile_bytes_;
    if (!ahead) t.first_weights = static_cast<double>(first_bytes) / bus;
    if (2 * s.weight_piece > wgt_tiles_)
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

int64_t PlanJudge::Taps() const {
  return region_.anchor.window[0].taps * region_.anchor.window[1].taps *
         region_.anchor.input_terms * region_.anchor.weight_terms;
}

double PlanJudge::ProductCycles() const {
  return BlockPixels() * static_cast<double>(e_.in_blocks * Taps()) * cycles_.gemm;
}

double PlanJudge::LeastCycles(const TilePlan& p) const {
  const int64_t spatial = e_.batches * CeilDiv(e_.out_y, p.y_tile) * CeilDiv(e_.out_x, p.x_tile);
  const int64_t tiles = spatial * CeilDiv(e_.out_blocks, p.channel_tile);
  if (!contraction_) return kTileCycles * static_cast<double>(tiles);
  const int64_t chunks = CeilDiv(e_.in_blocks, p.input_tile);
  return ProductCycles() + (kCommandCycles * static_cast<double>(spatial * e_.out_blocks * chunks) +
                            kTileCycles * static_cast<double>(tiles * chunks));
}

// Fills in the cycles of the units; returns the number of the array's commands.
int64_t PlanJudge::FillUnits(const Sizes& s, const Traffic& t, TilePlan* p) const {
  const double block_pixels = BlockPixels();
  p->vector_cycles = block_pixels * t.passes;
  p->compute_cycles = 0;
  int64_t gemms = 0;
  if (contraction_) {
    p->compute_cycles = ProductCycles();
    gemms = s.spatial * e_.out_blocks * s.n_i;
  } else if (region_.anchor.kind == AnchorKind::kChannelwise) {
    p->compute_cycles = block_pixels * static_cast<double>(e_.weight_tiles) * cycles_.window;
    p->down = WindowsGoDown(region_, config_, p->y_tile, p->x_tile);
    gemms = s.spatial * s.n_o * s.n_w;
  } else if (anchored_) {
    p->vector_cycles += block_pixels * static_cast<double>(Taps()) * cycles_.reduce;
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
bool PlanJudge::Fill(TilePlan* p) const {
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
  if (2 * s.acc_banks + s.extra_banks > kTileBanks) serial += p->vector_cycles;
  if (2 * s.out_banks > kTileBanks) serial += p->vector_cycles * kLateDrain + t.write / bus;
  p->overhead_cycles = t.first_box + t.first_weights + part_vector + part_store + serial +
                       kCommandCycles * static_cast<double>(gemms) +
                       kTileCycles * static_cast<double>(s.spatial * s.n_o * s.n_i);
  return true;
}

}  // namespace tessera::schedule::accel
