// SPDX-License-Identifier: Apache-2.0
//
// Profile vta, LOAD: a padded 2-D box of tiles; pads are zero in every memory. Device memory is
// addressed in tiles from the base of segment `memory_type`. x_size = 0 moves tokens only.
#ifndef TESSERA_ISA_SEMANTICS_VTA_LOAD_H_
#define TESSERA_ISA_SEMANTICS_VTA_LOAD_H_

#include "isa/semantics/load.h"

namespace tessera::isa {

template <typename Writes>
Stop Execute(const VtaLoad& load, MachineState& m, Writes& writes) {
  if (load.x_size == 0) return {};
  const Memory memory = static_cast<Memory>(load.memory_type);
  const int64_t tile_bytes = m.config.TileBytes(memory, m.profile);
  const int64_t columns = load.x_pad_0 + load.x_size + load.x_pad_1;
  const int64_t rows = load.y_pad_0 + load.y_size + load.y_pad_1;
  if (rows == 0) return {};
  if (Stop stop = CheckSram(m, memory, load.sram_base, rows * columns)) return stop;
  if (load.y_size != 0) {
    const int64_t end = load.dram_base + (load.y_size - 1) * load.x_stride + load.x_size;
    if (Stop stop = CheckDram(m, load.memory_type, load.dram_base * tile_bytes, end * tile_bytes))
      return stop;
  }

  int64_t tile = load.sram_base;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column, ++tile) {
      const int64_t y = row - load.y_pad_0;
      const int64_t x = column - load.x_pad_0;
      const bool inside = y >= 0 && y < load.y_size && x >= 0 && x < load.x_size;
      const int64_t index = load.dram_base + y * load.x_stride + x;
      const uint64_t from = inside ? m.segments[load.memory_type].base + index * tile_bytes : 0;
      LoadTile(m, memory, tile, from, inside ? tile_bytes : 0, 0, writes);
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_VTA_LOAD_H_
