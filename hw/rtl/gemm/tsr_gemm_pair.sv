// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_pair: two int8 weights times one int8 activation with one 25 x 18 bit multiplier.
//
//   Input   en_i: w0_i, w1_i, x_i are loaded on this edge; en1_i, en2_i: the same, one and two cycles later
//   Output  p0_o = w0 * x and p1_o = w1 * x, three edges after the operands
//   Cost    1 DSP48E1, 3 cycles
//
// (w1 * 2^16 + w0) * x holds w0 * x in its low half; the high half is short by one when the low half
// is negative, which its sign bit says.
module tsr_gemm_pair (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic        en1_i,
  input  logic        en2_i,
  input  logic [7:0]  w0_i,
  input  logic [7:0]  w1_i,
  input  logic [7:0]  x_i,
  output logic [15:0] p0_o,
  output logic [15:0] p1_o
);
  logic signed [24:0] w_q;
  logic signed [7:0] x_q;
  logic signed [31:0] m_q;  // |product| <= 2^30 + 2^14
  logic [15:0] p0_q, p1_q;

  logic [8:0] high;
  assign high = {w1_i[7], w1_i} - {8'd0, w0_i[7]};

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      w_q <= {high, {8{w0_i[7]}}, w0_i};
      x_q <= x_i;
    end
    if (en1_i) m_q <= w_q * x_q;
    if (en2_i) begin
      p0_q <= m_q[15:0];
      p1_q <= m_q[31:16] + {15'd0, m_q[15]};
    end
  end
  assign p0_o = p0_q;
  assign p1_o = p1_q;
endmodule
