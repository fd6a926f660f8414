// SPDX-License-Identifier: Apache-2.0
//
// Stores boxes of tiles for both profiles. A memory port of the vendor's tools writes whole words,
// so STORE gathers bytes in a line of up to 16 words and reads the missing bytes of incomplete
// words before it writes the line. Only STORE writes device memory in a run. Used by store.
#ifndef TSR_STORE_BOX_H_
#define TSR_STORE_BOX_H_

#include "tsr_memory.h"
#include "tsr_scratchpads.h"

TSR_HLS_OPEN

struct store_box {
  unsigned segment;
  unsigned x_bytes;
  byte_address begin;  // of tile (0, 0, 0), in the segment
  ap_uint<20> sram_base;
  ap_uint<16> x_size, y_size, z_size;
  ap_uint<32> x_step, y_step, z_step;
};

inline store_box box_of_store(const insn_word& insn) {
  store_box box;
  box.segment = store_segment(insn);
  box.x_bytes = store_x_bytes(insn);
  box.begin = store_dram_base(insn);
  box.sram_base = store_sram_base(insn);
  box.x_size = store_x_size(insn);
  box.y_size = store_y_size(insn);
  box.z_size = store_z_size(insn);
  box.x_step = store_x_step(insn);
  box.y_step = store_y_step(insn);
  box.z_step = store_z_step(insn);
  return box;
}

// Profile vta: addresses are tiles from the base of OUT's segment; pads are ignored.
inline store_box box_of_vta_store(const insn_word& insn) {
  store_box box;
  box.segment = kMemoryOut;
  box.x_bytes = kOutTileBytes;
  box.begin = (byte_address)((uint64_t)vta_store_dram_base(insn) * kOutTileBytes);
  box.sram_base = vta_store_sram_base(insn);
  box.x_size = vta_store_x_size(insn);
  box.y_size = vta_store_y_size(insn);
  box.z_size = 1;
  box.x_step = kOutTileBytes;
  box.y_step = (uint64_t)vta_store_x_stride(insn) * kOutTileBytes;
  box.z_step = 0;
  return box;
}

// Consecutive words of one line of device memory that are not written yet.
struct write_line {
  int words;           // 0: empty
  byte_address first;  // number of the first word
  uint8_t bytes[kLineBytes];
  bool set[kLineBytes];  // which bytes are new
};

inline void flush_line(bus_word* gmem, write_line* line) {
#pragma HLS INLINE off
merge:
  for (int i = 0; i < line->words; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    bool whole = true;
    for (int b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
      whole = whole && line->set[i * kBusBytes + b];
    }
    if (whole) continue;
    const bus_word old = gmem[line->first + i];
    for (int b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
      if (!line->set[i * kBusBytes + b]) {
        line->bytes[i * kBusBytes + b] = (uint8_t)old.range(8 * b + 7, 8 * b);
      }
    }
  }
burst_write:
  for (int i = 0; i < line->words; ++i) {
#pragma HLS PIPELINE II = 1
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    bus_word word;
    for (int b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
      word.range(8 * b + 7, 8 * b) = line->bytes[i * kBusBytes + b];
#ifndef __SYNTHESIS__
      const uint8_t before = (uint8_t)gmem[line->first + i].range(8 * b + 7, 8 * b);
      TSR_PROBE_WRITE(kSpaceMemory, (uint64_t)(line->first + i) * kBusBytes + b, &before,
                      &line->bytes[i * kBusBytes + b], 1);
#endif
    }
    gmem[line->first + i] = word;
  }
  line->words = 0;
}

// The place of word |word| in the line. Flushes the line first if the word does not fit in it.
inline int place_word(bus_word* gmem, write_line* line, byte_address word) {
  const bool inside = word >= line->first && word < line->first + line->words;
  const bool next = word == line->first + line->words && word % kLineWords != 0;
  if (line->words != 0 && !inside && !next) flush_line(gmem, line);
  if (line->words == 0) line->first = word;
  const int place = (int)(word - line->first);
  if (place == line->words) {
    line->words = place + 1;
    for (int b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
      line->set[place * kBusBytes + b] = false;
    }
  }
  return place;
}

inline unsigned run_store_box(bus_word* gmem, const tsr_memory_map* map, bool vta,
                              const store_box& box, const acc_tile* acc, const out_tile* out) {
#pragma HLS INLINE off
  const uint64_t tiles = (uint64_t)box.z_size * box.y_size * box.x_size;
  if (tiles == 0) return kMachineErrorNone;
  if (box.sram_base + tiles > kOutDepth) return kMachineErrorSramRange;
  const uint64_t reach = (uint64_t)(box.z_size - 1) * box.z_step +
                         (uint64_t)(box.y_size - 1) * box.y_step +
                         (uint64_t)(box.x_size - 1) * box.x_step;
  const unsigned error = check_segment(map, box.segment, box.begin + reach + box.x_bytes, vta);
  if (error != kMachineErrorNone) return error;
  write_line line;
#pragma HLS ARRAY_PARTITION variable = line.bytes complete
#pragma HLS ARRAY_PARTITION variable = line.set complete
  line.words = 0;
  line.first = 0;
  byte_address plane = map->segment_base[box.segment] + box.begin;
  ap_uint<20> tile = box.sram_base;
  for (unsigned z = 0; z < box.z_size; ++z) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    byte_address row = plane;
    for (unsigned y = 0; y < box.y_size; ++y) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
      byte_address to = row;
      for (unsigned x = 0; x < box.x_size; ++x) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
        uint8_t bytes[kOutTileBytes + kBusBytes];  // room for a chunk from any byte
#pragma HLS ARRAY_PARTITION variable = bytes complete
        for (int i = 0; i < kOutTileBytes + kBusBytes; ++i) {
#pragma HLS UNROLL
          const int lane = i < kLanes ? i : 0;
          bytes[i] = vta ? (uint8_t)acc[tile][lane] : (uint8_t)out[tile][lane];
        }
        unsigned done = 0;
      chunks:
        while (done < box.x_bytes) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 4
          const byte_address at = to + done;
          const int place = place_word(gmem, &line, at / kBusBytes);
          const unsigned offset = (unsigned)(at % kBusBytes);
          unsigned n = box.x_bytes - done;
          if (n > kBusBytes - offset) n = kBusBytes - offset;
          for (unsigned b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
            if (b < n) {
              line.bytes[place * kBusBytes + offset + b] = bytes[done + b];
              line.set[place * kBusBytes + offset + b] = true;
            }
          }
          done += n;
        }
        tile = tile + 1;
        to = to + box.x_step;
      }
      row = row + box.y_step;
    }
    plane = plane + box.z_step;
  }
  flush_line(gmem, &line);
  return kMachineErrorNone;
}

TSR_HLS_CLOSE

#endif  // TSR_STORE_BOX_H_
