// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/exact.h"

#include <algorithm>

#include "isa/widths.h"

namespace tessera::hw {
namespace {

using isa::Config;
using isa::Memory;

// A RAM block of half a BRAM36 is 512 words of 36 bits; a word half as wide is there twice as
// often. A byte has a ninth bit, which memories with byte enables do not use.
constexpr int64_t kBlockWords = 512;
constexpr int64_t kBlockBytes = 4;
constexpr int64_t kBlockBits = 36;

int64_t BlockRows(int64_t depth) { return std::max<int64_t>(1, CeilDiv(depth, kBlockWords)); }

// tsr_ram: columns of eight bytes or less.
int64_t RamBlocks(int64_t depth, int64_t bytes) {
  return CeilDiv(bytes, kBlockBytes) * BlockRows(depth);
}

// A scratchpad, bank by bank.
int64_t ScratchpadBlocks(const Config& c, Memory memory) {
  const int64_t banks = isa::RowOf(memory).banks;
  return banks * RamBlocks(c.Depth(memory) / banks, c.TileBytes(memory));
}

// tsr_prm_mem: block RAM where records are narrow, else LUT RAM. What fills a record up to the bus
// takes a block only where it shares one with the record.
int64_t PrmBlocks(const Config& c) {
  if (c.block_out > 4) return 0;
  const int64_t bytes = isa::RecordBytes(Memory::kPrm) * c.block_out;
  const int64_t rows = BlockRows(c.prm_depth);
  return rows == 1 ? 2 * CeilDiv(bytes, 2 * kBlockBytes) : rows * CeilDiv(bytes, kBlockBytes);
}

// tsr_deep_fifo in tsr_gate: beats of command, number and tokens.
int64_t QueueBlocks(int64_t command_bits, int64_t places) {
  constexpr int64_t kBesides = 44;
  return CeilDiv((command_bits + kBesides) * BlockRows(places), kBlockBits);
}

// The queues of the four gates (tsr_issue).
int64_t AllQueueBlocks(const Config& c) {
  constexpr int64_t kDirect = 256, kLoadOnly = 44, kFixed = kLoadOnly + 137;  // tsr_dma_pkg
  const bool vta = isa::ValidateVtaProfile(c).has_value();
  const int64_t places = c.QueueDepth(isa::Profile::kTessera);
  const int64_t checked_places = vta ? std::max(places, c.QueueDepth(isa::Profile::kVta)) : places;
  const int64_t checked = kFixed + isa::WidthsOfBox(c).All();
  return QueueBlocks(checked, checked_places) + QueueBlocks(checked - kLoadOnly, checked_places) +
         QueueBlocks(vta ? std::max(kDirect, checked) : kDirect, checked_places) +
         QueueBlocks(kDirect, places);
}

}  // namespace

int64_t Bram18Of(const Config& c) {
  int64_t blocks = PrmBlocks(c) + AllQueueBlocks(c);
  for (const Memory memory :
       {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kOut}) {
    blocks += ScratchpadBlocks(c, memory);
  }
  return blocks;
}

int64_t DspOf(const Config& c) {
  constexpr int64_t kOfBoxes = 9;   // tsr_box
  constexpr int64_t kOfALane = 5;   // tsr_dsp_product, tsr_dsp_scale
  constexpr int64_t kProducts = 2;  // of the array, a DSP block (tsr_dsp_pair)
  // The step between rows has 24 bits; in profile vta 16 bits that count tiles. 24 fit a port of a
  // DSP block beside the sign, more take two.
  constexpr int64_t kLargeTile = 256;
  const bool long_step = isa::ValidateVtaProfile(c).has_value() &&
                         std::max(c.wgt_tile_bytes(), c.acc_tile_bytes()) > kLargeTile;
  return c.macs_per_cycle() / kProducts + kOfALane * c.vector_lanes() + kOfBoxes +
         (long_step ? 1 : 0);
}

}  // namespace tessera::hw
