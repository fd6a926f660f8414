// SPDX-License-Identifier: Apache-2.0
//
// The estimate of one plan of a region: whether its buffers fit the scratchpads, and the cycles of
// GEMM, the bus and VECTOR. Private to compiler/schedule/accel.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_ESTIMATE_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_ESTIMATE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bits.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/tile_cycles.h"

namespace tessera::schedule::accel {

// ACC and OUT have banks by the high bits of an index; two users should have different banks.
inline constexpr int64_t kTileBanks = isa::RowOf(isa::Memory::kAcc).banks;

// Judges plans of one region on one machine.
class PlanJudge {
 public:
  PlanJudge(const AnalyzedRegion& region, const isa::Config& config, const OnChip& on_chip)
      : region_(region), config_(config), on_chip_(on_chip), e_(ExtentsOf(region, config)) {
    inp_tiles_ = on_chip.inp_tiles < 0 ? config.Depth(isa::Memory::kInp) : on_chip.inp_tiles;
    anchored_ = region.anchor.kind != AnchorKind::kNone;
    contraction_ = region.anchor.kind == AnchorKind::kContraction;
    weighted_ = contraction_ || region.anchor.kind == AnchorKind::kChannelwise;
    acc_slots_ = region.AccSlots(), out_slots_ = region.OutSlots();
  }

  const Extents& extents() const { return e_; }
  bool grouped() const { return contraction_ && e_.in_blocks < e_.in_total; }
  bool contraction() const { return contraction_; }
  bool weighted() const { return weighted_; }

  // Banks of ACC and of OUT for |tiles|.
  int64_t AccBanks(int64_t tiles) const { return CeilDiv(tiles, acc_bank_); }
  int64_t OutBanks(int64_t tiles) const { return CeilDiv(tiles, out_bank_); }
  // Banks of ACC that the region may use.
  int64_t AccBanks() const {
    return on_chip_.acc_tiles < 0 ? kTileBanks : on_chip_.acc_tiles / acc_bank_;
  }
  // A cheap first test: whether the accumulators of such a tile fit.
  bool TileFits(int64_t channel_tile, int64_t y, int64_t x) const {
    return !anchored_ || AccBanks(channel_tile * y * x) <= AccBanks();
  }

  bool Fill(TilePlan* p) const;
  // No plan with the tiles of |p| and no larger chunks of the reduction takes fewer cycles: of
  // products, commands and tiles. By float arithmetic as in Fill, so that this holds exactly.
  double LeastCycles(const TilePlan& p) const;

 private:
  struct Sizes;
  struct Traffic;
  std::optional<Sizes> SizesOf(const TilePlan& p) const;
  int64_t Fetched(size_t d, int64_t tile) const;
  Traffic TrafficOf(const TilePlan& p, const Sizes& s) const;
  int64_t FillUnits(const Sizes& s, const Traffic& t, TilePlan* p) const;
  // Bytes of a tile of the result in device memory.
  double BlockPixels() const {
    return static_cast<double>(e_.batches * e_.out_y * e_.out_x) *
           static_cast<double>(e_.out_blocks);
  }
  int64_t Taps() const;          // of a product of the anchor
  double ProductCycles() const;  // of a contraction
  double ResultTileBytes() const { return static_cast<double>(e_.rows * e_.out_lanes); }

  const AnalyzedRegion& region_;
  const isa::Config& config_;
  const std::shared_ptr<const target::Target> target_ = target::Accelerator(config_);
  const TileCycles cycles_{*target_, config_};
  const target::TargetMemory& memory_ = *target_->FindMemory(ir::Scope::kGlobal);
  const OnChip& on_chip_;
  Extents e_;
  // Tiles of a bank, tiles and records on chip, and bytes of a tile, of config_.
  const int64_t acc_bank_ = config_.Depth(isa::Memory::kAcc) / kTileBanks;
  const int64_t out_bank_ = config_.Depth(isa::Memory::kOut) / kTileBanks;
  const int64_t wgt_tiles_ = config_.Depth(isa::Memory::kWgt);
  const int64_t prm_records_ = config_.Depth(isa::Memory::kPrm);
  const int64_t wgt_tile_bytes_ = config_.wgt_tile_bytes();
  int64_t inp_tiles_ = 0;
  bool anchored_ = false, weighted_ = false, contraction_ = false;
  int64_t acc_slots_ = 0, out_slots_ = 0;  // of the region
};

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_ESTIMATE_H_
