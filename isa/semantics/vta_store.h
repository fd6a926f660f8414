// SPDX-License-Identifier: Apache-2.0
//
// Profile vta, STORE: writes the low bytes of consecutive accumulator tiles to a 2-D box in device
// memory, in tiles from the base of segment 4 (OUT). Ignores pads; x_size = 0 moves tokens only.
#ifndef TESSERA_ISA_SEMANTICS_VTA_STORE_H_
#define TESSERA_ISA_SEMANTICS_VTA_STORE_H_

#include "isa/semantics/store.h"

namespace tessera::isa {

template <typename Writes>
Stop Execute(const VtaStore& store, MachineState& m, Writes& writes) {
  if (store.x_size == 0 || store.y_size == 0) return {};
  const int64_t tile_bytes = m.config.out_tile_bytes();
  const int64_t segment = static_cast<int64_t>(Memory::kOut);
  if (Stop stop = CheckSram(m, Memory::kOut, store.sram_base, store.y_size * store.x_size))
    return stop;
  const int64_t end = store.dram_base + (store.y_size - 1) * store.x_stride + store.x_size;
  if (Stop stop = CheckDram(m, segment, store.dram_base * tile_bytes, end * tile_bytes))
    return stop;

  int64_t tile = store.sram_base;
  for (int64_t y = 0; y < store.y_size; ++y) {
    for (int64_t x = 0; x < store.x_size; ++x, ++tile) {
      const int64_t index = store.dram_base + y * store.x_stride + x;
      StoreTile(m, tile, m.segments[segment].base + index * tile_bytes, tile_bytes, writes);
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_VTA_STORE_H_
