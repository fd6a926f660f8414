// SPDX-License-Identifier: Apache-2.0
//
// The model of tsr_runs that runs.sv proves equal to it, for proofs of modules that contain a tsr_runs. It also proves
// that the words of its bursts add up to the words of the runs begun, less those still inside.
module tsr_runs #(
  parameter int BusBytes = 8,
  parameter int MaxBeats = 16,
  parameter int RunBits  = 32,
  parameter int SizeBits = 16,
  parameter int UserBits = 32
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [39:0]          addr_i,
  input  logic [RunBits-1:0]   run_last_i,
  input  logic                 row_run_i,
  input  logic                 plane_run_i,
  input  logic                 box_run_i,
  input  logic [SizeBits-1:0]  x_size_i,
  input  logic [SizeBits-1:0]  y_size_i,
  input  logic [SizeBits-1:0]  z_size_i,
  input  logic [23:0]          x_step_i,
  input  logic [31:0]          y_step_i,
  input  logic [31:0]          z_step_i,
  input  logic [UserBits-1:0]  user_i,
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [39:0]          addr_o,
  output logic [7:0]           len_o,
  output logic                 last_o,
  output logic [UserBits-1:0]  user_o
);
  localparam int BusShift = $clog2(BusBytes);
  localparam int BlockShift = $clog2(BusBytes * MaxBeats);
  localparam int WordBits = BlockShift - BusShift;
  logic valid;
`include "bursts.svh"
  assign valid = out_valid_q;
  assign ready_o = step && takes;
  assign valid_o = out_valid_q;
  assign addr_o = {out_word_q, {BusShift{1'b0}}};
  assign len_o = 8'(out_last_q - out_word_q);
  assign last_o = out_box_q;
  assign user_o = out_user_q;
  `TSR_REQUIRE_IF(not_empty, valid_i, x_size_i != 0 && y_size_i != 0 && z_size_i != 0)

  logic [40+RunBits+3+3*SizeBits+24+64+UserBits-1:0] given;
  assign given = {addr_i, run_last_i, row_run_i, plane_run_i, box_run_i, x_size_i, y_size_i, z_size_i, x_step_i, y_step_i, z_step_i,
                  user_i};
  // Words, modulo 4 Ki, at three places: of runs begun, of bursts cut from them, of bursts put out.
  function automatic [11:0] words(input [39:BusShift] from, input [39:BusShift] to);
    words = to[BusShift+11:BusShift] - from[BusShift+11:BusShift] + 12'd1;
  endfunction
  logic [39:0] first_end, next_end;
  assign first_end = addr_i + 40'(run_last_i);
  assign next_end = next_run + 40'(run_last_q);
  logic [11:0] begun_q, cut_q, put_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {begun_q, cut_q, put_q} <= '0;
    else begin
      if (step && takes && valid_i) begun_q <= begun_q + words(addr_i[39:BusShift], first_end[39:BusShift]);
      if (step && !takes && run_ends) begun_q <= begun_q + words(next_run[39:BusShift], next_end[39:BusShift]);
      if (step && full_q) cut_q <= cut_q + words(word_q, last_word);
      if (valid_o && ready_i) put_q <= put_q + 12'(len_o) + 12'd1;
    end
  end
  `TSR_ASSERT(all_cut, begun_q == cut_q + (full_q ? words(word_q, run_end[39:BusShift]) : 12'd0))
  `TSR_ASSERT(all_put, cut_q == put_q + (out_valid_q ? words(out_word_q, out_last_q) : 12'd0))
  // Invariants for the induction.
  `TSR_ASSERT_IF(forward, full_q && run_ends, word_q <= run_end[39:BusShift])
  `TSR_ASSERT_IF(in_a_block, out_valid_q, out_word_q <= out_last_q && out_word_q[39:BlockShift] == out_last_q[39:BlockShift])
endmodule
