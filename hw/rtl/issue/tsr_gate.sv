// SPDX-License-Identifier: Apache-2.0
//
// tsr_gate: the gate of a unit: its instruction queue, the tokens that its instructions wait for, their
// retirement in order, the tokens that they push.
//
//   Input   instructions from dispatch; give_i promises each, when room_o is high, in its cycle or before
//   Output  commands to the unit; retirements from it
//   Output  pops and pushes of tokens, one bit a partner
//   Cost    3 cycles from dispatch to command; an instruction in 2 cycles
//
// Invariant: the gate issues an instruction when every token that it pops is there, and pops all in one
// step. At most InFlight instructions are issued and not retired, so the gate always takes a unit's
// retirement. An instruction retires after all before it, when there is room for every token it pushes.
// An instruction with skip set has no unit. At most QueueDepth instructions, in profile vta VtaDepth, are
// promised and not issued: exactly the limits of isa/config.h, also with instructions on the way. While
// near_i is high (an edge may fill up), one instruction is in flight at a time, so none overtakes one that
// stalls, as in isa/semantics.
`default_nettype none
`include "tsr_assert.svh"

module tsr_gate #(
  parameter int Width      = 256,  // bits of a command
  parameter int QueueDepth = 32,  // instructions; a power of two
  parameter int VtaDepth   = 32,  // the same in profile vta
  parameter int InFlight   = 16   // a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             vta_i,
  input  logic             serial_i,     // issue only when nothing is in flight
  // from dispatch
  input  logic             give_i,       // an instruction is promised
  output logic             room_o,       // one may be promised
  input  logic             in_valid_i,   // a promised one is here, and taken
  input  logic [Width-1:0] in_cmd_i,
  input  logic [31:0]      in_num_i,
  input  logic [3:0]       in_pop_i,
  input  logic [3:0]       in_push_i,
  input  logic             in_skip_i,
  input  logic             in_hush_i,    // retires without a record in the trace
  input  logic [1:0]       in_unit_i,    // unit that executes it
  // to the unit
  output logic             cmd_valid_o,
  input  logic             cmd_ready_i,
  output logic [Width-1:0] cmd_o,
  output logic [31:0]      cmd_num_o,
  output logic [1:0]       cmd_unit_o,
  input  logic             retire_valid_i,
  input  logic [63:0]      retire_digest_i,
  // tokens, by partner
  input  logic [3:0]       some_i,       // tokens from the partner
  output logic [3:0]       pop_o,
  input  logic [3:0]       full_i,       // the counter to the partner
  input  logic             near_i,       // a counter to some partner is less than InFlight from full
  output logic [3:0]       push_o,
  output logic             taken_o,      // instruction cmd_num_o leaves the queue, its tokens popped; not with hush
  // an instruction retires; its digest is 0 under SYNTHESIS
  output logic             retired_o,
  output logic             traced_o,     // and the trace reports it
  output logic [31:0]      retired_num_o,
  output logic [63:0]      retired_digest_o,
  // state
  output logic             idle_o,       // no instruction promised, in the queue or in flight
  output logic             stuck_o,      // idle, or waits for a token or for room to push one
  output logic             flying_o,     // an instruction is in flight; retired_num_o is the oldest
  output logic             token_wait_o,
  output logic [3:0]       missing_o,    // pops of the instruction in front that have no token
  output logic [3:0]       stalled_o,    // pushes of the oldest one in flight that have no room
  output logic [31:0]      num_o         // instruction it holds, or the last one
);
  localparam int Places = (VtaDepth > QueueDepth) ? VtaDepth : QueueDepth;
  localparam int QueueBits = $clog2(Places) + 1;
  localparam int FlightBits = $clog2(InFlight) + 1;

  logic head_valid, head_ready, head_skip, head_hush;
  logic [3:0] head_pop, head_push;

  // Instructions promised and not issued.
  logic [QueueBits-1:0] unused_inside;
  logic full, some;
  tsr_tally #(
    .Bits(QueueBits),
    .Limit(QueueDepth),
    .VtaLimit(VtaDepth)
  ) u_inside (
    .clk_i,
    .rst_ni,
    .vta_i,
    .up_i(give_i),
    .down_i(head_ready),
    .some_o(some),
    .full_o(full),
    .behind_o(unused_inside)
  );
  assign room_o = !full;

  // Queue.
  localparam int QueueWidth = Width + 32 + 4 + 4 + 1 + 1 + 2;
  logic [QueueWidth-1:0] in, head;
  assign in = {in_cmd_i, in_num_i, in_pop_i, in_push_i, in_skip_i, in_hush_i, in_unit_i};
  assign {cmd_o, cmd_num_o, head_pop, head_push, head_skip, head_hush, cmd_unit_o} = head;
  tsr_deep_fifo #(
    .Width(QueueWidth),
    .Depth(Places)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .valid_i(in_valid_i),
    .data_i(in),
    .valid_o(head_valid),
    .ready_i(head_ready),
    .data_o(head)
  );

  // Issue.
  logic may, flight_ready, flight_valid;
  logic serial_q;  // constant while instructions are inside; a copy on a short wire
  always_ff @(posedge clk_i) serial_q <= serial_i;
  logic offered_q;  // a command was offered and not taken: later pushes are of instructions in flight before it
  always_ff @(posedge clk_i) begin
    if (!rst_ni) offered_q <= 1'b0;
    else offered_q <= cmd_valid_o & !cmd_ready_i;
  end
  assign missing_o = head_valid ? head_pop & ~some_i : 4'd0;
  assign may = head_valid & (missing_o == '0) & flight_ready & !((serial_q | (near_i & !offered_q)) & flight_valid);
  assign cmd_valid_o = may & !head_skip;
  assign head_ready = may & (head_skip | cmd_ready_i);
  assign pop_o = head_ready ? head_pop : 4'd0;
  assign taken_o = head_ready & !head_hush;

  // In flight: the oldest is in flops, since its pushes decide whether it may retire. It leaves u_flight a cycle after
  // it came there, so one retires every second cycle.
  logic retires, unit_retires, rest_valid, unused_rest_ready, old_free, moves, moved_q, old_valid_q, old_skip_q, old_hush_q;
  logic [3:0] old_push_q;
  logic [31:0] old_num, old_num_q;
  localparam int OldWidth = 4 + 32 + 1 + 1;
  logic [3:0] rest_push;
  logic [31:0] rest_num;
  logic rest_skip, rest_hush;
  tsr_fifo #(
    .Width(OldWidth),
    .Depth(InFlight)
  ) u_flight (
    .clk_i,
    .rst_ni,
    .valid_i(head_ready),
    .ready_o(unused_rest_ready),
    .data_i({head_push, cmd_num_o, head_skip, head_hush}),
    .valid_o(rest_valid),
    .ready_i(moved_q),
    .data_o({rest_push, rest_num, rest_skip, rest_hush})
  );
  assign old_free = !old_valid_q | retires;
  assign moves = old_free & rest_valid & !moved_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {old_valid_q, moved_q} <= '0;
    end else begin
      moved_q <= moves;
      if (old_free) old_valid_q <= moves;
    end
    if (!rst_ni) old_num_q <= '0;
    else if (moved_q) old_num_q <= rest_num;  // a cycle late, since moves is
    if (old_free) {old_push_q, old_skip_q, old_hush_q} <= {rest_push, rest_skip, rest_hush};
  end
  logic flight_full;
  logic [FlightBits-1:0] flight_behind;
  tsr_tally #(
    .Bits(FlightBits),
    .Limit(InFlight)
  ) u_flying (
    .clk_i,
    .rst_ni,
    .vta_i(1'b0),
    .up_i(head_ready),
    .down_i(retires),
    .some_o(flight_valid),
    .full_o(flight_full),
    .behind_o(flight_behind)
  );
  assign flight_ready = !flight_full;

  // Retire. done: the unit has retired it, the gate has not.
  logic done, ready_to, unused_done_full;
  logic [FlightBits-1:0] unused_done;
  tsr_tally #(
    .Bits(FlightBits),
    .Limit(InFlight)
  ) u_done (
    .clk_i,
    .rst_ni,
    .vta_i(1'b0),
    .up_i(retire_valid_i),
    .down_i(unit_retires),
    .some_o(done),
    .full_o(unused_done_full),
    .behind_o(unused_done)
  );
  assign ready_to = old_valid_q & (old_skip_q | done);
  assign stalled_o = ready_to ? old_push_q & full_i : 4'd0;
  assign retires = ready_to & (stalled_o == '0);
  assign unit_retires = retires & !old_skip_q;
  assign push_o = retires ? old_push_q : 4'd0;
  assign retired_o = retires;
  assign traced_o = retires & !old_hush_q;
  assign old_num = moved_q ? rest_num : old_num_q;
  assign retired_num_o = old_num;

`ifdef SYNTHESIS
  assign retired_digest_o = '0;
  logic unused_digest;
  assign unused_digest = ^retire_digest_i;
`else
  logic [63:0] digest;
  logic unused_digest_ready, unused_digest_valid;
  tsr_fifo #(
    .Width(64),
    .Depth(InFlight)
  ) u_digests (
    .clk_i,
    .rst_ni,
    .valid_i(retire_valid_i),
    .ready_o(unused_digest_ready),
    .data_i(retire_digest_i),
    .valid_o(unused_digest_valid),
    .ready_i(unit_retires),
    .data_o(digest)
  );
  assign retired_digest_o = old_skip_q ? '0 : digest;
  logic unused_digest;
  assign unused_digest = ^{unused_digest_ready, unused_digest_valid};
`endif

  // State; with nothing in flight old_num_q is the number of the last instruction.
  assign num_o = (stalled_o == '0 && (missing_o != '0 || (!old_valid_q && head_valid))) ? cmd_num_o : old_num;
  assign idle_o = !some & !flight_valid;
  assign stuck_o = flight_valid ? stalled_o != '0 : (missing_o != '0) | !some;
  assign flying_o = flight_valid;
  assign token_wait_o = (missing_o != '0) | (stalled_o != '0);

  logic unused;
  assign unused = ^{unused_rest_ready, unused_done_full, unused_done, flight_behind};

  `TSR_ASSERT_IF(comes_when_there_is_room, give_i, !full)
  `TSR_ASSERT_IF(comes_after_its_promise, in_valid_i, give_i || some)
  `TSR_ASSERT_IF(stalls_alone, stalled_o != '0, flight_behind == FlightBits'(1))
  `TSR_ASSERT_STREAM(cmd, cmd_valid_o, cmd_ready_i, {cmd_o, cmd_num_o, cmd_unit_o})
  `TSR_ASSERT_IF(retires_what_was_issued, retire_valid_i, flight_valid)
endmodule
`default_nettype wire
