// SPDX-License-Identifier: Apache-2.0
//
// tsr_dsp_product: the exact product of a signed 32-bit and an unsigned 31-bit number, in four DSP blocks.
//
//   Input   v_i, m_i; half_i: adds 2^30; it comes one cycle after its factors
//           en_i: simulation only: enables of the six registers in a row (bit 0 the first)
//   Output  product_o; rest_o: one of product_o's low 30 bits is set; after the sixth edge
//   Cost    4 DSP48E1 with all their registers in one cascade, and no adder outside them, where TSR_DSP48E1 is
//           defined; 4 multipliers of 18 bits with an adder or less a cycle, where TSR_MULT18 is; else a plain model
//
// Parts of 17 bits: low * low, then high * low and low * high, 17 bits higher, then high * high.
`default_nettype none
module tsr_dsp_product (
  input  logic        clk_i,
  input  logic [5:0]  en_i,
  input  logic [31:0] v_i,
  input  logic [30:0] m_i,
  input  logic        half_i,
  output logic [62:0] product_o,
  output logic        rest_o
);
`ifdef TSR_DSP48E1
  // A block's factors arrive one cycle after those of the block before: one or two of these registers, then
  // its own two.
  logic [16:0] v_low1_q;
  logic [14:0] v_high1_q, v_high2_q;
  logic [13:0] m_high1_q, m_high2_q;
  // Port B (18 bits) has parts of m, port A (30 bits) parts of v.
  logic [71:0] b;
  logic [119:0] a;
  assign a = {{15{v_high2_q[14]}}, v_high2_q, 13'd0, v_low1_q, {15{v_i[31]}}, v_i[31:17], 13'd0, v_i[16:0]};
  assign b = {4'd0, m_high2_q, 4'd0, m_high1_q, 1'b0, m_i[16:0], 1'b0, m_i[16:0]};
  logic [191:0] p, pc;
  logic [16:0] low4_q, low5_q, low6_q, mid6_q;
  logic rest5_q, rest6_q;
  always_ff @(posedge clk_i) begin
    {v_low1_q, v_high1_q, v_high2_q} <= {v_i[16:0], v_i[31:17], v_high1_q};
    {m_high1_q, m_high2_q} <= {m_i[30:17], m_high1_q};
    {low4_q, low5_q, low6_q} <= {p[16:0], low4_q, low5_q};
    mid6_q <= p[2*48+:17];
    rest5_q <= low4_q != '0;
    rest6_q <= rest5_q || p[2*48+:13] != '0;
  end
  for (genvar d = 0; d < 4; d++) begin : g_dsp
    localparam logic [6:0] Mode = d == 0 ? 7'b0110101 : d == 2 ? 7'b0010101 : 7'b1010101;  // M + C, PCIN, PCIN >> 17
    localparam int Regs = d == 0 ? 1 : 2;
    logic [47:0] carried;
    if (d == 0) begin : g_first
      assign carried = '0;
    end else begin : g_next
      assign carried = pc[48*(d-1)+:48];
    end
    // verilator lint_off PINCONNECTEMPTY
    DSP48E1 #(
      .AREG(Regs), .ACASCREG(Regs), .BREG(Regs), .BCASCREG(Regs), .DREG(0), .ADREG(0), .MREG(1), .PREG(1),
      .CREG(d == 0 ? 1 : 0), .USE_DPORT("FALSE"), .USE_MULT("MULTIPLY"), .INMODEREG(0), .OPMODEREG(0),
      .ALUMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0)
    ) u_dsp (
      .CLK(clk_i), .A(a[30*d+:30]), .B(b[18*d+:18]), .C(d == 0 ? {17'd0, half_i, 30'd0} : 48'd0), .D(25'd0),
      .PCIN(carried), .PCOUT(pc[48*d+:48]), .P(p[48*d+:48]),
      .INMODE(5'd0), .OPMODE(Mode), .ALUMODE(4'd0), .CARRYIN(1'b0), .CARRYINSEL(3'd0),
      .ACIN(30'd0), .BCIN(18'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
      .CEA1(d != 0), .CEA2(1'b1), .CEB1(d != 0), .CEB2(1'b1), .CED(1'b0), .CEAD(1'b0), .CEM(1'b1), .CEP(1'b1),
      .CEC(d == 0), .CEALUMODE(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0), .CEINMODE(1'b0),
      .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0),
      .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTCTRL(1'b0), .RSTINMODE(1'b0),
      .ACOUT(), .BCOUT(), .CARRYCASCOUT(), .CARRYOUT(), .MULTSIGNOUT(), .OVERFLOW(),
      .PATTERNBDETECT(), .PATTERNDETECT(), .UNDERFLOW()
    );
    // verilator lint_on PINCONNECTEMPTY
  end
  assign product_o = {p[3*48+:29], mid6_q, low6_q};
  assign rest_o = rest6_q;
  logic unused;
  assign unused = ^{en_i, p, pc};
`elsif TSR_MULT18
  // Registers by cycle: the factors; four products; the sum of the two in the middle; that with the carry from below; the
  // whole.
  logic [31:0] v1_q;
  logic [30:0] m1_q;
  logic half2_q;
  logic signed [33:0] v_low, v_high, m_low, m_high;  // the parts; v_high has a sign
  logic signed [33:0] low2_q;                        // low * low, never negative: 34 bits hold it
  logic signed [32:0] high_low2_q, low_high2_q, middle3_q;
  logic signed [28:0] high2_q, high3_q, high4_q;
  logic [34:0] low3_q;
  logic signed [33:0] middle4_q;
  logic [16:0] low4_q;
  logic [62:0] p5_q, p6_q;
  logic rest6_q;
  assign v_low = {17'd0, v1_q[16:0]};
  assign v_high = {{19{v1_q[31]}}, v1_q[31:17]};
  assign m_low = {17'd0, m1_q[16:0]};
  assign m_high = {20'd0, m1_q[30:17]};
  always_ff @(posedge clk_i) begin
    {v1_q, m1_q} <= {v_i, m_i};
    low2_q <= v_low * m_low;
    high_low2_q <= 33'(v_high * m_low);
    low_high2_q <= 33'(v_low * m_high);
    high2_q <= 29'(v_high * m_high);
    half2_q <= half_i;
    low3_q <= {1'b0, low2_q} + {4'd0, half2_q, 30'd0};
    middle3_q <= high_low2_q + low_high2_q;
    high3_q <= high2_q;
    low4_q <= low3_q[16:0];
    middle4_q <= {middle3_q[32], middle3_q} + {16'd0, low3_q[34:17]};
    high4_q <= high3_q;
    p5_q <= {high4_q + {{12{middle4_q[33]}}, middle4_q[33:17]}, middle4_q[16:0], low4_q};
    p6_q <= p5_q;
    rest6_q <= p5_q[29:0] != '0;
  end
  assign product_o = p6_q;
  assign rest_o = rest6_q;
  logic unused;
  assign unused = ^en_i;
`else
  logic [31:0] v_q;
  logic [30:0] m_q;
  logic [62:0] p2_q, p3_q, p4_q, p5_q, p6_q;
  logic rest6_q;
  always_ff @(posedge clk_i) begin
    if (en_i[0]) {v_q, m_q} <= {v_i, m_i};
    if (en_i[1]) p2_q <= {{31{v_q[31]}}, v_q} * {32'd0, m_q} + {32'd0, half_i, 30'd0};
    if (en_i[2]) p3_q <= p2_q;
    if (en_i[3]) p4_q <= p3_q;
    if (en_i[4]) p5_q <= p4_q;
    if (en_i[5]) {p6_q, rest6_q} <= {p5_q, p5_q[29:0] != '0};
  end
  assign product_o = p6_q;
  assign rest_o = rest6_q;
`endif
endmodule
`default_nettype wire
