// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/leave_room.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/bits.h"

namespace tessera::network {
namespace {

// The share of the estimated overlap that a program reaches: units wait for each other.
constexpr double kHidden = 0.9;
// Eighths of the first region's INP to try for the second region.
constexpr std::array<int64_t, 4> kOffers{1, 2, 3, 4};

struct TiledRegion {
  const sched::AnalyzedRegion* region = nullptr;
  sched::OnChip on_chip;
  sched::TilePlan plan;
  sched::Extents extents;

  bool contraction() const { return region->anchor.kind == sched::AnchorKind::kContraction; }
  bool boxed() const {
    return region->anchor.kind != sched::AnchorKind::kNone && !on_chip.input.has_value();
  }
  // Tiles of INP that one box takes.
  int64_t Box() const {
    if (!boxed()) return 0;
    const int64_t blocks = !contraction()     ? plan.channel_tile
                           : plan.input_above ? extents.in_blocks
                                              : plan.input_tile;
    return blocks * sched::ChipSpan(*region, extents, 0, plan.y_tile) *
           sched::ChipSpan(*region, extents, 1, plan.x_tile);
  }
  // Whether all channels of a tile of rows and columns are complete before the next tile begins.
  bool ByRows() const {
    return plan.spatial_outside || plan.channel_tile == extents.out_blocks || !contraction();
  }
  int64_t RowTiles() const { return CeilDiv(extents.out_y, plan.y_tile); }
};

// Estimated cycles of |first| and |second| when |second| runs under |first| as far as it can.
double Together(const TiledRegion& first, const TiledRegion& second) {
  const double alone = first.plan.cycles() + second.plan.cycles();
  const auto free_of = [&](double used) { return std::max(first.plan.cycles() - used, 0.0); };
  // The last rows of |second| need the last rows of |first|.
  double part =
      first.ByRows() && second.ByRows() ? 1.0 - 1.0 / static_cast<double>(second.RowTiles()) : 0.0;
  const auto limit = [&](double free, double wanted) {
    if (wanted > 0) part = std::min(part, free / wanted);
  };
  limit(free_of(first.plan.compute_cycles), second.plan.compute_cycles);
  limit(free_of(first.plan.bus_cycles), second.plan.bus_cycles);
  limit(free_of(first.plan.vector_cycles), second.plan.vector_cycles);
  return alone - kHidden * part * second.plan.cycles();
}

}  // namespace

RoomTiles::RoomTiles(const ResidencyPlan& plan, size_t r, const schedule::RoomStep& step) {
  const int64_t tiles = plan.box_tiles[r], room = tiles * step.eighths / 8;
  here = tiles - room;
  next = std::min(plan.regions[r + 1].inp_tiles, room);
}

RoomChoice BestRoom(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
                    const PlanOfRegion& plan_of, const ResidencyPlan& plan, size_t r) {
  const auto make = [&](size_t k, const sched::OnChip& on_chip) -> std::optional<TiledRegion> {
    const Result<sched::TilePlan> made = plan_of(k, on_chip);
    if (!made) return std::nullopt;
    const sched::AnalyzedRegion* region = regions[k].region;
    return TiledRegion{region, on_chip, *made, sched::ExtentsOf(*region, config)};
  };
  if (regions[r].steps || regions[r + 1].steps) return {};
  // Regions in a chain have a fixed number of rows.
  if (plan.regions[r].rows > 0 || plan.regions[r + 1].rows > 0) return {};
  const int64_t tiles = plan.box_tiles[r];
  const std::optional<TiledRegion> first = make(r, plan.regions[r]),
                                   second = make(r + 1, plan.regions[r + 1]);
  if (!first || !second || !first->boxed() || !second->boxed()) return {};
  const double apart = first->plan.cycles() + second->plan.cycles(),
               most = apart - Together(*first, *second);
  // Even with unlimited room the overlap would gain too little.
  if (most < apart / sched::kWorthwhile) return {};
  if (2 * first->Box() + second->Box() <= tiles) return {most, {}};
  RoomChoice choice;
  double best = apart - apart / sched::kWorthwhile;
  for (const int64_t eighths : kOffers) {
    const schedule::RoomStep step{eighths};
    const RoomTiles room(plan, r, step);
    sched::OnChip less = plan.regions[r], under = plan.regions[r + 1];
    less.inp_tiles = room.here;
    under.inp_tiles = room.next;
    const std::optional<TiledRegion> a = make(r, less), b = make(r + 1, under);
    if (!a || !b || 2 * a->Box() + b->Box() > tiles) continue;
    const double together = Together(*a, *b);
    if (together >= best) continue;
    best = together;
    choice = {apart - together, step};
  }
  return choice;
}

void LeaveRoom(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
               const PlanOfRegion& plan_of, const ResidencyPlan& plan, Decisions* decisions) {
  for (size_t r = 0; r + 1 < regions.size(); ++r) {
    if (regions[r].given != nullptr || regions[r + 1].given != nullptr) continue;
    const RoomChoice choice = BestRoom(regions, config, plan_of, plan, r);
    if (!choice.step) continue;
    (*decisions)[r].room = choice.step;
    ++r;  // the pairs do not share a region
  }
}

}  // namespace tessera::network
