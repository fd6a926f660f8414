// SPDX-License-Identifier: Apache-2.0
//
// How full the scratchpads are. A tile is in use from the instruction that writes it to the last
// one that reads what was written; one that only changes it (an accumulation) keeps it in use.
// Depends on: isa/check. Used by: timelines.
#ifndef TESSERA_SIM_TRACE_OCCUPANCY_H_
#define TESSERA_SIM_TRACE_OCCUPANCY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "isa/config.h"
#include "isa/image.h"

namespace tessera::sim {

// Tiles by isa::Memory.
using TileCounts = std::array<int32_t, isa::kMemories>;

struct Occupancy {
  std::vector<TileCounts> taken;    // by instruction: tiles in use from when it is taken on
  std::vector<TileCounts> retired;  // tiles no longer in use once it has retired
};

// Of a program that CheckProgram accepts; its tokens order whatever touches a tile twice.
//   errors  kInvalidArgument  the checker finds an error: its first one
Result<Occupancy> FindOccupancy(const isa::ProgramImage& image, const isa::Config& config);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_OCCUPANCY_H_
