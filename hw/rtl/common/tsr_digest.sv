// SPDX-License-Identifier: Apache-2.0
//
// tsr_digest: the change that a write makes, as the number of sim/trace/digest.h. Simulation only.
//
//   Input   one write of up to Bytes bytes: byte address (multiple of 4), enables, new bytes; in the next cycle the old ones
//   Output  delta_o, in the next cycle: the write's digest; 0 when there was no write or en_i was 0
//
// A unit adds up the deltas of the writes of one instruction; the sum is the instruction's digest.
`default_nettype none
module tsr_digest #(
  parameter int Bytes = 8,           // bytes a write can change; a multiple of 4
  parameter logic [7:0] Space = 8'd1 // isa::ByteSpace
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,
  input  logic               valid_i,
  input  logic [31:0]        addr_i,
  input  logic [Bytes-1:0]   be_i,
  input  logic [8*Bytes-1:0] new_i,
  input  logic [8*Bytes-1:0] old_i,    // in the next cycle
  output logic [63:0]        delta_o
);
`ifdef SYNTHESIS
  assign delta_o = '0;
  logic unused;
  assign unused = ^{clk_i, rst_ni, en_i, valid_i, addr_i, be_i, old_i, new_i};
`else
  // Wide registers change only for a traced write: most runs are not traced.
  logic valid_q;
  logic [31:0] addr_q;
  logic [Bytes-1:0] be_q;
  logic [8*Bytes-1:0] new_q;
  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && en_i && valid_i;
    if (en_i && valid_i) {addr_q, be_q, new_q} <= {addr_i, be_i, new_i};
  end

  function automatic [63:0] mix64(input [63:0] value);
    logic [63:0] x;
    x = value;
    x = (x ^ (x >> 30)) * 64'hbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 64'h94d049bb133111eb;
    mix64 = x ^ (x >> 31);
  endfunction

  // The digest of one word, number |place| of its space.
  function automatic [63:0] delta(input [31:0] place, input [3:0] be, input [31:0] was, input [31:0] is);
    logic [31:0] mask;
    mask = {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
    delta = ((was ^ is) & mask) == '0
      ? '0 : (64'({is & mask}) - 64'({was & mask})) * (mix64({Space, 24'd0, place}) | 64'd1);
  endfunction

  always_comb begin
    delta_o = '0;
    if (valid_q) begin
      for (int w = 0; w < Bytes / 4; w++)
        delta_o = delta_o + delta((addr_q >> 2) + 32'(w), be_q[4*w+:4], old_i[32*w+:32], new_q[32*w+:32]);
    end
  end

  initial if (Bytes % 4 != 0) $fatal(1, "tsr_digest: Bytes is %0d, must be a multiple of 4", Bytes);
`endif
endmodule
`default_nettype wire
