// SPDX-License-Identifier: Apache-2.0
//
// The forwarding window of GEMM's accumulate loop: the last |kWindowDepth| accumulator tiles that
// were written, so that a step that reads one of them does not wait for the memory. The window
// makes the pragma DEPENDENCE .. distance = kWindowDepth true: an address read from memory was last
// written at least kWindowDepth iterations ago, or its value comes from here. Used by gemm.
#ifndef TSR_WINDOW_H_
#define TSR_WINDOW_H_

#include "tsr_scratchpads.h"

TSR_HLS_OPEN

const int kWindowDepth = 4;  // iterations from an accumulator's read to its write, plus one

struct acc_window {
  bool valid[kWindowDepth];
  tile_index tile[kWindowDepth];
  acc_tile value[kWindowDepth];
};

inline void clear_window(acc_window* w) {
  for (int k = 0; k < kWindowDepth; ++k) {
#pragma HLS UNROLL
    w->valid[k] = false;
    w->tile[k] = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
      w->value[k][lane] = 0;
    }
  }
}

// The tile after the last write. |stored| is the memory's value, which may be older.
inline void look_up(const acc_window& w, tile_index tile, const int32_t* stored, int32_t* value) {
#pragma HLS INLINE
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
    int32_t v = stored[lane];
    for (int k = kWindowDepth - 1; k >= 0; --k) {  // the newest, at 0, wins
#pragma HLS UNROLL
      if (w.valid[k] && w.tile[k] == tile) v = w.value[k][lane];
    }
    value[lane] = v;
  }
}

// Records the write of |tile|; the oldest write leaves the window.
inline void shift_in(acc_window* w, tile_index tile, const int32_t* value) {
#pragma HLS INLINE
  for (int k = kWindowDepth - 1; k > 0; --k) {
#pragma HLS UNROLL
    w->valid[k] = w->valid[k - 1];
    w->tile[k] = w->tile[k - 1];
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
      w->value[k][lane] = w->value[k - 1][lane];
    }
  }
  w->valid[0] = true;
  w->tile[0] = tile;
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
    w->value[0][lane] = value[lane];
  }
}

TSR_HLS_CLOSE

#endif  // TSR_WINDOW_H_
