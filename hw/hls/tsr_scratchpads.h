// SPDX-License-Identifier: Apache-2.0
//
// Writes to scratchpads. Only these functions report scratchpad writes to the simulator's
// probe. Used by load, gemm, vector.
#ifndef TSR_SCRATCHPADS_H_
#define TSR_SCRATCHPADS_H_

#include "shim/tsr_probe.h"
#include "tsr_hls.h"

TSR_HLS_OPEN

typedef ap_uint<20> tile_index;

inline void put_acc(acc_tile* acc, tile_index tile, int lane, int32_t value) {
  TSR_PROBE_WRITE(kSpaceAcc, (uint64_t)tile * kAccTileBytes + 4 * lane, &acc[tile][lane], &value,
                  4);
  acc[tile][lane] = value;
}

// Of a memory of int8, whose number in digests is kSpace.
template <int kSpace, int kTileBytes>
inline void put_byte(int8_t (*memory)[kTileBytes], tile_index tile, int element, int8_t value) {
#pragma HLS INLINE
  TSR_PROBE_WRITE(kSpace, (uint64_t)tile * kTileBytes + element, &memory[tile][element], &value, 1);
  memory[tile][element] = value;
}
template <int kSpace, int kTileBytes>
inline void put_bytes(int8_t (*memory)[kTileBytes], tile_index tile, const uint8_t* bytes) {
#pragma HLS INLINE
  for (int i = 0; i < kTileBytes; ++i) {
#pragma HLS UNROLL
    put_byte<kSpace>(memory, tile, i, (int8_t)bytes[i]);
  }
}

// Half |half| of a 64-bit word: a micro-op of profile vta, or half of one of profile tessera.
inline void put_uop_half(uop_word* uop, tile_index word, int half, uint32_t value) {
#ifndef __SYNTHESIS__
  const uint32_t before = (uint32_t)uop[word].range(32 * half + 31, 32 * half);
  TSR_PROBE_WRITE(kSpaceUop, (uint64_t)word * kUopTileBytes + 4 * half, &before, &value, 4);
#endif
  uop[word].range(32 * half + 31, 32 * half) = value;
}

inline void put_prm(prm_bias* bias, prm_multiplier* multiplier, prm_shift* shift, tile_index record,
                    int channel, int32_t new_bias, int32_t new_multiplier, int8_t new_shift) {
#ifndef __SYNTHESIS__
  const uint64_t base = (uint64_t)record * kPrmTileBytes;
  TSR_PROBE_WRITE(kSpacePrm, base + kPrmBiasOffset + kPrmBiasBytes * channel,
                  &bias[record][channel], &new_bias, 4);
  TSR_PROBE_WRITE(kSpacePrm, base + kPrmMultiplierOffset + kPrmMultiplierBytes * channel,
                  &multiplier[record][channel], &new_multiplier, 4);
  TSR_PROBE_WRITE(kSpacePrm, base + kPrmShiftOffset + kPrmShiftBytes * channel,
                  &shift[record][channel], &new_shift, 1);
#endif
  bias[record][channel] = new_bias;
  multiplier[record][channel] = new_multiplier;
  shift[record][channel] = new_shift;
}

TSR_HLS_CLOSE

#endif  // TSR_SCRATCHPADS_H_
