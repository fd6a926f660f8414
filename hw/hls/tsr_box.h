// SPDX-License-Identifier: Apache-2.0
//
// Loads boxes of tiles, with steps and pads, for both profiles: for LOAD, and in profile vta for
// COMPUTE (UOP and ACC). Checks the whole box before any byte moves. Used by load, gemm.
#ifndef TSR_BOX_H_
#define TSR_BOX_H_

#include "tsr_memory.h"
#include "tsr_scratchpads.h"

TSR_HLS_OPEN

constexpr int kAccElementBytes = kAccTileBytes / kLanes;
constexpr int32_t kMultiplierMask = (int32_t)((1u << kPrmMultiplierBits) - 1);

// The scratchpads that a load may write. Functions that take this struct are inlined, so that a
// tool sees the memory behind each pointer. A top with kEvery false has ports to UOP and ACC only;
// its other pointers are null.
struct load_targets {
  uop_word* uop;
  wgt_tile* wgt;
  inp_tile* inp;
  acc_tile* acc;
  out_tile* out;
  prm_bias* bias;
  prm_multiplier* multiplier;
  prm_shift* shift;
  tab_tile* tab;
};

// A load of either profile: sizes in tiles, steps in bytes.
struct load_box {
  unsigned memory;
  unsigned segment;
  int8_t pad_value;
  unsigned x_bytes;    // bytes of each tile that come from device memory
  byte_address begin;  // of tile (0, 0, 0), in the segment
  ap_uint<20> sram_base;
  ap_uint<16> x_size, y_size, z_size;
  ap_uint<8> x_pad_0, x_pad_1, y_pad_0, y_pad_1;
  ap_uint<32> x_step, y_step, z_step;
};

inline load_box box_of_load(const insn_word& insn) {
  load_box box;
  box.memory = load_memory(insn);
  box.segment = load_segment(insn);
  box.pad_value = (int8_t)load_pad_value(insn);
  box.x_bytes = load_x_bytes(insn);
  box.begin = load_dram_base(insn);
  box.sram_base = load_sram_base(insn);
  box.x_size = load_x_size(insn);
  box.y_size = load_y_size(insn);
  box.z_size = load_z_size(insn);
  box.x_pad_0 = load_x_pad_0(insn);
  box.x_pad_1 = load_x_pad_1(insn);
  box.y_pad_0 = load_y_pad_0(insn);
  box.y_pad_1 = load_y_pad_1(insn);
  box.x_step = load_x_step(insn);
  box.y_step = load_y_step(insn);
  box.z_step = load_z_step(insn);
  return box;
}

// Profile vta: addresses and strides are tiles, pads are zero, x_size 0 moves nothing.
inline load_box box_of_vta_load(const insn_word& insn) {
  load_box box;
  box.memory = vta_load_memory_type(insn);
  const unsigned tile_bytes = memory_tile_bytes(box.memory, true);
  box.segment = box.memory;
  box.pad_value = 0;
  box.x_bytes = tile_bytes;
  box.begin = (byte_address)((uint64_t)vta_load_dram_base(insn) * tile_bytes);
  box.sram_base = vta_load_sram_base(insn);
  box.x_size = vta_load_x_size(insn);
  box.y_size = vta_load_y_size(insn);
  box.z_size = box.x_size == 0 ? 0 : 1;
  box.x_pad_0 = vta_load_x_pad_0(insn);
  box.x_pad_1 = vta_load_x_pad_1(insn);
  box.y_pad_0 = vta_load_y_pad_0(insn);
  box.y_pad_1 = vta_load_y_pad_1(insn);
  box.x_step = tile_bytes;
  box.y_step = (uint64_t)vta_load_x_stride(insn) * tile_bytes;
  box.z_step = 0;
  return box;
}

// The little-endian word of four bytes.
inline int32_t word_of(const uint8_t* bytes, int at) {
  return (int32_t)((uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8 |
                   (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24);
}

// Writes one tile. |bytes| has its pads in place.
template <bool kEvery>
inline void put_tile(const load_targets& to, unsigned memory, bool vta, ap_uint<20> tile,
                     const uint8_t* bytes) {
#pragma HLS INLINE
  switch (memory) {
    case kMemoryUop:
      if (vta) {
        put_uop_half(to.uop, tile / 2, (int)(tile % 2), (uint32_t)word_of(bytes, 0));
      } else {
        put_uop_half(to.uop, tile, 0, (uint32_t)word_of(bytes, 0));
        put_uop_half(to.uop, tile, 1, (uint32_t)word_of(bytes, 4));
      }
      break;
    case kMemoryWgt:
      if (!kEvery) break;
      put_bytes<kSpaceWgt>(to.wgt, tile, bytes);
      break;
    case kMemoryInp:
      if (!kEvery) break;
      put_bytes<kSpaceInp>(to.inp, tile, bytes);
      break;
    case kMemoryAcc:
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
        put_acc(to.acc, tile, lane, word_of(bytes, 4 * lane));
      }
      break;
    case kMemoryAcc8:
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
        put_acc(to.acc, tile, lane, (int8_t)bytes[lane]);
      }
      break;
    case kMemoryOut:
      if (!kEvery) break;
      put_bytes<kSpaceOut>(to.out, tile, bytes);
      break;
    case kMemoryPrm:  // 31 bits of the multiplier and 6 of the shift are kept
      if (!kEvery) break;
      for (int c = 0; c < kBlockOut; ++c) {
#pragma HLS UNROLL
        const ap_int<kPrmShiftBits> shift = (int)bytes[kPrmShiftOffset + c];
        put_prm(to.bias, to.multiplier, to.shift, tile, c,
                word_of(bytes, kPrmBiasOffset + kPrmBiasBytes * c),
                word_of(bytes, kPrmMultiplierOffset + kPrmMultiplierBytes * c) & kMultiplierMask,
                (int8_t)shift);
      }
      break;
    case kMemoryTab:
      if (!kEvery) break;
      put_bytes<kSpaceTab>(to.tab, tile, bytes);
      break;
    default:  // run_box has returned an error
      break;
  }
}

// Whether this top has a port to |memory|. A load to a memory without one is an error.
template <bool kEvery>
inline bool is_served(unsigned memory) {
  switch (memory) {
    case kMemoryUop:
    case kMemoryAcc:
    case kMemoryAcc8:
      return true;
    case kMemoryWgt:
    case kMemoryInp:
    case kMemoryOut:
    case kMemoryPrm:
    case kMemoryTab:
      return kEvery;
    default:
      return false;
  }
}

// Executes a box whose fields are legal. Returns the error, or none.
template <bool kEvery>
inline unsigned run_box(const bus_word* gmem, const tsr_memory_map* map, bool vta,
                        const load_box& box, const load_targets& to) {
#pragma HLS INLINE
  if (!is_served<kEvery>(box.memory)) return kMachineErrorIllegalField;
  const uint64_t columns = (uint64_t)box.x_pad_0 + box.x_size + box.x_pad_1;
  const uint64_t rows = (uint64_t)box.y_pad_0 + box.y_size + box.y_pad_1;
  const uint64_t tiles = box.z_size * rows * columns;
  if (tiles == 0) return kMachineErrorNone;
  if (box.sram_base + tiles > memory_depth(box.memory, vta)) return kMachineErrorSramRange;
  const bool reads = box.x_size != 0 && box.y_size != 0;
  if (reads) {
    const uint64_t reach = (uint64_t)(box.z_size - 1) * box.z_step +
                           (uint64_t)(box.y_size - 1) * box.y_step +
                           (uint64_t)(box.x_size - 1) * box.x_step;
    const unsigned error = check_segment(map, box.segment, box.begin + reach + box.x_bytes, vta);
    if (error != kMachineErrorNone) return error;
  }
  const bool wide_pad = box.memory == kMemoryAcc && box.pad_value < 0;  // sign in every byte
  const bool dense = box.x_step == box.x_bytes;
  read_line line;
#pragma HLS ARRAY_PARTITION variable = line.bytes complete
  line.valid = false;
  uint8_t bytes[kMaxTileBytes];
#pragma HLS ARRAY_PARTITION variable = bytes complete
  byte_address plane = map->segment_base[box.segment] + box.begin;
  ap_uint<20> tile = box.sram_base;
planes:
  for (unsigned z = 0; z < box.z_size; ++z) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    byte_address row = plane;
  rows:
    for (unsigned y = 0; y < rows; ++y) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
      const bool row_inside = y >= box.y_pad_0 && y < (unsigned)box.y_pad_0 + box.y_size;
      byte_address from = row;
      const byte_address row_last = row + (uint64_t)(box.x_size - 1) * box.x_step + box.x_bytes - 1;
    tiles:
      for (unsigned x = 0; x < columns; ++x) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
        const bool inside =
            row_inside && x >= box.x_pad_0 && x < (unsigned)box.x_pad_0 + box.x_size;
        const int count = inside ? (int)box.x_bytes : 0;
        for (int i = 0; i < kMaxTileBytes; ++i) {
#pragma HLS UNROLL
          bytes[i] = box.memory == kMemoryAcc && i % kAccElementBytes != 0 ? (wide_pad ? 0xff : 0)
                                                                           : (uint8_t)box.pad_value;
        }
        if (inside) {
          read_bytes(gmem, from, dense ? row_last : (byte_address)(from + box.x_bytes - 1), count,
                     &line, bytes);
          from = from + box.x_step;
        }
        put_tile<kEvery>(to, box.memory, vta, tile, bytes);
        tile = tile + 1;
      }
      if (row_inside) row = row + box.y_step;
    }
    plane = plane + box.z_step;
  }
  return kMachineErrorNone;
}

TSR_HLS_CLOSE

#endif  // TSR_BOX_H_
