// SPDX-License-Identifier: Apache-2.0
//
// Tiles of two regions that run one after the other, chosen so that work of the second one has room
// in INP beside the first one's boxes and can be done under it (codegen/accel/overlap.h), where
// that is estimated to save more than smaller tiles cost. Depends on: network/residency.h,
// compiler/schedule/accel. Used by: residency.cc.
#ifndef TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_
#define TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_

#include <vector>

#include "compiler/network/residency.h"
#include "isa/config.h"

namespace tessera::network {

// Lowers OnChip::inp_tiles, what generated plans may take, of such pairs in |plan|, which is of
// |regions|. ResidencyPlan::box_tiles, what there is, stays.
void LeaveRoom(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
               ResidencyPlan* plan);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_LEAVE_ROOM_H_
