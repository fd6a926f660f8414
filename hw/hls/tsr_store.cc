// SPDX-License-Identifier: Apache-2.0
//
// STORE: OUT tiles to a box in device memory; in profile vta the low bytes of ACC.
#include "tsr_store_box.h"
#include "tsr_tokens.h"

TSR_HLS_OPEN

static unsigned run_store(bus_word* gmem, const tsr_memory_map* map, bool vta,
                          const insn_word& insn, const acc_tile* acc, const out_tile* out) {
  if (vta) {
    if (!vta_store_legal(insn)) return kMachineErrorIllegalField;
    return run_store_box(gmem, map, true, box_of_vta_store(insn), acc, out);
  }
  if (insn_opcode(insn) == kOpSync) return kMachineErrorNone;
  if (!store_legal(insn)) return kMachineErrorIllegalField;
  return run_store_box(gmem, map, false, box_of_store(insn), acc, out);
}

void tsr_hls_store(bus_word* gmem, const tsr_memory_map* map, ap_uint<1> vta,
                   tsr_commands& commands, tsr_marks& places, tsr_marks& from_load,
                   tsr_marks& from_load_places, tsr_marks& from_gemm, tsr_marks& from_gemm_places,
                   tsr_marks& from_vector, tsr_marks& from_vector_places, tsr_marks& to_load,
                   tsr_marks& to_load_places, tsr_marks& to_gemm, tsr_marks& to_gemm_places,
                   tsr_marks& to_vector, tsr_marks& to_vector_places, const acc_tile* acc,
                   const out_tile* out, tsr_report* report) {
#pragma HLS INTERFACE m_axi port = gmem offset = slave bundle = store max_write_burst_length = 16
#pragma HLS INTERFACE s_axilite port = gmem bundle = control
#pragma HLS INTERFACE s_axilite port = map bundle = control
#pragma HLS INTERFACE s_axilite port = vta bundle = control
#pragma HLS INTERFACE s_axilite port = report bundle = control
#pragma HLS INTERFACE s_axilite port = return bundle = control
#pragma HLS INTERFACE axis port = commands
#pragma HLS INTERFACE axis port = places
#pragma HLS INTERFACE axis port = from_load
#pragma HLS INTERFACE axis port = from_load_places
#pragma HLS INTERFACE axis port = from_gemm
#pragma HLS INTERFACE axis port = from_gemm_places
#pragma HLS INTERFACE axis port = from_vector
#pragma HLS INTERFACE axis port = from_vector_places
#pragma HLS INTERFACE axis port = to_load
#pragma HLS INTERFACE axis port = to_load_places
#pragma HLS INTERFACE axis port = to_gemm
#pragma HLS INTERFACE axis port = to_gemm_places
#pragma HLS INTERFACE axis port = to_vector
#pragma HLS INTERFACE axis port = to_vector_places
#pragma HLS INTERFACE ap_memory port = acc
#pragma HLS INTERFACE ap_memory port = out
#pragma HLS ARRAY_RESHAPE variable = acc complete dim = 2
#pragma HLS ARRAY_RESHAPE variable = out complete dim = 2
  const bool is_vta = vta != 0;
  place_count load_free = edge_places(is_vta), gemm_free = edge_places(is_vta);
  place_count vector_free = edge_places(is_vta);
  ap_uint<32> done = 0;
  tsr_command command = commands.read();
instructions:
  while (command.end == 0) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1000
    start_insn(command, kUnitLoad, kUnitGemm, kUnitVector, places, from_load, from_load_places,
               from_gemm, from_gemm_places, from_vector, from_vector_places);
    TSR_PROBE_START((uint32_t)command.number);
    const unsigned error = run_store(gmem, map, is_vta, command.insn, acc, out);
    if (error != kMachineErrorNone) {
      *report = make_report(error, command.number, done, 0);
      return;
    }
    reserve_tokens(command, kUnitLoad, kUnitGemm, kUnitVector, &load_free, &gemm_free, &vector_free,
                   to_load_places, to_gemm_places, to_vector_places);
    TSR_PROBE_RETIRE((uint32_t)command.number);
    retire_insn(command, kUnitLoad, kUnitGemm, kUnitVector, to_load, to_gemm, to_vector);
    done = done + 1;
    command = commands.read();
  }
  const ap_uint<32> left =
      end_unit(commands, places, from_load, from_load_places, from_gemm, from_gemm_places,
               from_vector, from_vector_places, to_load, to_load_places, to_gemm, to_gemm_places,
               to_vector, to_vector_places);
  *report = make_report(kMachineErrorNone, 0, done, left);
}

TSR_HLS_CLOSE
