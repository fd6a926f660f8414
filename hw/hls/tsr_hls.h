// SPDX-License-Identifier: Apache-2.0
//
// The five tops of the HLS twin. Each is a kernel of its own under ap_ctrl_hs; a run starts all
// five, and is over when all are. C++14, synthesisable; hw/hls/README.md has the rules.
// Depends on the printed header and on ap_int.h, hls_stream.h: the vendor's, or those of
// hw/hls/shim.
#ifndef TSR_HLS_H_
#define TSR_HLS_H_

#include <cstdint>

#include "tsr_hls_isa.h"
#include "tsr_hls_queues.h"

#ifdef TSR_HLS_NAMESPACE
#define TSR_HLS_OPEN namespace TSR_HLS_NAMESPACE {
#define TSR_HLS_CLOSE }
#else
#define TSR_HLS_OPEN
#define TSR_HLS_CLOSE
#endif

TSR_HLS_OPEN

typedef ap_uint<kBusBits> bus_word;

// Scratchpads that the tops share: one tile per address.
typedef int8_t inp_tile[kBatch * kBlockIn];
typedef int8_t wgt_tile[kBlockOut * kBlockIn];
typedef int32_t acc_tile[kLanes];
typedef int8_t out_tile[kLanes];
typedef int32_t prm_bias[kBlockOut];
typedef int32_t prm_multiplier[kBlockOut];
typedef int8_t prm_shift[kBlockOut];
typedef int8_t tab_tile[kTabTileBytes];

// A unit has four queues for each of the three other units X, in the order of enum Unit. |from_X|
// brings tokens and |from_X_places| gives their places back; |to_X| takes tokens and
// |to_X_places| brings the places that are free again.

// Reads |insn_count| instructions from byte |insn_addr| of device memory and routes them.
void tsr_hls_fetch(const bus_word* gmem, ap_uint<64> insn_addr, ap_uint<32> insn_count,
                   ap_uint<1> vta, tsr_commands& to_load, tsr_marks& to_load_places,
                   tsr_commands& to_gemm, tsr_marks& to_gemm_places, tsr_commands& to_vector,
                   tsr_marks& to_vector_places, tsr_commands& to_store, tsr_marks& to_store_places,
                   tsr_report* report);

void tsr_hls_load(const bus_word* gmem, const tsr_memory_map* map, ap_uint<1> vta,
                  tsr_commands& commands, tsr_marks& places, tsr_marks& from_gemm,
                  tsr_marks& from_gemm_places, tsr_marks& from_vector,
                  tsr_marks& from_vector_places, tsr_marks& from_store,
                  tsr_marks& from_store_places, tsr_marks& to_gemm, tsr_marks& to_gemm_places,
                  tsr_marks& to_vector, tsr_marks& to_vector_places, tsr_marks& to_store,
                  tsr_marks& to_store_places, uop_word* uop, wgt_tile* wgt, inp_tile* inp,
                  acc_tile* acc, out_tile* out, prm_bias* bias, prm_multiplier* multiplier,
                  prm_shift* shift, tab_tile* tab, tsr_report* report);

// In profile vta this is COMPUTE: GEMM, ALU and the loads of UOP and ACC.
void tsr_hls_gemm(const bus_word* gmem, const tsr_memory_map* map, ap_uint<1> vta,
                  tsr_commands& commands, tsr_marks& places, tsr_marks& from_load,
                  tsr_marks& from_load_places, tsr_marks& from_vector,
                  tsr_marks& from_vector_places, tsr_marks& from_store,
                  tsr_marks& from_store_places, tsr_marks& to_load, tsr_marks& to_load_places,
                  tsr_marks& to_vector, tsr_marks& to_vector_places, tsr_marks& to_store,
                  tsr_marks& to_store_places, uop_word* uop, const wgt_tile* wgt,
                  const inp_tile* inp, acc_tile* acc, tsr_report* report);

void tsr_hls_vector(ap_uint<1> vta, tsr_commands& commands, tsr_marks& places, tsr_marks& from_load,
                    tsr_marks& from_load_places, tsr_marks& from_gemm, tsr_marks& from_gemm_places,
                    tsr_marks& from_store, tsr_marks& from_store_places, tsr_marks& to_load,
                    tsr_marks& to_load_places, tsr_marks& to_gemm, tsr_marks& to_gemm_places,
                    tsr_marks& to_store, tsr_marks& to_store_places, inp_tile* inp, acc_tile* acc,
                    out_tile* out, const prm_bias* bias, const prm_multiplier* multiplier,
                    const prm_shift* shift, const tab_tile* tab, tsr_report* report);

// In profile vta STORE reads the low bytes of ACC, because VTA's OUT mirrors them.
void tsr_hls_store(bus_word* gmem, const tsr_memory_map* map, ap_uint<1> vta,
                   tsr_commands& commands, tsr_marks& places, tsr_marks& from_load,
                   tsr_marks& from_load_places, tsr_marks& from_gemm, tsr_marks& from_gemm_places,
                   tsr_marks& from_vector, tsr_marks& from_vector_places, tsr_marks& to_load,
                   tsr_marks& to_load_places, tsr_marks& to_gemm, tsr_marks& to_gemm_places,
                   tsr_marks& to_vector, tsr_marks& to_vector_places, const acc_tile* acc,
                   const out_tile* out, tsr_report* report);

TSR_HLS_CLOSE

#endif  // TSR_HLS_H_
