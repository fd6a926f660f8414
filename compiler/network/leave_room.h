// SPDX-License-Identifier: Apache-2.0
//
// Leaves room in INP for overlap: chooses the tiles of two consecutive regions so that the second
// region's boxes fit in INP beside the first region's, and some of its work runs under the first
// (codegen/accel/overlap.h). Does so where the estimated gain exceeds the cost of smaller tiles.
// Depends on: network/residency.h, compiler/schedule/accel. Used by: residency.cc.
#ifndef TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_
#define TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_

#include <vector>

#include "compiler/network/residency.h"
#include "isa/config.h"

namespace tessera::network {

// Lowers OnChip::inp_tiles, the room that generated plans may use, of such pairs in |plan|, a plan
// of |regions|. ResidencyPlan::box_tiles, the room that exists, stays.
void LeaveRoom(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
               ResidencyPlan* plan);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_
