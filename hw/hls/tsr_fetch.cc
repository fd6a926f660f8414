// SPDX-License-Identifier: Apache-2.0
//
// fetch: reads the instruction stream, checks the opcode, the stray bits and the tokens of each
// instruction, and puts it in the queue of its unit.
#include "tsr_memory.h"
#include "tsr_tokens.h"

TSR_HLS_OPEN

struct routed {
  unsigned error;
  unsigned unit;
  unsigned pop, push;
  bool queued;  // it goes to a unit: all but FINISH of profile tessera
  bool finish;
};

static routed route(const insn_word& insn) {
  routed r;
  r.error = kMachineErrorNone;
  r.finish = insn_opcode(insn) == kOpFinish;
  r.queued = !r.finish;
  r.unit = insn_unit(insn);
  r.pop = insn_pop(insn);
  r.push = insn_push(insn);
  if (!insn_known(insn)) {
    r.error = kMachineErrorIllegalOpcode;
  } else if (!insn_named(insn)) {
    r.error = kMachineErrorIllegalField;
  } else {
    // FINISH has no tokens, and a unit has no tokens to or from itself.
    const unsigned forbidden = r.finish ? 15u : 1u << r.unit;
    if (((r.pop | r.push) & forbidden) != 0) r.error = kMachineErrorIllegalField;
  }
  return r;
}

// COMPUTE is the GEMM unit. Flags are relative to LOAD < COMPUTE < STORE.
static routed route_vta(const insn_word& insn) {
  routed r;
  const unsigned opcode = vta_insn_opcode(insn);
  const unsigned memory = vta_load_memory_type(insn);
  const bool loads = opcode == kVtaOpLoad && (memory == kMemoryInp || memory == kMemoryWgt);
  const bool stores = opcode == kVtaOpStore;
  const bool pop_prev = vta_insn_pop_prev(insn) != 0, pop_next = vta_insn_pop_next(insn) != 0;
  const bool push_prev = vta_insn_push_prev(insn) != 0, push_next = vta_insn_push_next(insn) != 0;
  const int prev = stores ? kUnitGemm : kUnitLoad;
  const int next = loads ? kUnitGemm : kUnitStore;
  r.error = kMachineErrorNone;
  r.finish = opcode == kVtaOpFinish;
  r.queued = true;
  r.unit = loads ? kUnitLoad : stores ? kUnitStore : kUnitGemm;
  r.pop = (pop_prev ? 1u << prev : 0u) | (pop_next ? 1u << next : 0u);
  r.push = (push_prev ? 1u << prev : 0u) | (push_next ? 1u << next : 0u);
  if (opcode > kVtaOpAlu) {
    r.error = kMachineErrorIllegalOpcode;
  } else if ((loads && (pop_prev || push_prev)) || (stores && (pop_next || push_next))) {
    r.error = kMachineErrorIllegalField;
  }
  return r;
}

void tsr_hls_fetch(const bus_word* gmem, ap_uint<64> insn_addr, ap_uint<32> insn_count,
                   ap_uint<1> vta, tsr_commands& to_load, tsr_marks& to_load_places,
                   tsr_commands& to_gemm, tsr_marks& to_gemm_places, tsr_commands& to_vector,
                   tsr_marks& to_vector_places, tsr_commands& to_store, tsr_marks& to_store_places,
                   tsr_report* report) {
#pragma HLS INTERFACE m_axi port = gmem offset = slave bundle = fetch max_read_burst_length = 16
#pragma HLS INTERFACE s_axilite port = gmem bundle = control
#pragma HLS INTERFACE s_axilite port = insn_addr bundle = control
#pragma HLS INTERFACE s_axilite port = insn_count bundle = control
#pragma HLS INTERFACE s_axilite port = vta bundle = control
#pragma HLS INTERFACE s_axilite port = report bundle = control
#pragma HLS INTERFACE s_axilite port = return bundle = control
#pragma HLS INTERFACE axis port = to_load
#pragma HLS INTERFACE axis port = to_load_places
#pragma HLS INTERFACE axis port = to_gemm
#pragma HLS INTERFACE axis port = to_gemm_places
#pragma HLS INTERFACE axis port = to_vector
#pragma HLS INTERFACE axis port = to_vector_places
#pragma HLS INTERFACE axis port = to_store
#pragma HLS INTERFACE axis port = to_store_places
  const bool is_vta = vta != 0;
  const int insn_bytes = is_vta ? kVtaInsnBytes : kInsnBytes;
  const byte_address last = insn_addr + (byte_address)insn_count * insn_bytes - 1;
  place_count load_free = queue_places(is_vta), gemm_free = queue_places(is_vta);
  place_count vector_free = queue_places(is_vta), store_free = queue_places(is_vta);
  read_line line;
#pragma HLS ARRAY_PARTITION variable = line.bytes complete
  line.valid = false;
  bool finished = false;
  ap_uint<32> number = 0;
stream:
  while (!finished) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1000
    if (number == insn_count) {
      *report = make_report(kMachineErrorNoFinish, number - 1, number, 0);
      return;
    }
    uint8_t bytes[kInsnBytes];
#pragma HLS ARRAY_PARTITION variable = bytes complete
    read_bytes(gmem, insn_addr + (byte_address)number * insn_bytes, last, insn_bytes, &line, bytes);
    tsr_command command;
    for (int b = 0; b < kInsnBytes; ++b) {
#pragma HLS UNROLL
      command.insn.range(8 * b + 7, 8 * b) = b < insn_bytes ? bytes[b] : 0;
    }
    const routed r = is_vta ? route_vta(command.insn) : route(command.insn);
    if (r.error != kMachineErrorNone) {
      *report = make_report(r.error, number, number, 0);
      return;
    }
    command.number = number;
    command.pop = r.pop;
    command.push = r.push;
    command.end = 0;
    if (r.queued) {
      switch (r.unit) {
        case kUnitLoad:
          take_place(&load_free, to_load_places);
          to_load.write(command);
          break;
        case kUnitGemm:
          take_place(&gemm_free, to_gemm_places);
          to_gemm.write(command);
          break;
        case kUnitVector:
          take_place(&vector_free, to_vector_places);
          to_vector.write(command);
          break;
        default:
          take_place(&store_free, to_store_places);
          to_store.write(command);
          break;
      }
    }
    finished = r.finish;
    number = number + 1;
  }
  // The first end goes behind the last instruction of each queue, which keeps a place for it; the
  // second follows when all units are done.
  tsr_command end;
  end.insn = insn_word(0);
  end.number = number;
  end.pop = 0;
  end.push = 0;
  end.end = 1;
  for (int times = 0; times < 2; ++times) {
    to_load.write(end);
    to_gemm.write(end);
    to_vector.write(end);
    to_store.write(end);
    if (times == 0) {
      drain(to_load_places);
      drain(to_gemm_places);
      drain(to_vector_places);
      drain(to_store_places);
    }
  }
  *report = make_report(kMachineErrorNone, 0, number, 0);
}

TSR_HLS_CLOSE
