// SPDX-License-Identifier: Apache-2.0
//
// tsr_runs: cuts a box of device memory into bursts. LOAD and STORE use it.
//
//   Input   a checked box (tsr_box): start, run length, loops over what is not contiguous
//   Output  bursts in the order z, y, x of their runs; the last one of a box is marked
//   Cost    1 burst a cycle, also from run to run and box to box; 1 cycle of latency
//
// Invariant: a burst stays inside an aligned block of MaxBeats bus words (which divides 4 KiB), and
// the bursts of a run touch every bus word of the run once.
`include "tsr_assert.svh"

module tsr_runs #(
  parameter int BusBytes  = 8,   // bytes of a bus word; a power of two
  parameter int MaxBeats  = 16,  // bus words in a burst; a power of two, MaxBeats * BusBytes <= 4096
  parameter int UserBits  = 32   // bits that travel along with the box
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // box, never empty
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [39:0]          addr_i,
  input  logic [31:0]          run_bytes_i,
  input  logic                 row_run_i,
  input  logic                 plane_run_i,
  input  logic                 box_run_i,
  input  logic [15:0]          x_size_i,
  input  logic [15:0]          y_size_i,
  input  logic [15:0]          z_size_i,
  input  logic [23:0]          x_step_i,
  input  logic [31:0]          y_step_i,
  input  logic [31:0]          z_step_i,
  input  logic [UserBits-1:0]  user_i,
  // burst
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [39:0]          addr_o,    // of a bus word
  output logic [7:0]           len_o,     // beats - 1
  output logic                 last_o,    // last burst of the box
  output logic [UserBits-1:0]  user_o
);
  localparam int BusShift = $clog2(BusBytes);
  localparam int Block = BusBytes * MaxBeats;
  localparam int BlockShift = $clog2(Block);

  // The run in work: next byte, bytes left. The box in work: starts of row and plane, runs left.
  logic full_q;
  logic [39:0] at_q, run_at_q, row_at_q, plane_at_q;
  logic [31:0] left_q, run_bytes_q;
  logic [15:0] x_left_q, y_left_q, z_left_q, x_runs_q, y_runs_q;
  logic [23:0] x_step_q;
  logic [31:0] y_step_q;
  logic [31:0] z_step_q;
  logic [UserBits-1:0] user_q;

  // The burst: to the end of the run or of the block.
  logic [BlockShift:0] room, take;
  logic run_ends;
  logic [BlockShift+1:0] span;
  assign room = (BlockShift + 1)'(Block) - (BlockShift + 1)'(at_q[BlockShift-1:0]);
  assign run_ends = left_q <= 32'(room);
  assign take = run_ends ? left_q[BlockShift:0] : room;
  assign span = (BlockShift + 2)'(take) + (BlockShift + 2)'(at_q[BusShift-1:0]) + (BlockShift + 2)'(BusBytes - 1);

  logic box_ends;
  assign box_ends = run_ends && x_left_q == '0 && y_left_q == '0 && z_left_q == '0;

  // Output register.
  logic out_go;
  assign out_go = ready_i | !valid_o;
  logic step;
  assign step = full_q & out_go;
  assign ready_o = !full_q | (step & box_ends);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      full_q <= (valid_i & ready_o) | (full_q & !(step & box_ends));
      if (out_go) valid_o <= full_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (out_go) begin
      addr_o <= {at_q[39:BusShift], {BusShift{1'b0}}};
      len_o <= 8'(span >> BusShift) - 8'd1;
      last_o <= box_ends;
      user_o <= user_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      at_q <= addr_i;
      run_at_q <= addr_i;
      row_at_q <= addr_i;
      plane_at_q <= addr_i;
      left_q <= run_bytes_i;
      run_bytes_q <= run_bytes_i;
      x_runs_q <= row_run_i ? '0 : x_size_i - 16'd1;
      y_runs_q <= plane_run_i ? '0 : y_size_i - 16'd1;
      x_left_q <= row_run_i ? '0 : x_size_i - 16'd1;
      y_left_q <= plane_run_i ? '0 : y_size_i - 16'd1;
      z_left_q <= box_run_i ? '0 : z_size_i - 16'd1;
      x_step_q <= x_step_i;
      y_step_q <= y_step_i;
      z_step_q <= z_step_i;
      user_q <= user_i;
    end else if (step) begin
      at_q <= {at_q[39:BlockShift] + (40 - BlockShift)'(1), {BlockShift{1'b0}}};
      left_q <= left_q - 32'(take);
      if (run_ends) begin
        left_q <= run_bytes_q;
        if (x_left_q != '0) begin
          x_left_q <= x_left_q - 16'd1;
          run_at_q <= run_at_q + 40'(x_step_q);
          at_q <= run_at_q + 40'(x_step_q);
        end else if (y_left_q != '0) begin
          x_left_q <= x_runs_q;
          y_left_q <= y_left_q - 16'd1;
          row_at_q <= row_at_q + 40'(y_step_q);
          run_at_q <= row_at_q + 40'(y_step_q);
          at_q <= row_at_q + 40'(y_step_q);
        end else begin
          x_left_q <= x_runs_q;
          y_left_q <= y_runs_q;
          z_left_q <= z_left_q - 16'd1;
          plane_at_q <= plane_at_q + 40'(z_step_q);
          row_at_q <= plane_at_q + 40'(z_step_q);
          run_at_q <= plane_at_q + 40'(z_step_q);
          at_q <= plane_at_q + 40'(z_step_q);
        end
      end
    end
  end

`ifndef SYNTHESIS
  initial if (Block > 4096) $fatal(1, "tsr_runs: a burst of %0d bytes crosses 4 KiB", Block);
`endif
  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {addr_i, run_bytes_i, x_size_i, y_size_i, z_size_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {addr_o, len_o, last_o})
  `TSR_ASSERT(burst_fits, valid_o |-> 32'(addr_o[11:0]) + (32'(len_o) + 1) * BusBytes <= 4096)
  `TSR_ASSERT(not_empty, valid_i |-> run_bytes_i != 0 && x_size_i != 0 && y_size_i != 0 && z_size_i != 0)
endmodule
