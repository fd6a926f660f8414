// SPDX-License-Identifier: Apache-2.0
//
// VECTOR: requantise, residual add and ALU over ACC, OUT and INP tiles. Profile vta gives it
// nothing to do.
#include "tsr_tokens.h"
#include "tsr_vector_steps.h"

TSR_HLS_OPEN

static unsigned run_insn(const insn_word& insn, const vector_ports& at) {
#pragma HLS INLINE
  switch ((unsigned)insn_opcode(insn)) {
    case kOpRequant:
      if (!requant_legal(insn)) return kMachineErrorIllegalField;
      return run_requant(insn, at);
    case kOpAdd:
      if (!add_legal(insn)) return kMachineErrorIllegalField;
      return run_add(insn, at);
    case kOpAlu:
      if (!alu_legal(insn)) return kMachineErrorIllegalField;
      return run_alu(insn, at);
    default:  // SYNC
      return kMachineErrorNone;
  }
}

void tsr_hls_vector(ap_uint<1> vta, tsr_commands& commands, tsr_marks& places, tsr_marks& from_load,
                    tsr_marks& from_load_places, tsr_marks& from_gemm, tsr_marks& from_gemm_places,
                    tsr_marks& from_store, tsr_marks& from_store_places, tsr_marks& to_load,
                    tsr_marks& to_load_places, tsr_marks& to_gemm, tsr_marks& to_gemm_places,
                    tsr_marks& to_store, tsr_marks& to_store_places, inp_tile* inp, acc_tile* acc,
                    out_tile* out, const prm_bias* bias, const prm_multiplier* multiplier,
                    const prm_shift* shift, const tab_tile* tab, tsr_report* report) {
#pragma HLS INTERFACE s_axilite port = vta bundle = control
#pragma HLS INTERFACE s_axilite port = report bundle = control
#pragma HLS INTERFACE s_axilite port = return bundle = control
#pragma HLS INTERFACE axis port = commands
#pragma HLS INTERFACE axis port = places
#pragma HLS INTERFACE axis port = from_load
#pragma HLS INTERFACE axis port = from_load_places
#pragma HLS INTERFACE axis port = from_gemm
#pragma HLS INTERFACE axis port = from_gemm_places
#pragma HLS INTERFACE axis port = from_store
#pragma HLS INTERFACE axis port = from_store_places
#pragma HLS INTERFACE axis port = to_load
#pragma HLS INTERFACE axis port = to_load_places
#pragma HLS INTERFACE axis port = to_gemm
#pragma HLS INTERFACE axis port = to_gemm_places
#pragma HLS INTERFACE axis port = to_store
#pragma HLS INTERFACE axis port = to_store_places
#pragma HLS INTERFACE ap_memory port = inp
#pragma HLS INTERFACE ap_memory port = acc
#pragma HLS INTERFACE ap_memory port = out
#pragma HLS INTERFACE ap_memory port = bias
#pragma HLS INTERFACE ap_memory port = multiplier
#pragma HLS INTERFACE ap_memory port = shift
#pragma HLS INTERFACE ap_memory port = tab
#pragma HLS ARRAY_RESHAPE variable = inp complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = acc complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = out complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = bias complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = multiplier complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = shift complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = tab complete dim = 2
  vector_ports at;
  at.inp = inp;
  at.acc = acc;
  at.out = out;
  at.bias = bias;
  at.multiplier = multiplier;
  at.shift = shift;
  at.tab = tab;
  const bool is_vta = vta != 0;
  place_count load_free = edge_places(is_vta), gemm_free = edge_places(is_vta);
  place_count store_free = edge_places(is_vta);
  ap_uint<32> done = 0;
  tsr_command command = commands.read();
instructions:
  while (command.end == 0) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1000
    start_insn(command, kUnitLoad, kUnitGemm, kUnitStore, places, from_load, from_load_places,
               from_gemm, from_gemm_places, from_store, from_store_places);
    TSR_PROBE_START((uint32_t)command.number);
    const unsigned error = run_insn(command.insn, at);
    if (error != kMachineErrorNone) {
      *report = make_report(error, command.number, done, 0);
      return;
    }
    reserve_tokens(command, kUnitLoad, kUnitGemm, kUnitStore, &load_free, &gemm_free, &store_free,
                   to_load_places, to_gemm_places, to_store_places);
    TSR_PROBE_RETIRE((uint32_t)command.number);
    retire_insn(command, kUnitLoad, kUnitGemm, kUnitStore, to_load, to_gemm, to_store);
    done = done + 1;
    command = commands.read();
  }
  const ap_uint<32> left =
      end_unit(commands, places, from_load, from_load_places, from_gemm, from_gemm_places,
               from_store, from_store_places, to_load, to_load_places, to_gemm, to_gemm_places,
               to_store, to_store_places);
  *report = make_report(kMachineErrorNone, 0, done, left);
}

TSR_HLS_CLOSE
