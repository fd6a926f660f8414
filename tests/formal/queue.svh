// SPDX-License-Identifier: Apache-2.0
//
// The model of tsr_fifo that fifo.sv proves equal to it, with its beats in flops, the oldest first, for proofs of
// modules that contain queues.
module tsr_fifo #(
  parameter int Width = 32,
  parameter int Depth = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  localparam int Bits = $clog2(Depth) + 1;
  logic [Bits-1:0] count_q;
  logic [Width*Depth-1:0] beats_q;
  logic push, pop;
  assign ready_o = 32'(count_q) != Depth;
  assign valid_o = count_q != '0;
  assign data_o = beats_q[Width-1:0];
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + Bits'(push) - Bits'(pop);
  end
  `TSR_ASSERT(in_range, 32'(count_q) <= Depth)
  for (genvar i = 0; i < Depth; i++) begin : g_beat
    logic here;
    assign here = push && 32'(count_q) - 32'(pop) == i;
    always_ff @(posedge clk_i) begin
      if (here) beats_q[Width*i+:Width] <= data_i;
      else if (pop && i + 1 < Depth) beats_q[Width*i+:Width] <= beats_q[Width*((i+1)%Depth)+:Width];
    end
  end
endmodule
