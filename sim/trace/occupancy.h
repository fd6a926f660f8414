// SPDX-License-Identifier: Apache-2.0
//
// How full the scratchpads are. A tile is in use from the instruction that writes it to the last
// instruction that reads that value. An instruction that changes the value (an accumulation) keeps
// the tile in use. Depends on: isa/check. Used by: timelines.
#ifndef TESSERA_SIM_TRACE_OCCUPANCY_H_
#define TESSERA_SIM_TRACE_OCCUPANCY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "isa/config.h"
#include "isa/image.h"

namespace tessera::sim {

// Numbers of tiles, by isa::Memory.
using TileCounts = std::array<int32_t, isa::kMemories>;

struct Occupancy {
  std::vector<TileCounts> taken;    // by instruction: tiles that come into use when it is taken
  std::vector<TileCounts> retired;  // by instruction: tiles that go out of use when it retires
};

// The occupancy of a program that CheckProgram accepts: its tokens order all accesses to a tile.
//   errors  kInvalidArgument  the checker finds an error; the message is its first one
Result<Occupancy> FindOccupancy(const isa::ProgramImage& image, const isa::Config& config);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_OCCUPANCY_H_
