// SPDX-License-Identifier: Apache-2.0
//
// STORE: consecutive OUT tiles to a box in device memory.
#ifndef TESSERA_ISA_SEMANTICS_STORE_H_
#define TESSERA_ISA_SEMANTICS_STORE_H_

#include "isa/insns.h"
#include "isa/semantics/state.h"

namespace tessera::isa {

// Writes the first |bytes| bytes of OUT tile |tile| to device memory at |to|. In profile vta OUT is
// the low bytes of ACC.
template <typename Writes>
void StoreTile(MachineState& m, int64_t tile, uint64_t to, int64_t bytes, Writes& writes) {
  const int64_t first = tile * m.config.out_tile_bytes();
  for (int64_t i = 0; i < bytes; ++i) {
    const uint8_t value = m.profile == Profile::kVta ? static_cast<uint8_t>(m.acc[first + i])
                                                     : static_cast<uint8_t>(m.out[first + i]);
    writes(ByteSpace::kDram, to + i, &m.dram[to + i], &value, 1);
    m.dram[to + i] = value;
  }
}

// Tile (z, y, x) of the box comes from sram_base + (z * y_size + y) * x_size + x. The checks of the
// whole box come before any transfer. Tiles that overlap in memory are written in loop order.
template <typename Writes>
Stop Execute(const Store& store, MachineState& m, Writes& writes) {
  const int64_t tiles = store.z_size * store.y_size * store.x_size;
  if (tiles == 0) return {};
  if (Stop stop = CheckSram(m, Memory::kOut, store.sram_base, tiles)) return stop;
  const int64_t last = store.dram_base + (store.z_size - 1) * store.z_step +
                       (store.y_size - 1) * store.y_step + (store.x_size - 1) * store.x_step;
  if (Stop stop = CheckDram(m, store.segment, store.dram_base, last + store.x_bytes)) return stop;

  const uint64_t base = m.segments[store.segment].base + store.dram_base;
  int64_t tile = store.sram_base;
  for (int64_t z = 0; z < store.z_size; ++z) {
    for (int64_t y = 0; y < store.y_size; ++y) {
      for (int64_t x = 0; x < store.x_size; ++x, ++tile) {
        StoreTile(m, tile, base + z * store.z_step + y * store.y_step + x * store.x_step,
                  store.x_bytes, writes);
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_STORE_H_
