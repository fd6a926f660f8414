// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_gate, which stands between a unit's queue and its tokens, with any partners, any unit that answers in the end,
// and any instructions: it takes what the queue's depth allows, no more and no less; it moves within 6 cycles unless its unit
// owes it something, or it says that it is stuck; and when it says so, the same unit of isa::Units (the rules that
// `tessera check` follows: one instruction at a time, in order) could not move either: it has nothing, or its head lacks a token,
// or its only instruction in flight is done and finds a counter full. No instruction is overtaken by one that stalls.
//
// What follows for the four gates: a program that isa::Units can follow to its end never stops the machine. Suppose that it
// stands, each gate stuck. Then each unit has done the beginning of what it does in the checker's run. Take the first thing in
// that run that the machine has not done, the start or the end of an instruction of some unit, or its entry into a queue. What
// that needs is given by others in steps before it, all done here too, and is taken away by nobody but that unit (a token by the
// one that pops, room in a counter or queue by the one that pushes), which has done neither more nor less. So it can be done
// here as well, and that gate would not be stuck. That step is an argument, not a machine's proof; dispatch, which only gives to
// queues with room and stops at FINISH, is in it as the one that enters instructions.
//
// The queues in the gate are models that hold beats in flops; fifo.sv and deep_fifo.sv prove that the real ones are such queues,
// the deep one late by 3 cycles at most. One partner has tokens for the gate and gets its; a second one would add nothing but
// a conjunction. Parameters: queue 2 (profile vta 4), 2 in flight, a counter of 5.
//
// sources: common/tsr_tally.sv issue/tsr_gate.sv
// depth: 10 8 26
// breaks: s/assign room_o = !full;/assign room_o = 1'b1;/
// breaks: s/(near_i & !offered_q)/1'b0/
// breaks: s/assign stuck_o = flight_valid ? stalled_o/assign stuck_o = done ? stalled_o/
// breaks: s/assign may = head_valid & (missing_o == '0) & flight_ready/assign may = head_valid \& flight_ready \& !flight_valid/
// breaks: s/assign moves = old_free & rest_valid & !moved_q/assign moves = old_free \& rest_valid \& !moved_q \& done/
`include "tsr_assert.svh"
`include "queue.svh"

// A queue that shows a beat when it likes, after 3 cycles without one at the latest.
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
      // Of those that are inside in this cycle and stay.
      shown_q <= (shown_q && !ready_i) || (some && inside_q > Bits'(shown_q && ready_i) && (likes || hidden_q == 2'd2));
      hidden_q <= (some && !shown_q && hidden_q != 2'd2) ? hidden_q + 2'd1 : 2'd0;
    end
  end
  tsr_fifo #(.Width(Width), .Depth(Depth)) u_beats (
    .clk_i, .rst_ni, .valid_i, .ready_o(unused_ready), .data_i, .valid_o(some), .ready_i(ready_i && shown_q), .data_o
  );
endmodule

module prove_gate #(
  parameter int QueueDepth = 2,
  parameter int VtaDepth   = 4,
  parameter int InFlight   = 2,
  parameter int TokenDepth = 5
) (
  input logic clk_i,
  input logic rst_ni,
  input logic vta_i,
  input logic serial_i,
  input logic give_i,
  input logic in_valid_i,
  input logic in_num_i,
  input logic in_pop_i,
  input logic in_push_i,
  input logic in_skip_i,
  input logic cmd_ready_i,
  input logic retire_valid_i,
  input logic some_i,        // a token from the partner
  input logic partner_pops_i // one that the gate gave
);
  logic room, cmd_valid, full, near_q, near, idle, stuck, flying, wait_tokens, retired, traced;
  logic [3:0] pop, push, missing, stalled;
  logic [0:0] cmd;
  logic [31:0] num, retired_num, where;
  logic [1:0] unit;
  logic [63:0] digest;
  tsr_gate #(.Width(1), .QueueDepth(QueueDepth), .VtaDepth(VtaDepth), .InFlight(InFlight)) dut (
    .clk_i, .rst_ni, .vta_i, .serial_i, .give_i, .room_o(room), .in_valid_i, .in_cmd_i(1'b0), .in_num_i({31'd0, in_num_i}),
    .in_pop_i({2'd0, in_pop_i, 1'b0}), .in_push_i({2'd0, in_push_i, 1'b0}), .in_skip_i, .in_hush_i(1'b0), .in_unit_i(2'd0),
    .cmd_valid_o(cmd_valid), .cmd_ready_i, .cmd_o(cmd), .cmd_num_o(num), .cmd_unit_o(unit), .retire_valid_i, .retire_digest_i('0),
    .some_i({2'd0, some_i, 1'b0}), .pop_o(pop), .full_i({2'd0, full, 1'b0}), .near_i(near_q), .push_o(push),
    .retired_o(retired), .traced_o(traced), .retired_num_o(retired_num), .retired_digest_o(digest),
    .idle_o(idle), .stuck_o(stuck), .flying_o(flying), .token_wait_o(wait_tokens), .missing_o(missing), .stalled_o(stalled),
    .num_o(where)
  );
  // The counter to the partner, and near as tsr_tokens says it.
  localparam int TokenBits = 3;
  localparam int Near = TokenDepth - InFlight - 2;
  logic given_some;
  logic [TokenBits-1:0] behind, tokens_q;
  tsr_tally #(.Bits(TokenBits), .Limit(TokenDepth)) u_given (
    .clk_i, .rst_ni, .vta_i(1'b0), .up_i(push[1]), .down_i(partner_pops_i), .some_o(given_some), .full_o(full), .behind_o(behind)
  );
  assign near = 32'(behind) >= Near;
  always_ff @(posedge clk_i) near_q <= near;

  initial assume (!rst_ni);
  // What surrounds the gate.
  logic vta_q, serial_q;
  logic [2:0] promised_q;  // and not here yet
  logic [2:0] owed_q;      // commands that the unit has and has not retired
  logic takes;
  assign takes = cmd_valid && cmd_ready_i;
  always_ff @(posedge clk_i) begin
    {vta_q, serial_q} <= {vta_i, serial_i};
    if (!rst_ni) {promised_q, owed_q, tokens_q} <= '0;
    else begin
      promised_q <= promised_q + 3'(give_i) - 3'(in_valid_i);
      owed_q <= owed_q + 3'(takes) - 3'(retire_valid_i);
      tokens_q <= tokens_q + TokenBits'(push[1]) - TokenBits'(partner_pops_i);
    end
  end
  always_comb if (rst_ni) begin
    profile: assume (vta_i == vta_q && serial_i == serial_q);
    with_room: assume (!give_i || room);
    as_promised: assume (!in_valid_i || give_i || promised_q != '0);
    as_owed: assume (!retire_valid_i || owed_q != '0);
    there_to_pop: assume (!partner_pops_i || tokens_q != '0);
  end
  (* hierconn *) logic \dut.head_ready ;
  logic some_q, issue;
  assign issue = takes || \dut.head_ready ;
  always_ff @(posedge clk_i) some_q <= rst_ni && some_i && !issue;
  always_comb if (rst_ni) stays_until_popped: assume (!some_q || some_i);

  // What the gate holds.
  localparam int QueueWidth = 1 + 32 + 4 + 4 + 1 + 1 + 2, FlightWidth = 4 + 32 + 1 + 1;
  localparam int PopAt = 9, PushAt = 5;        // of a beat of the queue, partner 1
  localparam int FlightPushAt = 35, FlightSkipAt = 1;       // of one in flight
  (* hierconn *) logic \dut.old_valid_q ;
  (* hierconn *) logic \dut.old_skip_q ;
  (* hierconn *) logic [3:0] \dut.old_push_q ;
  (* hierconn *) logic \dut.moved_q ;
  (* hierconn *) logic \dut.offered_q ;
  (* hierconn *) logic \dut.serial_q ;
  (* hierconn *) logic [2:0] \dut.u_queue.u_beats.count_q ;
  (* hierconn *) logic [4*QueueWidth-1:0] \dut.u_queue.u_beats.beats_q ;
  (* hierconn *) logic \dut.u_queue.shown_q ;
  (* hierconn *) logic [1:0] \dut.u_queue.hidden_q ;
  (* hierconn *) logic [2:0] \dut.u_queue.inside_q ;
  (* hierconn *) logic [1:0] \dut.u_flight.count_q ;
  (* hierconn *) logic [2*FlightWidth-1:0] \dut.u_flight.beats_q ;
  (* hierconn *) logic [1:0] \dut.u_digests.count_q ;
  (* hierconn *) logic [2:0] \dut.u_inside.behind_q ;
  (* hierconn *) logic \dut.u_inside.up_q ;
  (* hierconn *) logic \dut.u_inside.down_q ;
  (* hierconn *) logic [1:0] \dut.u_flying.behind_q ;
  (* hierconn *) logic \dut.u_flying.up_q ;
  (* hierconn *) logic \dut.u_flying.down_q ;
  (* hierconn *) logic [1:0] \dut.u_done.behind_q ;
  (* hierconn *) logic \dut.u_done.up_q ;
  (* hierconn *) logic \dut.u_done.down_q ;
  (* hierconn *) logic \u_given.up_q ;
  (* hierconn *) logic \u_given.down_q ;
  logic offered, serial, shown;
  logic [2:0] in_model;
  assign in_model = \dut.u_queue.inside_q ;
  logic [1:0] hidden, flight, digests;
  logic [2:0] inside_counted, flying_counted;
  logic [TokenBits-1:0] tokens_counted;
  logic both;
  assign offered = \dut.offered_q ;
  assign serial = \dut.serial_q ;
  assign shown = \dut.u_queue.shown_q ;
  assign hidden = \dut.u_queue.hidden_q ;
  assign flight = \dut.u_flight.count_q ;
  assign digests = \dut.u_digests.count_q ;
  assign inside_counted = \dut.u_inside.behind_q  + 3'(\dut.u_inside.up_q ) - 3'(\dut.u_inside.down_q );
  assign flying_counted = 3'(\dut.u_flying.behind_q ) + 3'(\dut.u_flying.up_q ) - 3'(\dut.u_flying.down_q );
  assign tokens_counted = behind + TokenBits'(\u_given.up_q ) - TokenBits'(\u_given.down_q );
  assign both = (\dut.u_inside.up_q  && \dut.u_inside.down_q ) || (\dut.u_flying.up_q  && \dut.u_flying.down_q ) ||
                (\dut.u_done.up_q  && \dut.u_done.down_q ) || (\u_given.up_q  && \u_given.down_q );
  logic [2:0] here, inside, limit, rest, fly, commands, done;
  logic first_skip, head_pop, head_missing, oldest_push, oldest_skip, moved, old_valid, old_skip;
  assign moved = \dut.moved_q ;
  assign old_valid = \dut.old_valid_q ;
  assign old_skip = \dut.old_skip_q ;
  assign here = \dut.u_queue.u_beats.count_q ;
  assign inside = here + promised_q;
  assign limit = vta_i ? 3'(VtaDepth) : 3'(QueueDepth);
  assign rest = 3'(\dut.u_flight.count_q ) - 3'(moved);
  assign fly = rest + 3'(old_valid);
  assign head_pop = \dut.u_queue.u_beats.beats_q [PopAt];
  assign head_missing = head_pop && !some_i;
  assign first_skip = \dut.u_flight.beats_q [FlightSkipAt];
  assign oldest_push = old_valid ? \dut.old_push_q [1] : \dut.u_flight.beats_q [FlightPushAt];
  assign oldest_skip = old_valid ? old_skip : \dut.u_flight.beats_q [FlightSkipAt];
  // In flight, with a unit that retires them.
  logic first_counts, second_counts;
  assign first_counts = 3'(\dut.u_flight.count_q ) > 3'(moved) && !(moved ? \dut.u_flight.beats_q [FlightWidth+FlightSkipAt]
                                                                        : \dut.u_flight.beats_q [FlightSkipAt]);
  assign second_counts = !moved && (\dut.u_flight.count_q ) == 2'd2 && !\dut.u_flight.beats_q [FlightWidth+FlightSkipAt];
  assign commands = 3'(old_valid && !old_skip) + 3'(first_counts) + 3'(second_counts);
  assign done = 3'(\dut.u_done.behind_q ) + 3'(\dut.u_done.up_q ) - 3'(\dut.u_done.down_q );

  // Only the one partner is named.
  logic [3:0] one_in_queue;
  logic [1:0] one_in_flight;
  for (genvar i = 0; i < 4; i++) begin : g_queued
    assign one_in_queue[i] = 3'(i) >= here || (\dut.u_queue.u_beats.beats_q [QueueWidth*i+PopAt-1+:4] & 4'b1101) == '0 &&
                             (\dut.u_queue.u_beats.beats_q [QueueWidth*i+PushAt-1+:4] & 4'b1101) == '0;
  end
  for (genvar i = 0; i < 2; i++) begin : g_flying
    assign one_in_flight[i] = 2'(i) >= flight || (\dut.u_flight.beats_q [FlightWidth*i+FlightPushAt-1+:4] & 4'b1101) == '0;
  end
  logic [3:0] old_push;
  assign old_push = \dut.old_push_q ;

  // ---- The claims.
  `TSR_ASSERT(room_exact, room == (inside < limit))
  `TSR_ASSERT_IF(stuck_is_stuck, stuck, (inside == '0 && fly == '0) || (fly == '0 && here != '0 && head_missing) ||
                 (fly == 3'd1 && (oldest_skip || owed_q == '0) && oldest_push && full))
  `TSR_ASSERT_IF(idle_is_idle, idle, inside == '0 && fly == '0)
  `TSR_ASSERT_IF(pops_what_is_there, pop[1], some_i)
  `TSR_ASSERT_IF(pushes_with_room, push[1], !full)
  // Cycles in which nothing happens though nothing is owed; tokens that come are something that happens.
  logic [2:0] quiet_q;
  logic quiet, some_before_q, full_before_q;
  assign quiet = promised_q == '0 && owed_q == '0 && cmd_ready_i && !give_i && !retire_valid_i && !issue && !retired &&
                 some_i == some_before_q && full == full_before_q && !stuck;
  always_ff @(posedge clk_i) begin
    {some_before_q, full_before_q} <= {some_i, full};
    quiet_q <= (rst_ni && quiet) ? quiet_q + 3'd1 : 3'd0;
  end
  `TSR_ASSERT_IF(moves_soon, quiet, quiet_q < 3'd6)

  // ---- What makes it inductive.
  `TSR_ASSERT(up_or_down, !both)
  `TSR_ASSERT(count_inside, inside == inside_counted && inside <= limit && here <= inside && promised_q <= inside)
  `TSR_ASSERT(count_flying, fly == flying_counted && fly <= 3'(InFlight) && flight <= 2'(InFlight))
  `TSR_ASSERT(count_done, commands == owed_q + done && done <= commands && 3'(digests) == done)
  `TSR_ASSERT(count_tokens, tokens_q == tokens_counted && tokens_q <= 3'(TokenDepth))
  `TSR_ASSERT_IF(moved_is_old, moved, old_valid && flight != '0 && old_skip == first_skip)
  `TSR_ASSERT(one_partner, one_in_queue == '1 && one_in_flight == '1 && (!old_valid || (old_push & 4'b1101) == '0))
  `TSR_ASSERT_IF(shown_is_here, shown, here != '0)
  `TSR_ASSERT(hidden_little, hidden <= 2'd2)
  `TSR_ASSERT(models_agree, here == in_model)
  `TSR_ASSERT(serial_kept, serial == serial_q)
  `TSR_ASSERT_IF(none_behind_a_full_one, fly > 3'd1, 4'(tokens_q) + 4'(fly) <= 4'(TokenDepth))
  `TSR_ASSERT_IF(nor_one_offered, offered && fly != '0, 4'(tokens_q) + 4'(fly) < 4'(TokenDepth))

  `TSR_COVER(stalls, stalled != '0)
  `TSR_COVER(lacks_a_token, stuck && missing != '0)
  `TSR_COVER(two_in_flight, fly == 3'd2 && inside == limit)
  `TSR_COVER(full_of_vta, vta_i && !room)
endmodule
