// SPDX-License-Identifier: Apache-2.0
//
// Writes to scratchpads, one function per memory. Only these functions report scratchpad writes to
// the simulator's probe. Used by load, gemm, vector.
#ifndef TSR_SCRATCHPADS_H_
#define TSR_SCRATCHPADS_H_

#include "shim/tsr_probe.h"
#include "tsr_hls.h"

TSR_HLS_OPEN

// The probe's numbers of the memories: isa::ByteSpace.
const int kSpaceUop = 1, kSpaceWgt = 2, kSpaceInp = 3, kSpaceAcc = 4, kSpaceOut = 5, kSpacePrm = 6,
          kSpaceMemory = 7, kSpaceTab = 8;

typedef ap_uint<20> tile_index;

inline void put_acc(acc_tile* acc, tile_index tile, int lane, int32_t value) {
  TSR_PROBE_WRITE(kSpaceAcc, (uint64_t)tile * kAccTileBytes + 4 * lane, &acc[tile][lane], &value,
                  4);
  acc[tile][lane] = value;
}

inline void put_out(out_tile* out, tile_index tile, int lane, int8_t value) {
  TSR_PROBE_WRITE(kSpaceOut, (uint64_t)tile * kOutTileBytes + lane, &out[tile][lane], &value, 1);
  out[tile][lane] = value;
}

inline void put_inp(inp_tile* inp, tile_index tile, int element, int8_t value) {
  TSR_PROBE_WRITE(kSpaceInp, (uint64_t)tile * kInpTileBytes + element, &inp[tile][element], &value,
                  1);
  inp[tile][element] = value;
}

inline void put_wgt(wgt_tile* wgt, tile_index tile, int element, int8_t value) {
  TSR_PROBE_WRITE(kSpaceWgt, (uint64_t)tile * kWgtTileBytes + element, &wgt[tile][element], &value,
                  1);
  wgt[tile][element] = value;
}

inline void put_tab(tab_tile* tab, tile_index tile, int element, int8_t value) {
  TSR_PROBE_WRITE(kSpaceTab, (uint64_t)tile * kTabTileBytes + element, &tab[tile][element], &value,
                  1);
  tab[tile][element] = value;
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
