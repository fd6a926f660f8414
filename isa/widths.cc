// SPDX-License-Identifier: Apache-2.0
#include "isa/widths.h"

#include <algorithm>

namespace tessera::isa {

int TileIndexBits(const Config& config) {
  int64_t deepest = 0;
  for (const MemoryRow& row : kMemoryRows) {
    if (row.memory != Memory::kUop && !row.lies_in)
      deepest = std::max(deepest, config.Depth(row.memory));
  }
  return IndexBits(deepest) + 1;
}

BoxWidths WidthsOfBox(const Config& config) {
  int64_t tiles = 0, tile_bytes = 0, bytes = 0;
  for (const MemoryRow& row : kMemoryRows) {
    for (Profile profile : {Profile::kTessera, Profile::kVta}) {
      const int64_t depth = config.Depth(row.memory, profile);
      const int64_t size = config.TileBytes(row.memory, profile);
      tiles = std::max(tiles, depth);
      tile_bytes = std::max(tile_bytes, size);
      bytes = std::max(bytes, depth * size);
    }
  }
  return {.size = IndexBits(tiles + 1),
          .tile = IndexBits(tiles),
          .tile_bytes = IndexBits(tile_bytes + 1),
          .bytes = std::max(IndexBits(bytes), 13)};
}

}  // namespace tessera::isa
