// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_gate, which stands between a unit's queue and its tokens, with any partners, any unit that answers in
// the end, and any instructions. The gate takes as many instructions as the queue's depth allows; within 6 cycles it
// moves, unless its unit owes it an answer, or says that it is stuck. When it says so, the same unit of isa::Units (the
// rules of `tessera check`: one instruction at a time, in order) cannot move either: it has no instruction, or its head
// lacks a token, or its only instruction in flight is done and finds a counter full. No instruction is overtaken by one
// that stalls.
//
// net.sv proves what follows for the four gates: a program that isa::Units can follow to its end never stops the
// machine.
//
// gate.svh models what stands around the gate. One partner pushes tokens to the gate and pops the gate's; a second one
// would only add a conjunction. Parameters: queue 2 (profile vta 4), 2 in flight, a counter of 5.
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
`include "gate.svh"

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
  input logic partner_pops_i // the partner pops a token of the gate
);
  logic room, full, near_q, near, idle, stuck, retired, issues, takes, offered, oldest_skip;
  logic [3:0] pop, push, missing, stalled, head_pop, oldest_push;
  logic [2:0] promised, here, inside, limit, fly, owed;
  seen_gate #(.QueueDepth(QueueDepth), .VtaDepth(VtaDepth), .InFlight(InFlight)) u_seen (
    .clk_i, .rst_ni, .vta_i, .serial_i, .give_i, .room_o(room), .in_valid_i, .in_num_i,
    .in_pop_i({2'd0, in_pop_i, 1'b0}), .in_push_i({2'd0, in_push_i, 1'b0}), .in_skip_i, .cmd_ready_i, .retire_valid_i,
    .some_i({2'd0, some_i, 1'b0}), .pop_o(pop), .full_i({2'd0, full, 1'b0}), .near_i(near_q), .push_o(push), .retired_o(retired),
    .idle_o(idle), .stuck_o(stuck), .missing_o(missing), .stalled_o(stalled), .partners_i(4'b0010),
    .issues_o(issues), .takes_o(takes), .offered_o(offered), .promised_o(promised), .here_o(here), .inside_o(inside),
    .limit_o(limit), .fly_o(fly), .owed_o(owed), .head_pop_o(head_pop), .oldest_push_o(oldest_push), .oldest_skip_o(oldest_skip)
  );
  // The counter of tokens to the partner, and near as tsr_tokens computes it.
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
  always_ff @(posedge clk_i) begin
    if (!rst_ni) tokens_q <= '0;
    else tokens_q <= tokens_q + TokenBits'(push[1]) - TokenBits'(partner_pops_i);
  end
  always_comb if (rst_ni) there_to_pop: assume (!partner_pops_i || tokens_q != '0);
  logic some_q;
  always_ff @(posedge clk_i) some_q <= rst_ni && some_i && !issues;
  always_comb if (rst_ni) stays_until_popped: assume (!some_q || some_i);
  (* hierconn *) logic \u_given.up_q ;
  (* hierconn *) logic \u_given.down_q ;
  logic [TokenBits-1:0] tokens_counted;
  logic both;
  assign tokens_counted = behind + TokenBits'(\u_given.up_q ) - TokenBits'(\u_given.down_q );
  assign both = \u_given.up_q  && \u_given.down_q ;

  // ---- The claims.
  `TSR_ASSERT(room_exact, room == (inside < limit))
  `TSR_ASSERT_IF(stuck_is_stuck, stuck, (inside == '0 && fly == '0) || (fly == '0 && here != '0 && head_pop[1] && !some_i) ||
                 (fly == 3'd1 && (oldest_skip || owed == '0) && oldest_push[1] && full))
  `TSR_ASSERT_IF(idle_is_idle, idle, inside == '0 && fly == '0)
  `TSR_ASSERT_IF(pops_what_is_there, pop[1], some_i)
  `TSR_ASSERT_IF(pushes_with_room, push[1], !full)
  // Counts cycles without an event while the unit owes nothing; a change of the partner's tokens is an event.
  logic [2:0] quiet_q;
  logic quiet, some_before_q, full_before_q;
  assign quiet = promised == '0 && owed == '0 && cmd_ready_i && !give_i && !retire_valid_i && !issues && !retired &&
                 some_i == some_before_q && full == full_before_q && !stuck;
  always_ff @(posedge clk_i) begin
    {some_before_q, full_before_q} <= {some_i, full};
    quiet_q <= (rst_ni && quiet) ? quiet_q + 3'd1 : 3'd0;
  end
  `TSR_ASSERT_IF(moves_soon, quiet, quiet_q < 3'd6)

  // ---- Invariants for the induction.
  `TSR_ASSERT(up_or_down, !both)
  `TSR_ASSERT(count_tokens, tokens_q == tokens_counted && tokens_q <= 3'(TokenDepth))
  `TSR_ASSERT_IF(none_behind_a_full_one, fly > 3'd1, 4'(tokens_q) + 4'(fly) <= 4'(TokenDepth))
  `TSR_ASSERT_IF(nor_one_offered, offered && fly != '0, 4'(tokens_q) + 4'(fly) < 4'(TokenDepth))

  `TSR_COVER(stalls, stalled != '0)
  `TSR_COVER(lacks_a_token, stuck && missing != '0)
  `TSR_COVER(two_in_flight, fly == 3'd2 && inside == limit)
  `TSR_COVER(full_of_vta, vta_i && !room)
endmodule
