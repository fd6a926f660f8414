// SPDX-License-Identifier: Apache-2.0
//
// seen_gate: a tsr_gate for proofs, with its internal state as outputs. Assumed here: the instructions promised to the
// gate come later, in order; its unit takes a command at any time, and retires the commands that it owes at any time.
// Proven here, for each proof that contains one: the gate's counts match its contents.
//
// Models that hold beats in flops replace the queues; fifo.sv and deep_fifo.sv prove that the real queues behave so,
// the deep one with at most 3 cycles of delay.

// A queue that shows a beat at any time, at the latest after 3 cycles without one.
module tsr_deep_fifo #(
  parameter int Width = 32,
  parameter int Depth = 512
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  (* anyseq *) logic likes;
  localparam int Bits = $clog2(Depth) + 1;
  logic [1:0] hidden_q;
  logic [Bits-1:0] inside_q;
  logic shown_q, some, unused_ready;
  assign valid_o = shown_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {hidden_q, shown_q, inside_q} <= '0;
    else begin
      inside_q <= inside_q + Bits'(valid_i) - Bits'(ready_i && shown_q);
      // Shows one of the beats that are inside in this cycle and stay.
      shown_q <= (shown_q && !ready_i) || (some && inside_q > Bits'(shown_q && ready_i) && (likes || hidden_q == 2'd2));
      hidden_q <= (some && !shown_q && hidden_q != 2'd2) ? hidden_q + 2'd1 : 2'd0;
    end
  end
  tsr_fifo #(.Width(Width), .Depth(Depth)) u_beats (
    .clk_i, .rst_ni, .valid_i, .ready_o(unused_ready), .data_i, .valid_o(some), .ready_i(ready_i && shown_q), .data_o
  );
endmodule

module seen_gate #(
  parameter int QueueDepth = 2,
  parameter int VtaDepth   = 4,  // >= QueueDepth
  parameter int InFlight   = 2   // 2
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       vta_i,
  input  logic       serial_i,
  input  logic       give_i,
  output logic       room_o,
  input  logic       in_valid_i,
  input  logic       in_num_i,
  input  logic [3:0] in_pop_i,
  input  logic [3:0] in_push_i,
  input  logic       in_skip_i,
  input  logic       cmd_ready_i,
  input  logic       retire_valid_i,
  input  logic [3:0] some_i,
  output logic [3:0] pop_o,
  input  logic [3:0] full_i,
  input  logic       near_i,
  output logic [3:0] push_o,
  output logic       retired_o,
  output logic       idle_o,
  output logic       stuck_o,
  output logic [3:0] missing_o,
  output logic [3:0] stalled_o,
  input  logic [3:0] partners_i,     // the units with which its instructions exchange tokens
  // the gate's internal state
  output logic       issues_o,       // an instruction leaves the queue, its tokens popped
  output logic       takes_o,        // the instruction goes to the unit; a skipped one does not
  output logic       offered_o,      // a command waits for the unit
  output logic [2:0] promised_o,     // instructions promised and not here
  output logic [2:0] here_o,         // in the queue
  output logic [2:0] inside_o,       // promised or in the queue
  output logic [2:0] limit_o,        // the most that inside_o may be
  output logic [2:0] fly_o,          // issued and not retired
  output logic [2:0] owed_o,         // commands that the unit has and has not retired
  output logic [3:0] head_pop_o,     // pops of the first in the queue
  output logic [3:0] oldest_push_o,  // pushes of the oldest in flight
  output logic       oldest_skip_o
);
  localparam int Places = VtaDepth > QueueDepth ? VtaDepth : QueueDepth;
  localparam int QueueBits = $clog2(Places) + 1;
  logic cmd_valid, flying, wait_tokens, traced, taken;
  logic [0:0] cmd;
  logic [31:0] num, retired_num, where;
  logic [1:0] unit;
  logic [63:0] digest;
  tsr_gate #(.Width(1), .QueueDepth(QueueDepth), .VtaDepth(VtaDepth), .InFlight(InFlight)) dut (
    .clk_i, .rst_ni, .vta_i, .serial_i, .give_i, .room_o, .in_valid_i, .in_cmd_i(1'b0), .in_num_i({31'd0, in_num_i}),
    .in_pop_i, .in_push_i, .in_skip_i, .in_hush_i(1'b0), .in_unit_i(2'd0),
    .cmd_valid_o(cmd_valid), .cmd_ready_i, .cmd_o(cmd), .cmd_num_o(num), .cmd_unit_o(unit), .retire_valid_i, .retire_digest_i('0),
    .some_i, .pop_o, .full_i, .near_i, .push_o, .taken_o(taken),
    .retired_o, .traced_o(traced), .retired_num_o(retired_num), .retired_digest_o(digest),
    .idle_o, .stuck_o, .flying_o(flying), .token_wait_o(wait_tokens), .missing_o, .stalled_o, .num_o(where)
  );

  logic vta_q, serial_before_q;
  logic [2:0] promised_q, owed_q;
  assign takes_o = cmd_valid && cmd_ready_i;
  always_ff @(posedge clk_i) begin
    {vta_q, serial_before_q} <= {vta_i, serial_i};
    if (!rst_ni) {promised_q, owed_q} <= '0;
    else begin
      promised_q <= promised_q + 3'(give_i) - 3'(in_valid_i);
      owed_q <= owed_q + 3'(takes_o) - 3'(retire_valid_i);
    end
  end
  always_comb if (rst_ni) begin
    profile: assume (vta_i == vta_q && serial_i == serial_before_q);
    with_room: assume (!give_i || room_o);
    as_promised: assume (!in_valid_i || give_i || promised_q != '0);
    as_owed: assume (!retire_valid_i || owed_q != '0);
  end

  localparam int QueueWidth = 1 + 32 + 4 + 4 + 1 + 1 + 2, FlightWidth = 4 + 32 + 1 + 1;
  localparam int PopAt = 8, PushAt = 4;                // bits in a beat of the queue, for partner 0
  localparam int FlightPushAt = 34, FlightSkipAt = 1;  // bits in a beat in flight
  (* hierconn *) logic \dut.head_ready ;
  (* hierconn *) logic \dut.old_valid_q ;
  (* hierconn *) logic \dut.old_skip_q ;
  (* hierconn *) logic [3:0] \dut.old_push_q ;
  (* hierconn *) logic \dut.moved_q ;
  (* hierconn *) logic \dut.offered_q ;
  (* hierconn *) logic \dut.serial_q ;
  (* hierconn *) logic [QueueBits-1:0] \dut.u_queue.u_beats.count_q ;
  (* hierconn *) logic [Places*QueueWidth-1:0] \dut.u_queue.u_beats.beats_q ;
  (* hierconn *) logic \dut.u_queue.shown_q ;
  (* hierconn *) logic [1:0] \dut.u_queue.hidden_q ;
  (* hierconn *) logic [QueueBits-1:0] \dut.u_queue.inside_q ;
  (* hierconn *) logic [1:0] \dut.u_flight.count_q ;
  (* hierconn *) logic [2*FlightWidth-1:0] \dut.u_flight.beats_q ;
  (* hierconn *) logic [1:0] \dut.u_digests.count_q ;
  (* hierconn *) logic [QueueBits-1:0] \dut.u_inside.behind_q ;
  (* hierconn *) logic \dut.u_inside.up_q ;
  (* hierconn *) logic \dut.u_inside.down_q ;
  (* hierconn *) logic [1:0] \dut.u_flying.behind_q ;
  (* hierconn *) logic \dut.u_flying.up_q ;
  (* hierconn *) logic \dut.u_flying.down_q ;
  (* hierconn *) logic [1:0] \dut.u_done.behind_q ;
  (* hierconn *) logic \dut.u_done.up_q ;
  (* hierconn *) logic \dut.u_done.down_q ;
  logic serial, shown, moved, old_valid, old_skip, first_skip, both;
  logic [1:0] hidden, flight, digests;
  logic [2:0] in_model, inside_counted, flying_counted, rest, commands, done;
  logic [3:0] old_push;
  logic [Places*QueueWidth-1:0] beats;
  logic [2*FlightWidth-1:0] flights;
  assign beats = \dut.u_queue.u_beats.beats_q ;
  assign flights = \dut.u_flight.beats_q ;
  assign in_model = 3'(\dut.u_queue.inside_q );
  assign serial = \dut.serial_q ;
  assign shown = \dut.u_queue.shown_q ;
  assign hidden = \dut.u_queue.hidden_q ;
  assign flight = \dut.u_flight.count_q ;
  assign digests = \dut.u_digests.count_q ;
  assign moved = \dut.moved_q ;
  assign old_valid = \dut.old_valid_q ;
  assign old_skip = \dut.old_skip_q ;
  assign old_push = \dut.old_push_q ;
  assign inside_counted = 3'(\dut.u_inside.behind_q ) + 3'(\dut.u_inside.up_q ) - 3'(\dut.u_inside.down_q );
  assign flying_counted = 3'(\dut.u_flying.behind_q ) + 3'(\dut.u_flying.up_q ) - 3'(\dut.u_flying.down_q );
  assign done = 3'(\dut.u_done.behind_q ) + 3'(\dut.u_done.up_q ) - 3'(\dut.u_done.down_q );
  assign both = (\dut.u_inside.up_q  && \dut.u_inside.down_q ) || (\dut.u_flying.up_q  && \dut.u_flying.down_q ) ||
                (\dut.u_done.up_q  && \dut.u_done.down_q );
  assign issues_o = \dut.head_ready ;
  assign offered_o = \dut.offered_q ;
  assign promised_o = promised_q;
  assign owed_o = owed_q;
  assign here_o = 3'(\dut.u_queue.u_beats.count_q );
  assign inside_o = here_o + promised_q;
  assign limit_o = vta_i ? 3'(VtaDepth) : 3'(QueueDepth);
  assign rest = 3'(flight) - 3'(moved);
  assign fly_o = rest + 3'(old_valid);
  assign head_pop_o = beats[PopAt+:4];
  assign first_skip = flights[FlightSkipAt];
  assign oldest_push_o = old_valid ? old_push : flights[FlightPushAt+:4];
  assign oldest_skip_o = old_valid ? old_skip : first_skip;
  // Commands in flight, which the unit retires.
  logic first_counts, second_counts;
  assign first_counts = 3'(flight) > 3'(moved) && !(moved ? flights[FlightWidth+FlightSkipAt] : first_skip);
  assign second_counts = !moved && flight == 2'd2 && !flights[FlightWidth+FlightSkipAt];
  assign commands = 3'(old_valid && !old_skip) + 3'(first_counts) + 3'(second_counts);

  // Instructions have tokens with partners only.
  logic [Places-1:0] partners_in_queue;
  logic [1:0] partners_in_flight;
  for (genvar i = 0; i < Places; i++) begin : g_queued
    assign partners_in_queue[i] = 3'(i) >= here_o || ((beats[QueueWidth*i+PopAt+:4] | beats[QueueWidth*i+PushAt+:4]) & ~partners_i) == '0;
  end
  for (genvar i = 0; i < 2; i++) begin : g_flying
    assign partners_in_flight[i] = 2'(i) >= flight || (flights[FlightWidth*i+FlightPushAt+:4] & ~partners_i) == '0;
  end

  `TSR_ASSERT(up_or_down, !both)
  `TSR_ASSERT(count_inside, inside_o == inside_counted && inside_o <= limit_o && here_o <= inside_o && promised_q <= inside_o)
  `TSR_ASSERT(count_flying, fly_o == flying_counted && fly_o <= 3'(InFlight) && flight <= 2'(InFlight))
  `TSR_ASSERT(count_done, commands == owed_q + done && done <= commands && 3'(digests) == done)
  `TSR_ASSERT_IF(moved_is_old, moved, old_valid && flight != '0 && old_skip == first_skip)
  `TSR_ASSERT(partners, partners_in_queue == '1 && partners_in_flight == '1 && (!old_valid || (old_push & ~partners_i) == '0))
  `TSR_ASSERT_IF(shown_is_here, shown, here_o != '0)
  `TSR_ASSERT(hidden_little, hidden <= 2'd2)
  `TSR_ASSERT(models_agree, here_o == in_model)
  `TSR_ASSERT(serial_kept, serial == serial_before_q)
endmodule
