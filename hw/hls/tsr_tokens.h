// SPDX-License-Identifier: Apache-2.0
//
// Tokens and places over blocking streams. A token queue has as many places as an edge holds in the
// profile of the run, and one for the mark at the end. The pusher counts the free places; the
// popper gives a place back when its instruction starts. So a full edge stalls its pusher exactly
// as the machine's counters do, whatever the FIFO's own depth, and no top asks a stream whether it
// is empty. Command queues count their places in the same way. Used by the five tops.
#ifndef TSR_TOKENS_H_
#define TSR_TOKENS_H_

#include "tsr_hls.h"

TSR_HLS_OPEN

typedef ap_uint<16> place_count;

inline place_count edge_places(bool vta) { return vta ? kVtaTokenDepth : kTokenDepth; }
inline place_count queue_places(bool vta) { return vta ? kVtaQueueDepth : kQueueDepth; }

// Waits for a free place and takes it.
inline void take_place(place_count* free, tsr_marks& places) {
  if (*free == 0) {
    places.read();
  } else {
    *free = *free - 1;
  }
}

// At the end of a run: reads up to the mark behind the last element and counts the elements.
inline ap_uint<32> drain(tsr_marks& marks) {
  ap_uint<32> count = 0;
  bool more = true;
  while (more) {
#pragma HLS PIPELINE II = 1
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    more = marks.read() != 0;
    if (more) count = count + 1;
  }
  return count;
}

// Starts an instruction: takes a token from each unit of its mask, then frees their places and the
// instruction's own place in the command queue. a, b, c: the other units, in order of enum Unit.
inline void start_insn(const tsr_command& command, int a, int b, int c, tsr_marks& places,
                       tsr_marks& from_a, tsr_marks& from_a_places, tsr_marks& from_b,
                       tsr_marks& from_b_places, tsr_marks& from_c, tsr_marks& from_c_places) {
  const unsigned pop = command.pop;
  const bool pop_a = (pop >> a & 1) != 0, pop_b = (pop >> b & 1) != 0, pop_c = (pop >> c & 1) != 0;
  if (pop_a) from_a.read();
  if (pop_b) from_b.read();
  if (pop_c) from_c.read();
  if (pop_a) from_a_places.write(1);
  if (pop_b) from_b_places.write(1);
  if (pop_c) from_c_places.write(1);
  places.write(1);
}

// Called when an instruction's effects are visible: waits for a place for each of its tokens.
// |retire_insn| pushes them.
inline void reserve_tokens(const tsr_command& command, int a, int b, int c, place_count* free_a,
                           place_count* free_b, place_count* free_c, tsr_marks& to_a_places,
                           tsr_marks& to_b_places, tsr_marks& to_c_places) {
  const unsigned push = command.push;
  if ((push >> a & 1) != 0) take_place(free_a, to_a_places);
  if ((push >> b & 1) != 0) take_place(free_b, to_b_places);
  if ((push >> c & 1) != 0) take_place(free_c, to_c_places);
}
inline void retire_insn(const tsr_command& command, int a, int b, int c, tsr_marks& to_a,
                        tsr_marks& to_b, tsr_marks& to_c) {
  const unsigned push = command.push;
  if ((push >> a & 1) != 0) to_a.write(1);
  if ((push >> b & 1) != 0) to_b.write(1);
  if ((push >> c & 1) != 0) to_c.write(1);
}

// Ends a run in a unit, behind its last instruction. The unit tells fetch and waits until all units
// have: before that, a mark could be taken for a token. Then it sends marks to the other units,
// counts the tokens that no instruction took, and leaves all queues empty.
inline ap_uint<32> end_unit(tsr_commands& commands, tsr_marks& places, tsr_marks& from_a,
                            tsr_marks& from_a_places, tsr_marks& from_b, tsr_marks& from_b_places,
                            tsr_marks& from_c, tsr_marks& from_c_places, tsr_marks& to_a,
                            tsr_marks& to_a_places, tsr_marks& to_b, tsr_marks& to_b_places,
                            tsr_marks& to_c, tsr_marks& to_c_places) {
  places.write(0);
  commands.read();
  to_a.write(0);
  to_b.write(0);
  to_c.write(0);
  ap_uint<32> left = drain(from_a);
  left = left + drain(from_b);
  left = left + drain(from_c);
  from_a_places.write(0);
  from_b_places.write(0);
  from_c_places.write(0);
  drain(to_a_places);
  drain(to_b_places);
  drain(to_c_places);
  return left;
}

inline tsr_report make_report(unsigned error, ap_uint<32> number, ap_uint<32> count,
                              ap_uint<32> left) {
  tsr_report report;
  report.error = error;
  report.number = number;
  report.count = count;
  report.left = left;
  return report;
}

TSR_HLS_CLOSE

#endif  // TSR_TOKENS_H_
