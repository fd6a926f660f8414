// SPDX-License-Identifier: Apache-2.0
//
// The box of a LOAD or a STORE: which of its loop levels are contiguous in device memory, its
// bursts and its chunks, in the order in which hw/rtl/dma makes them. Depends on: isa/nest.h. Used
// by: load, store.
#ifndef TESSERA_SIM_CYCLE_BOX_H_
#define TESSERA_SIM_CYCLE_BOX_H_

#include <array>
#include <cstdint>

#include "isa/config.h"
#include "isa/nest.h"

namespace tessera::sim::cycle {

inline constexpr uint64_t kMaxBurst = 16;  // beats; tsr_top's MaxBurst

// As tsr_box has it. Loops are x, y, z: columns, rows, planes.
struct CheckedBox {
  isa::Memory memory = isa::Memory::kOut;     // of the scratchpad; kAcc8 as such
  bool nop = false;                           // no tile
  bool no_data = false;                       // no byte of device memory
  uint64_t address = 0;                       // of the first byte
  uint64_t x_bytes = 0;                       // of a tile in device memory
  std::array<uint64_t, 3> size{};             // that have data
  std::array<uint64_t, 3> step{};             // bytes
  std::array<uint64_t, 2> before{}, after{};  // pads of x and y
  std::array<bool, 3> whole{};                // a row, a plane, the box is one run
  uint64_t run_bytes = 0;
  uint64_t tile = 0;   // first one
  uint64_t tiles = 0;  // with pads
};

// |nest|: of a LOAD into |memory| (kAcc8 as such) or a STORE, in range. |segments|: base addresses.
CheckedBox BoxOf(const isa::InsnNest& nest, isa::Memory memory,
                 const std::array<uint64_t, isa::kSegments>& segments);

struct BusBurst {
  uint64_t address = 0;  // of a bus word
  uint32_t beats = 0;
  bool last = false;  // of its box
};

// tsr_runs: the bursts of a box with data, in order.
class BurstWalk {
 public:
  BurstWalk() = default;
  BurstWalk(const CheckedBox& box, uint64_t bus_bytes);
  const BusBurst& burst() const { return burst_; }
  void Next();

 private:
  void Cut();  // burst_ from at_

  CheckedBox box_;
  uint64_t bus_bytes_ = 0;
  std::array<uint64_t, 3> count_{}, index_{};  // runs along x, y, z
  uint64_t at_ = 0, end_ = 0;                  // bytes of the run not yet cut
  BusBurst burst_;
};

// One chunk operation of tsr_dma_walk.
struct Chunk {
  bool write = false;  // false: nothing, only the mark
  bool data = false;   // bytes of device memory; else a tile of pads
  bool ends_tile = false;
  bool ends_run = false;
  bool full = false;   // its bytes go to the end of its first bus word, or past it
  bool spans = false;  // past it
  bool last = false;   // of its box
  uint64_t tile = 0;
  uint32_t bytes = 0;  // of device memory
  isa::Memory memory = isa::Memory::kOut;
};

// tsr_dma_walk: the chunks of a box, in order; one that writes nothing for a box without tiles.
class ChunkWalk {
 public:
  ChunkWalk() = default;
  ChunkWalk(const CheckedBox& box, uint64_t bus_bytes);
  const Chunk& chunk() const { return chunk_; }
  void Next();

 private:
  void StartTile();  // at index_
  void Cut();        // chunk_ at offset_ of the tile

  CheckedBox box_;
  uint64_t bus_bytes_ = 0, most_ = 0;          // most: bytes of device memory that fill a chunk
  std::array<uint64_t, 3> count_{}, index_{};  // columns, rows, planes, with pads
  uint64_t left_ = 0;                          // bytes of this tile still to take
  uint64_t offset_ = 0;                        // of the chunk's first byte in its bus word
  bool data_ = false;
  Chunk chunk_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_BOX_H_
