// SPDX-License-Identifier: Apache-2.0
//
// LOAD: a box of tiles from device memory to a scratchpad, with steps and pads.
#ifndef TESSERA_ISA_SEMANTICS_LOAD_H_
#define TESSERA_ISA_SEMANTICS_LOAD_H_

#include "isa/insns.h"
#include "isa/semantics/state.h"

namespace tessera::isa {

// Fills tile |tile| of |memory| with |bytes| bytes of device memory from address |from|, and with
// |pad_value| to its end. bytes == 0: a padded tile. ACC elements have four bytes; their pad is
// sign-extended.
template <typename Writes>
void LoadTile(MachineState& m, Memory memory, int64_t tile, uint64_t from, int64_t bytes,
              int8_t pad_value, Writes& writes) {
  const int64_t tile_bytes = m.config.TileBytes(memory, m.profile);
  const auto byte = [&](int64_t i) {
    return i < bytes ? m.dram[from + i] : static_cast<uint8_t>(pad_value);
  };
  switch (memory) {
    case Memory::kInp:
    case Memory::kWgt:
    case Memory::kOut: {
      std::vector<int8_t>& pad = memory == Memory::kInp   ? m.inp
                                 : memory == Memory::kWgt ? m.wgt
                                                          : m.out;
      for (int64_t i = 0; i < tile_bytes; ++i) {
        Put(ByteSpaceOf(memory), pad, tile * tile_bytes + i, static_cast<int8_t>(byte(i)), writes);
      }
      return;
    }
    case Memory::kAcc:
      for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
        int32_t value = pad_value;
        if (bytes != 0) std::memcpy(&value, &m.dram[from + 4 * lane], 4);
        Put(ByteSpace::kAcc, m.acc, tile * m.config.lanes() + lane, value, writes);
      }
      return;
    case Memory::kAcc8:  // profile vta: int8 in device memory, widened
      for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
        Put(ByteSpace::kAcc, m.acc, tile * m.config.lanes() + lane,
            static_cast<int32_t>(static_cast<int8_t>(byte(lane))), writes);
      }
      return;
    case Memory::kUop:
      for (int64_t i = 0; i < tile_bytes; ++i) {
        Put(ByteSpace::kUop, m.uop, tile * tile_bytes + i, byte(i), writes);
      }
      return;
    case Memory::kPrm: {
      // The machine keeps 32 bits of bias, 31 of multiplier and 6 of shift (signed) for a channel,
      // and drops the bytes that fill a record up to the bus width.
      const int64_t channels = m.config.block_out;
      for (int64_t i = 0; i < 9 * channels; ++i) {
        uint8_t value = byte(i);
        if (i >= 8 * channels) {
          value = static_cast<uint8_t>(SignExtend(value, 6));
        } else if (i >= 4 * channels && i % 4 == 3) {
          value &= 0x7f;
        }
        Put(ByteSpace::kPrm, m.prm, tile * tile_bytes + i, value, writes);
      }
      return;
    }
    default: {
      std::vector<uint8_t>& bytes_of = m.others[static_cast<int>(memory)];
      for (int64_t i = 0; i < tile_bytes; ++i) {
        Put(ByteSpaceOf(memory), bytes_of, tile * tile_bytes + i, byte(i), writes);
      }
      return;
    }
  }
}

// Tile (z, y, x) of the padded box goes to sram_base + (z * rows + y) * columns + x. The checks of
// the whole box come before any transfer.
template <typename Writes>
Stop Execute(const Load& load, MachineState& m, Writes& writes) {
  const Memory memory = static_cast<Memory>(load.memory);
  const int64_t columns = load.x_pad_0 + load.x_size + load.x_pad_1;
  const int64_t rows = load.y_pad_0 + load.y_size + load.y_pad_1;
  const int64_t tiles = load.z_size * rows * columns;
  if (tiles == 0) return {};
  if (Stop stop = CheckSram(m, memory, load.sram_base, tiles)) return stop;
  if (load.x_size != 0 && load.y_size != 0) {
    const int64_t last = load.dram_base + (load.z_size - 1) * load.z_step +
                         (load.y_size - 1) * load.y_step + (load.x_size - 1) * load.x_step;
    if (Stop stop = CheckDram(m, load.segment, load.dram_base, last + load.x_bytes)) return stop;
  }

  const uint64_t base = m.segments[load.segment].base + load.dram_base;
  int64_t tile = load.sram_base;
  for (int64_t z = 0; z < load.z_size; ++z) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column, ++tile) {
        const int64_t y = row - load.y_pad_0;
        const int64_t x = column - load.x_pad_0;
        const bool inside = y >= 0 && y < load.y_size && x >= 0 && x < load.x_size;
        const uint64_t from =
            inside ? base + z * load.z_step + y * load.y_step + x * load.x_step : 0;
        LoadTile(m, memory, tile, from, inside ? load.x_bytes : 0,
                 static_cast<int8_t>(load.pad_value), writes);
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_LOAD_H_
