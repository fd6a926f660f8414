// SPDX-License-Identifier: Apache-2.0
//
// Device memory as the tops use it: bytes at any address, moved in bursts of whole bus words. A
// line is the largest burst, 16 words at a multiple of 16, so no burst crosses a boundary of 4 KiB.
// Used by fetch, load, gemm (profile vta), store.
#ifndef TSR_MEMORY_H_
#define TSR_MEMORY_H_

#include "shim/tsr_probe.h"
#include "tsr_hls.h"

TSR_HLS_OPEN

const int kLineWords = 16;
const int kLineBytes = kLineWords * kBusBytes;

typedef ap_uint<64> byte_address;

// The words of the last burst that was read.
struct read_line {
  bool valid;
  byte_address first;  // address of the first byte read
  byte_address end;    // one past the last
  uint8_t bytes[kLineBytes];
};

// Reads from the word with byte |address| to the line's end, or to the word with byte |last| if
// that comes first.
inline void fill_line(const bus_word* gmem, byte_address address, byte_address last,
                      read_line* line) {
#pragma HLS INLINE off
  const byte_address first_word = address / kBusBytes;
  const byte_address line_end = (first_word / kLineWords + 1) * kLineWords;
  const byte_address run_end = last / kBusBytes + 1;
  const byte_address end_word = run_end < line_end ? run_end : line_end;
  const int words = (int)(end_word - first_word);
  line->valid = true;
  line->first = first_word * kBusBytes;
  line->end = end_word * kBusBytes;
burst_read:
  for (int i = 0; i < words; ++i) {
#pragma HLS PIPELINE II = 1
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    const bus_word word = gmem[first_word + i];
    for (int b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
      line->bytes[i * kBusBytes + b] = (uint8_t)word.range(8 * b + 7, 8 * b);
    }
  }
}

// Copies |count| bytes from |address| on to |bytes|. |last| is the last byte of the whole run.
inline void read_bytes(const bus_word* gmem, byte_address address, byte_address last, int count,
                       read_line* line, uint8_t* bytes) {
#pragma HLS INLINE off
  int done = 0;
chunks:
  while (done < count) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 34
    const byte_address next = address + done;
    if (!line->valid || next < line->first || next >= line->end) fill_line(gmem, next, last, line);
    const int offset = (int)(next - line->first);
    const int left = (int)(line->end - next);
    int n = count - done;
    if (n > left) n = left;
    if (n > kBusBytes) n = kBusBytes;
    for (int b = 0; b < kBusBytes; ++b) {
#pragma HLS UNROLL
      if (b < n) bytes[done + b] = line->bytes[offset + b];
    }
    done += n;
  }
}

// The error of an access to a segment whose last byte is |end| - 1, or none.
inline unsigned check_segment(const tsr_memory_map* map, unsigned segment, byte_address end,
                              bool vta) {
  const byte_address size = map->segment_size[segment];
  const byte_address base = map->segment_base[segment];
  const bool unlimited = vta && size == 0;
  if (!unlimited && end > size) return kMachineErrorDramRange;
  if (end > map->bytes || base > map->bytes - end) return kMachineErrorBus;
  return kMachineErrorNone;
}

TSR_HLS_CLOSE

#endif  // TSR_MEMORY_H_
