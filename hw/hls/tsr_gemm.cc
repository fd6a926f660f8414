// SPDX-License-Identifier: Apache-2.0
//
// GEMM: tile products and depthwise windows into ACC; in profile vta all that COMPUTE does, its
// loads of UOP and ACC included.
#include "tsr_box.h"
#include "tsr_gemm_steps.h"
#include "tsr_tokens.h"

TSR_HLS_OPEN

static unsigned run_compute(const bus_word* gmem, const tsr_memory_map* map, const insn_word& insn,
                            uop_word* uop, const wgt_tile* wgt, const inp_tile* inp,
                            acc_tile* acc) {
#pragma HLS INLINE
  switch ((unsigned)vta_insn_opcode(insn)) {
    case kVtaOpLoad: {
      if (!vta_load_legal(insn)) return kMachineErrorIllegalField;
      load_targets to;
      to.uop = uop;
      to.wgt = 0;
      to.inp = 0;
      to.acc = acc;
      to.out = 0;
      to.bias = 0;
      to.multiplier = 0;
      to.shift = 0;
      return run_box<false>(gmem, map, true, box_of_vta_load(insn), to);
    }
    case kVtaOpGemm:
      return run_gemm(loops_of_vta_gemm(insn), uop, wgt, inp, acc);
    case kVtaOpAlu:
      if (!vta_alu_legal(insn)) return kMachineErrorIllegalField;
      return run_vta_alu(insn, uop, acc);
    default:  // FINISH
      return kMachineErrorNone;
  }
}

static unsigned run_insn(const insn_word& insn, const uop_word* uop, const wgt_tile* wgt,
                         const inp_tile* inp, acc_tile* acc) {
#pragma HLS INLINE
  switch ((unsigned)insn_opcode(insn)) {
    case kOpGemm:
      return run_gemm(loops_of_gemm(insn), uop, wgt, inp, acc);
    case kOpDepthwise:
      if (!depthwise_legal(insn)) return kMachineErrorIllegalField;
      return run_depthwise(insn, wgt, inp, acc);
    default:  // SYNC
      return kMachineErrorNone;
  }
}

void tsr_hls_gemm(const bus_word* gmem, const tsr_memory_map* map, ap_uint<1> vta,
                  tsr_commands& commands, tsr_marks& places, tsr_marks& from_load,
                  tsr_marks& from_load_places, tsr_marks& from_vector,
                  tsr_marks& from_vector_places, tsr_marks& from_store,
                  tsr_marks& from_store_places, tsr_marks& to_load, tsr_marks& to_load_places,
                  tsr_marks& to_vector, tsr_marks& to_vector_places, tsr_marks& to_store,
                  tsr_marks& to_store_places, uop_word* uop, const wgt_tile* wgt,
                  const inp_tile* inp, acc_tile* acc, tsr_report* report) {
#pragma HLS INTERFACE m_axi port = gmem offset = slave bundle = gemm max_read_burst_length = 16
#pragma HLS INTERFACE s_axilite port = gmem bundle = control
#pragma HLS INTERFACE s_axilite port = map bundle = control
#pragma HLS INTERFACE s_axilite port = vta bundle = control
#pragma HLS INTERFACE s_axilite port = report bundle = control
#pragma HLS INTERFACE s_axilite port = return bundle = control
#pragma HLS INTERFACE axis port = commands
#pragma HLS INTERFACE axis port = places
#pragma HLS INTERFACE axis port = from_load
#pragma HLS INTERFACE axis port = from_load_places
#pragma HLS INTERFACE axis port = from_vector
#pragma HLS INTERFACE axis port = from_vector_places
#pragma HLS INTERFACE axis port = from_store
#pragma HLS INTERFACE axis port = from_store_places
#pragma HLS INTERFACE axis port = to_load
#pragma HLS INTERFACE axis port = to_load_places
#pragma HLS INTERFACE axis port = to_vector
#pragma HLS INTERFACE axis port = to_vector_places
#pragma HLS INTERFACE axis port = to_store
#pragma HLS INTERFACE axis port = to_store_places
#pragma HLS INTERFACE ap_memory port = uop
#pragma HLS INTERFACE ap_memory port = wgt
#pragma HLS INTERFACE ap_memory port = inp
#pragma HLS INTERFACE ap_memory port = acc
#pragma HLS ARRAY_RESHAPE variable = wgt complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = inp complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = acc complete dim = 2
  const bool is_vta = vta != 0;
  place_count load_free = edge_places(is_vta), vector_free = edge_places(is_vta);
  place_count store_free = edge_places(is_vta);
  ap_uint<32> done = 0;
  tsr_command command = commands.read();
instructions:
  while (command.end == 0) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1000
    start_insn(command, kUnitLoad, kUnitVector, kUnitStore, places, from_load, from_load_places,
               from_vector, from_vector_places, from_store, from_store_places);
    TSR_PROBE_START((uint32_t)command.number);
    const unsigned error = is_vta ? run_compute(gmem, map, command.insn, uop, wgt, inp, acc)
                                  : run_insn(command.insn, uop, wgt, inp, acc);
    if (error != kMachineErrorNone) {
      *report = make_report(error, command.number, done, 0);
      return;
    }
    reserve_tokens(command, kUnitLoad, kUnitVector, kUnitStore, &load_free, &vector_free,
                   &store_free, to_load_places, to_vector_places, to_store_places);
    TSR_PROBE_RETIRE((uint32_t)command.number);
    retire_insn(command, kUnitLoad, kUnitVector, kUnitStore, to_load, to_vector, to_store);
    done = done + 1;
    command = commands.read();
  }
  const ap_uint<32> left =
      end_unit(commands, places, from_load, from_load_places, from_vector, from_vector_places,
               from_store, from_store_places, to_load, to_load_places, to_vector, to_vector_places,
               to_store, to_store_places);
  *report = make_report(kMachineErrorNone, 0, done, left);
}

TSR_HLS_CLOSE
