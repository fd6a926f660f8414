// SPDX-License-Identifier: Apache-2.0
//
// The box of a LOAD or a STORE: its bursts and its chunks, in the order of hw/rtl/dma, and the loop
// levels that are contiguous in device memory. Depends on: isa/nest.h. Used by: load, store.
#ifndef TESSERA_SIM_CYCLE_BOX_H_
#define TESSERA_SIM_CYCLE_BOX_H_

#include <array>
#include <cstdint>

#include "isa/config.h"
#include "isa/nest.h"

namespace tessera::sim::cycle {

inline constexpr uint64_t kMaxBurst = 16;  // beats; MaxBurst of tsr_top

// A box as tsr_box computes it. Loops are x (columns), y (rows) and z (planes).
struct CheckedBox {
  isa::Memory memory = isa::Memory::kOut;     // scratchpad; kAcc8 is not replaced by kAcc
  bool nop = false;                           // the box has no tile
  bool no_data = false;                       // the box has no byte in device memory
  uint64_t address = 0;                       // of the first byte, in device memory
  uint64_t x_bytes = 0;                       // bytes of a tile in device memory
  std::array<uint64_t, 3> size{};             // tiles with data, along x, y, z
  std::array<uint64_t, 3> step{};             // from one tile, row or plane to the next, in bytes
  std::array<uint64_t, 2> before{}, after{};  // pads along x and y
  std::array<bool, 3> whole{};                // a row, a plane, the box is one contiguous run
  uint64_t run_bytes = 0;
  uint64_t tile = 0;   // the first tile
  uint64_t tiles = 0;  // number of tiles, with pads
};

// The box of |nest|: a LOAD into |memory| (kAcc8 is allowed) or a STORE, with all addresses in
// range. |segments|: base addresses.
CheckedBox BoxOf(const isa::InsnNest& nest, isa::Memory memory,
                 const std::array<uint64_t, isa::kSegments>& segments);

struct BusBurst {
  uint64_t address = 0;  // of a bus word, in bytes
  uint32_t beats = 0;
  bool last = false;  // of its box
};

// tsr_runs: the bursts of a box, in order. The box must have data.
class BurstWalk {
 public:
  BurstWalk() = default;
  BurstWalk(const CheckedBox& box, uint64_t bus_bytes);
  const BusBurst& burst() const { return burst_; }
  void Next();

 private:
  void Cut();  // sets burst_ from at_

  CheckedBox box_;
  uint64_t bus_bytes_ = 0;
  std::array<uint64_t, 3> count_{}, index_{};  // runs along x, y, z
  uint64_t at_ = 0, end_ = 0;                  // the bytes of the run that are not yet in a burst
  BusBurst burst_;
};

// One chunk operation of tsr_dma_walk: at most one bus word of one tile.
struct Chunk {
  bool write = false;  // false: writes nothing, only marks the end of a box without tiles
  bool data = false;   // true: bytes of device memory; false: a tile of pads
  bool ends_tile = false;
  bool ends_run = false;
  bool full = false;   // its bytes reach the end of its first bus word
  bool spans = false;  // its bytes go past the end of its first bus word
  bool last = false;   // of its box
  uint64_t tile = 0;
  uint32_t bytes = 0;  // of device memory
  isa::Memory memory = isa::Memory::kOut;
};

// tsr_dma_walk: the chunks of a box, in order. A box without tiles has one chunk, which writes
// nothing.
class ChunkWalk {
 public:
  ChunkWalk() = default;
  ChunkWalk(const CheckedBox& box, uint64_t bus_bytes);
  const Chunk& chunk() const { return chunk_; }
  void Next();

 private:
  void StartTile();  // starts the tile at index_
  void Cut();        // sets chunk_ at offset_ of the tile

  CheckedBox box_;
  uint64_t bus_bytes_ = 0, most_ = 0;          // most_: bytes of device memory that fill a chunk
  std::array<uint64_t, 3> count_{}, index_{};  // of columns, rows, planes, with pads
  uint64_t left_ = 0;                          // bytes of this tile that no chunk has yet
  uint64_t offset_ = 0;                        // of the chunk's first byte in its bus word
  bool data_ = false;
  Chunk chunk_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_BOX_H_
