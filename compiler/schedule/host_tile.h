// SPDX-License-Identifier: Apache-2.0
//
// The tile of sums that a host processor keeps in registers, for instructions that multiply and
// add. Depends on: target. Used by: host_dots.h, host_dot.cc, host.cc.
#ifndef TESSERA_COMPILER_SCHEDULE_HOST_TILE_H_
#define TESSERA_COMPILER_SCHEDULE_HOST_TILE_H_

#include <cstdint>
#include <vector>

#include "compiler/target/target.h"

namespace tessera::schedule {

// An instruction that has a sum in each lane, of a quad of products; of floats a quad has one.
struct Dot {
  const target::TensorIntrin* intrin = nullptr;
  int64_t lanes = 0, quad = 0;
};

// Points x blocks of sums.
struct DotTile {
  Dot dot;
  std::vector<int64_t> points, blocks;  // what there may be
  size_t point = 0, block = 0;          // and is
  double cycles = 0;                    // for each product
};

// The tile by |dot| that costs least, of |extent| points and |channels|. |ragged|: the last tile of
// a row may have fewer points.
DotTile TileFor(const target::Target& target, const Dot& dot, int64_t extent, int64_t channels,
                bool ragged);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_HOST_TILE_H_
