// SPDX-License-Identifier: Apache-2.0
//
// LOAD: boxes of tiles from device memory to every scratchpad; in profile vta to INP and WGT.
#include "tsr_box.h"
#include "tsr_tokens.h"

TSR_HLS_OPEN

static unsigned run_load(const bus_word* gmem, const tsr_memory_map* map, bool vta,
                         const insn_word& insn, const load_targets& to) {
#pragma HLS INLINE
  if (vta) {
    if (!vta_load_legal(insn)) return kMachineErrorIllegalField;
    return run_box<true>(gmem, map, true, box_of_vta_load(insn), to);
  }
  if (insn_opcode(insn) == kOpSync) return kMachineErrorNone;
  if (!load_legal(insn)) return kMachineErrorIllegalField;
  return run_box<true>(gmem, map, false, box_of_load(insn), to);
}

void tsr_hls_load(const bus_word* gmem, const tsr_memory_map* map, ap_uint<1> vta,
                  tsr_commands& commands, tsr_marks& places, tsr_marks& from_gemm,
                  tsr_marks& from_gemm_places, tsr_marks& from_vector,
                  tsr_marks& from_vector_places, tsr_marks& from_store,
                  tsr_marks& from_store_places, tsr_marks& to_gemm, tsr_marks& to_gemm_places,
                  tsr_marks& to_vector, tsr_marks& to_vector_places, tsr_marks& to_store,
                  tsr_marks& to_store_places, uop_word* uop, wgt_tile* wgt, inp_tile* inp,
                  acc_tile* acc, out_tile* out, prm_bias* bias, prm_multiplier* multiplier,
                  prm_shift* shift, tab_tile* tab, tsr_report* report) {
#pragma HLS INTERFACE m_axi port = gmem offset = slave bundle = load max_read_burst_length = 16
#pragma HLS INTERFACE s_axilite port = gmem bundle = control
#pragma HLS INTERFACE s_axilite port = map bundle = control
#pragma HLS INTERFACE s_axilite port = vta bundle = control
#pragma HLS INTERFACE s_axilite port = report bundle = control
#pragma HLS INTERFACE s_axilite port = return bundle = control
#pragma HLS INTERFACE axis port = commands
#pragma HLS INTERFACE axis port = places
#pragma HLS INTERFACE axis port = from_gemm
#pragma HLS INTERFACE axis port = from_gemm_places
#pragma HLS INTERFACE axis port = from_vector
#pragma HLS INTERFACE axis port = from_vector_places
#pragma HLS INTERFACE axis port = from_store
#pragma HLS INTERFACE axis port = from_store_places
#pragma HLS INTERFACE axis port = to_gemm
#pragma HLS INTERFACE axis port = to_gemm_places
#pragma HLS INTERFACE axis port = to_vector
#pragma HLS INTERFACE axis port = to_vector_places
#pragma HLS INTERFACE axis port = to_store
#pragma HLS INTERFACE axis port = to_store_places
#pragma HLS INTERFACE ap_memory port = uop
#pragma HLS INTERFACE ap_memory port = wgt
#pragma HLS INTERFACE ap_memory port = inp
#pragma HLS INTERFACE ap_memory port = acc
#pragma HLS INTERFACE ap_memory port = out
#pragma HLS INTERFACE ap_memory port = bias
#pragma HLS INTERFACE ap_memory port = multiplier
#pragma HLS INTERFACE ap_memory port = shift
#pragma HLS INTERFACE ap_memory port = tab
#pragma HLS ARRAY_RESHAPE variable = wgt complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = inp complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = acc complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = out complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = bias complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = multiplier complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = shift complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = tab complete dim = 2
  load_targets to;
  to.uop = uop;
  to.wgt = wgt;
  to.inp = inp;
  to.acc = acc;
  to.out = out;
  to.bias = bias;
  to.multiplier = multiplier;
  to.shift = shift;
  to.tab = tab;
  const bool is_vta = vta != 0;
  place_count gemm_free = edge_places(is_vta), vector_free = edge_places(is_vta);
  place_count store_free = edge_places(is_vta);
  ap_uint<32> done = 0;
  tsr_command command = commands.read();
instructions:
  while (command.end == 0) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1000
    start_insn(command, kUnitGemm, kUnitVector, kUnitStore, places, from_gemm, from_gemm_places,
               from_vector, from_vector_places, from_store, from_store_places);
    TSR_PROBE_START((uint32_t)command.number);
    const unsigned error = run_load(gmem, map, is_vta, command.insn, to);
    if (error != kMachineErrorNone) {
      *report = make_report(error, command.number, done, 0);
      return;
    }
    reserve_tokens(command, kUnitGemm, kUnitVector, kUnitStore, &gemm_free, &vector_free,
                   &store_free, to_gemm_places, to_vector_places, to_store_places);
    TSR_PROBE_RETIRE((uint32_t)command.number);
    retire_insn(command, kUnitGemm, kUnitVector, kUnitStore, to_gemm, to_vector, to_store);
    done = done + 1;
    command = commands.read();
  }
  const ap_uint<32> left =
      end_unit(commands, places, from_gemm, from_gemm_places, from_vector, from_vector_places,
               from_store, from_store_places, to_gemm, to_gemm_places, to_vector, to_vector_places,
               to_store, to_store_places);
  *report = make_report(kMachineErrorNone, 0, done, left);
}

TSR_HLS_CLOSE
