// SPDX-License-Identifier: Apache-2.0
//
// tsr_digest: what a write changes, as the number of sim/trace/digest.h. Simulation only.
//
//   Input   one write of up to Bytes bytes: byte address (multiple of 4), old and new bytes, enables
//   Output  delta_o, in the next cycle: its digest; 0 when there was no write or en_i was 0
//
// A unit adds up the deltas of the writes of one instruction; the sum is the instruction's digest.
module tsr_digest #(
  parameter int Bytes = 8,           // bytes a write can change; a multiple of 4
  parameter logic [7:0] Space = 8'd1 // 1 uop, 2 wgt, 3 inp, 4 acc, 5 out, 6 prm
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,
  input  logic               valid_i,
  input  logic [31:0]        addr_i,
  input  logic [Bytes-1:0]   be_i,
  input  logic [8*Bytes-1:0] old_i,
  input  logic [8*Bytes-1:0] new_i,
  output logic [63:0]        delta_o
);
`ifdef SYNTHESIS
  assign delta_o = '0;
  logic unused;
  assign unused = ^{clk_i, rst_ni, en_i, valid_i, addr_i, be_i, old_i, new_i};
`else
  logic [63:0] delta_q;
  assign delta_o = delta_q;

  function automatic [63:0] mix64(input [63:0] value);
    logic [63:0] x;
    x = value;
    x = (x ^ (x >> 30)) * 64'hbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 64'h94d049bb133111eb;
    mix64 = x ^ (x >> 31);
  endfunction

  function automatic [63:0] sum(input [31:0] addr, input [Bytes-1:0] be, input [8*Bytes-1:0] was,
                                input [8*Bytes-1:0] is);
    logic [63:0] total;
    logic [31:0] mask, was_word, is_word;
    total = '0;
    for (int w = 0; w < Bytes / 4; w++) begin
      mask = {{8{be[4*w+3]}}, {8{be[4*w+2]}}, {8{be[4*w+1]}}, {8{be[4*w]}}};
      was_word = was[32*w+:32] & mask;
      is_word = is[32*w+:32] & mask;
      if (was_word != is_word) begin
        total = total + (64'(is_word) - 64'(was_word)) * (mix64({Space, 24'd0, addr >> 2} + 64'(w)) | 64'd1);
      end
    end
    sum = total;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !en_i || !valid_i) delta_q <= '0;
    else delta_q <= sum(addr_i, be_i, old_i, new_i);
  end

  initial if (Bytes % 4 != 0) $fatal(1, "tsr_digest: Bytes is %0d, must be a multiple of 4", Bytes);
`endif
endmodule
