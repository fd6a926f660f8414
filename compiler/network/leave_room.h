// SPDX-License-Identifier: Apache-2.0
//
// Leaves room in INP for overlap: chooses the tiles of two consecutive regions so that the second
// region's boxes fit in INP beside the first region's, and some of its work runs under the first
// (codegen/accel/order). Does so where the estimated gain exceeds the cost of smaller tiles.
// Depends on: network/residency_planner.h, compiler/schedule/accel. Used by: residency.cc.
#ifndef TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_
#define TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_

#include <functional>
#include <vector>

#include "compiler/network/residency_planner.h"
#include "isa/config.h"

namespace tessera::network {

// What the estimate saves where the second of two regions that take no turns runs under the first.
struct RoomChoice {
  double saved = 0;                        // cycles
  std::optional<schedule::RoomStep> step;  // nothing: there is room without it, or nothing is saved
};

// The INP tiles for the boxes of region |r| of |plan| and of the next one by |step|.
struct RoomTiles {
  int64_t here = 0, next = 0;
  RoomTiles(const ResidencyPlan& plan, size_t r, const schedule::RoomStep& step);
};

// The plan of a region by its index.
using PlanOfRegion =
    std::function<Result<sched::TilePlan>(size_t region, const sched::OnChip& on_chip)>;

// The best choice for region |r| of |plan| and the next one.
RoomChoice BestRoom(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
                    const PlanOfRegion& plan_of, const ResidencyPlan& plan, size_t r);

// Adds a RoomStep to |decisions| for such pairs of |regions|, which have |plan|.
void LeaveRoom(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
               const PlanOfRegion& plan_of, const ResidencyPlan& plan, Decisions* decisions);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_
