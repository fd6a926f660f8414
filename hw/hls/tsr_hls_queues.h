// SPDX-License-Identifier: Apache-2.0
//
// The types that the tops of the HLS twin and the host exchange, the same in every configuration.
// Used by tsr_hls.h and by the code that runs the tops. C++14, synthesisable.
#ifndef TSR_HLS_QUEUES_H_
#define TSR_HLS_QUEUES_H_

#include <ap_int.h>
#include <hls_stream.h>

// One element of a command queue: an instruction that fetch has routed, or the end of the run.
struct tsr_command {
  ap_uint<256> insn;  // profile vta: the low 128 bits
  ap_uint<32> number;
  ap_uint<4> pop, push;  // masks over units, in both profiles
  ap_uint<1> end;        // 1: no instruction; the run is over
};

// One element of a token queue or of a queue of places: 1, or 0 behind the last one of a run.
typedef ap_uint<8> tsr_mark;

// How a top ended; all zero but |count| when all is well.
struct tsr_report {
  ap_uint<8> error;    // enum MachineError of isa/enums.def
  ap_uint<32> number;  // of the instruction with the error
  ap_uint<32> count;   // fetch: instructions routed, FINISH included; units: instructions done
  ap_uint<32> left;    // units: tokens received that no instruction took
};

// The memory map that a run gives its tops. A size of 0 in profile vta: no limit.
struct tsr_memory_map {
  ap_uint<64> bytes;  // of device memory
  ap_uint<64> segment_base[8];
  ap_uint<64> segment_size[8];
};

typedef hls::stream<tsr_command> tsr_commands;
typedef hls::stream<tsr_mark> tsr_marks;

#endif  // TSR_HLS_QUEUES_H_
