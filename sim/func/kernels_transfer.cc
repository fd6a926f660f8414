// SPDX-License-Identifier: Apache-2.0
//
// LOAD and STORE of whole tiles, and of whole rows if the tiles are adjacent in device memory.
#include <cstring>

#include "isa/semantics/execute.h"
#include "sim/func/kernels.h"

namespace tessera::sim {
namespace {

using isa::MachineState;
using isa::Memory;

// The greatest value of base + z * z_step + y * y_step.
int64_t LastRow(int64_t base, int64_t z_size, int64_t z_step, int64_t y_size, int64_t y_step) {
  return base + (z_size - 1) * z_step + (y_size - 1) * y_step;
}

// The bytes of |memory|, null if a transfer changes them (PRM, ACC8).
uint8_t* PlainBytesOf(MachineState& m, Memory memory) {
  const bool plain = memory != Memory::kPrm && memory != Memory::kAcc8;
  return plain ? m.BytesOf(memory).data() : nullptr;
}

void Pad(uint8_t* to, int64_t bytes, Memory memory, int8_t value) {
  if (memory != Memory::kAcc) {
    std::memset(to, static_cast<uint8_t>(value), bytes);
    return;
  }
  const int32_t wide = value;
  for (int64_t i = 0; i < bytes; i += 4) std::memcpy(to + i, &wide, 4);
}

bool Run(const isa::Load& v, MachineState& m) {
  const Memory memory = static_cast<Memory>(v.memory);
  uint8_t* bytes = PlainBytesOf(m, memory);
  const int64_t columns = v.x_pad_0 + v.x_size + v.x_pad_1, rows = v.y_pad_0 + v.y_size + v.y_pad_1;
  const int64_t tiles = columns * rows * v.z_size;
  if (bytes == nullptr) return false;
  if (tiles == 0) return true;
  if (CheckSram(m, memory, v.sram_base, tiles)) return false;
  if (v.x_size != 0 && v.y_size != 0) {
    const int64_t end = LastRow(v.dram_base, v.z_size, v.z_step, v.y_size, v.y_step) +
                        (v.x_size - 1) * v.x_step + v.x_bytes;
    if (CheckDram(m, v.segment, v.dram_base, end)) return false;
  }
  const int64_t tile_bytes = m.config.TileBytes(memory);
  const int8_t pad = static_cast<int8_t>(v.pad_value);
  const bool dense = v.x_bytes == tile_bytes && v.x_step == tile_bytes;
  uint8_t* to = bytes + v.sram_base * tile_bytes;
  for (int64_t z = 0; z < v.z_size; ++z) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t y = row - v.y_pad_0;
      if (y < 0 || y >= v.y_size || v.x_size == 0) {
        Pad(to, columns * tile_bytes, memory, pad);
        to += columns * tile_bytes;
        continue;
      }
      Pad(to, v.x_pad_0 * tile_bytes, memory, pad);
      to += v.x_pad_0 * tile_bytes;
      const uint8_t* from =
          m.dram.data() + m.segments[v.segment].base + v.dram_base + z * v.z_step + y * v.y_step;
      if (dense) {
        std::memcpy(to, from, v.x_size * tile_bytes);
        to += v.x_size * tile_bytes;
      } else {
        for (int64_t x = 0; x < v.x_size; ++x, to += tile_bytes) {
          std::memcpy(to, from + x * v.x_step, v.x_bytes);
          Pad(to + v.x_bytes, tile_bytes - v.x_bytes, memory, pad);
        }
      }
      Pad(to, v.x_pad_1 * tile_bytes, memory, pad);
      to += v.x_pad_1 * tile_bytes;
    }
  }
  return true;
}

bool Run(const isa::Store& v, MachineState& m) {
  const int64_t tiles = v.x_size * v.y_size * v.z_size;
  if (tiles == 0) return true;
  const int64_t end = LastRow(v.dram_base, v.z_size, v.z_step, v.y_size, v.y_step) +
                      (v.x_size - 1) * v.x_step + v.x_bytes;
  if (CheckSram(m, Memory::kOut, v.sram_base, tiles) || CheckDram(m, v.segment, v.dram_base, end))
    return false;
  const int64_t tile_bytes = m.config.out_tile_bytes();
  const bool dense = v.x_bytes == tile_bytes && v.x_step == tile_bytes;
  const int8_t* from = m.out.data() + v.sram_base * tile_bytes;
  for (int64_t z = 0; z < v.z_size; ++z) {
    for (int64_t y = 0; y < v.y_size; ++y) {
      uint8_t* to =
          m.dram.data() + m.segments[v.segment].base + v.dram_base + z * v.z_step + y * v.y_step;
      if (dense) {
        std::memcpy(to, from, v.x_size * tile_bytes);
        from += v.x_size * tile_bytes;
      } else {
        for (int64_t x = 0; x < v.x_size; ++x, from += tile_bytes)
          std::memcpy(to + x * v.x_step, from, v.x_bytes);
      }
    }
  }
  return true;
}

}  // namespace

bool RunTransferKernel(const isa::AnyInsn& insn, MachineState& machine) {
  const isa::Insn* one = std::get_if<isa::Insn>(&insn);
  if (one == nullptr) return false;
  if (const isa::Load* load = std::get_if<isa::Load>(one)) return Run(*load, machine);
  if (const isa::Store* store = std::get_if<isa::Store>(one)) return Run(*store, machine);
  return false;
}

}  // namespace tessera::sim
