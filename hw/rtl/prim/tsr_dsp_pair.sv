// SPDX-License-Identifier: Apache-2.0
//
// tsr_dsp_pair: four int8 products in two DSP blocks: two weights w0, w1 times x, summed over two sets of operands.
//
//   Input   w0*_i, w1*_i, x*_i: two sets a and b of operands, signed; a new one every cycle
//           en_i: simulation only: enables of the four registers in a row (bit 0 the first)
//   Output  lo_o = w0a * xa + w0b * xb + 32767, never negative; hi_o = w1a * xa + w1b * xb, signed;
//           after the fourth edge
//   Cost    2 DSP48E1 with all their registers, no logic, where TSR_DSP48E1 is defined; 4 multipliers of 18 bits
//           and 2 adders, where TSR_MULT18 is; else a plain model
//
// The pre-adder packs both weights into one factor: (w1 * 2^16 + w0) * x holds both products. The sum of
// two low ones is -32512 to 32768; port C adds 32767, which keeps it in 16 bits and off the high one.
// Block b multiplies one cycle after block a, since it adds to a's result: only b uses the register
// behind its pre-adder. Vendor tools make DSP48E2 of these two for UltraScale+.
`default_nettype none
module tsr_dsp_pair (
  input  logic        clk_i,
  input  logic [3:0]  en_i,
  input  logic [7:0]  w0a_i,
  input  logic [7:0]  w1a_i,
  input  logic [7:0]  xa_i,
  input  logic [7:0]  w0b_i,
  input  logic [7:0]  w1b_i,
  input  logic [7:0]  xb_i,
  output logic [15:0] lo_o,
  output logic [16:0] hi_o
);
`ifdef TSR_DSP48E1
  localparam logic [6:0] MultiplyAddC = 7'b0110101;     // P = M + C
  localparam logic [6:0] MultiplyAddPcin = 7'b0010101;  // P = M + PCIN
  logic [47:0] chain, sum;
  logic [29:0] high_a, high_b;  // port A: w1 * 2^16; the block ignores bits past 25
  logic [24:0] low_a, low_b;
  logic [17:0] by_a, by_b;
  assign high_a = {{6{w1a_i[7]}}, w1a_i, 16'd0};
  assign high_b = {{6{w1b_i[7]}}, w1b_i, 16'd0};
  assign low_a = {{17{w0a_i[7]}}, w0a_i};
  assign low_b = {{17{w0b_i[7]}}, w0b_i};
  assign by_a = {{10{xa_i[7]}}, xa_i};
  assign by_b = {{10{xb_i[7]}}, xb_i};

  // verilator lint_off PINCONNECTEMPTY
  DSP48E1 #(
    .AREG(1), .ACASCREG(1), .BREG(1), .BCASCREG(1), .DREG(1), .ADREG(0), .MREG(1), .PREG(1), .CREG(0),
    .USE_DPORT("TRUE"), .USE_MULT("MULTIPLY"), .INMODEREG(0), .OPMODEREG(0), .ALUMODEREG(0),
    .CARRYINREG(0), .CARRYINSELREG(0)
  ) u_a (
    .CLK(clk_i), .A(high_a), .B(by_a), .C(48'd32767), .D(low_a), .PCOUT(chain),
    .INMODE(5'b00100), .OPMODE(MultiplyAddC), .ALUMODE(4'd0), .CARRYIN(1'b0), .CARRYINSEL(3'd0),
    .ACIN(30'd0), .BCIN(18'd0), .PCIN(48'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
    .CEA1(1'b0), .CEA2(1'b1), .CEB1(1'b0), .CEB2(1'b1), .CED(1'b1), .CEAD(1'b0), .CEM(1'b1), .CEP(1'b1),
    .CEC(1'b0), .CEALUMODE(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0), .CEINMODE(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTCTRL(1'b0), .RSTINMODE(1'b0),
    .ACOUT(), .BCOUT(), .CARRYCASCOUT(), .CARRYOUT(), .MULTSIGNOUT(), .OVERFLOW(), .P(),
    .PATTERNBDETECT(), .PATTERNDETECT(), .UNDERFLOW()
  );
  DSP48E1 #(
    .AREG(1), .ACASCREG(1), .BREG(2), .BCASCREG(2), .DREG(1), .ADREG(1), .MREG(1), .PREG(1), .CREG(0),
    .USE_DPORT("TRUE"), .USE_MULT("MULTIPLY"), .INMODEREG(0), .OPMODEREG(0), .ALUMODEREG(0),
    .CARRYINREG(0), .CARRYINSELREG(0)
  ) u_b (
    .CLK(clk_i), .A(high_b), .B(by_b), .C(48'd0), .D(low_b), .PCIN(chain), .P(sum),
    .INMODE(5'b00100), .OPMODE(MultiplyAddPcin), .ALUMODE(4'd0), .CARRYIN(1'b0), .CARRYINSEL(3'd0),
    .ACIN(30'd0), .BCIN(18'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
    .CEA1(1'b0), .CEA2(1'b1), .CEB1(1'b1), .CEB2(1'b1), .CED(1'b1), .CEAD(1'b1), .CEM(1'b1), .CEP(1'b1),
    .CEC(1'b0), .CEALUMODE(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0), .CEINMODE(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTCTRL(1'b0), .RSTINMODE(1'b0),
    .ACOUT(), .BCOUT(), .CARRYCASCOUT(), .CARRYOUT(), .MULTSIGNOUT(), .OVERFLOW(), .PCOUT(),
    .PATTERNBDETECT(), .PATTERNDETECT(), .UNDERFLOW()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign lo_o = sum[15:0];
  assign hi_o = sum[32:16];
  logic unused;
  assign unused = ^{en_i, sum[47:33]};
`elsif TSR_MULT18
  // Operands, four products, two sums, the low one with 32767: 16 bits hold that, not each step before it.
  logic signed [7:0] w0a1_q, w1a1_q, xa1_q, w0b1_q, w1b1_q, xb1_q;
  logic signed [15:0] low_a2_q, high_a2_q, low_b2_q, high_b2_q;
  logic [15:0] low3_q, low4_q;
  logic [16:0] high3_q, high4_q;
  always_ff @(posedge clk_i) begin
    {w0a1_q, w1a1_q, xa1_q, w0b1_q, w1b1_q, xb1_q} <= {w0a_i, w1a_i, xa_i, w0b_i, w1b_i, xb_i};
    low_a2_q <= 16'(w0a1_q) * 16'(xa1_q);
    high_a2_q <= 16'(w1a1_q) * 16'(xa1_q);
    low_b2_q <= 16'(w0b1_q) * 16'(xb1_q);
    high_b2_q <= 16'(w1b1_q) * 16'(xb1_q);
    low3_q <= low_a2_q + low_b2_q;
    high3_q <= {high_a2_q[15], high_a2_q} + {high_b2_q[15], high_b2_q};
    low4_q <= low3_q + 16'd32767;
    high4_q <= high3_q;
  end
  assign lo_o = low4_q;
  assign hi_o = high4_q;
  logic unused;
  assign unused = ^en_i;
`else
  // Operands, then both sums packed as the blocks pack them; a tool may retime the sums over the next two registers.
  logic signed [7:0] w0a_q, w1a_q, xa_q, w0b_q, w1b_q, xb_q;
  logic signed [63:0] wa, wb, sum2;  // 64 bits: a simulator's word
  assign wa = (64'(w1a_q) <<< 16) + 64'(w0a_q);
  assign wb = (64'(w1b_q) <<< 16) + 64'(w0b_q);
  assign sum2 = wa * 64'(xa_q) + wb * 64'(xb_q) + 64'sd32767;
  logic [32:0] sum2_q, sum3_q, sum4_q;
  always_ff @(posedge clk_i) begin
    if (en_i[0]) {w0a_q, w1a_q, xa_q, w0b_q, w1b_q, xb_q} <= {w0a_i, w1a_i, xa_i, w0b_i, w1b_i, xb_i};
    if (en_i[1]) sum2_q <= sum2[32:0];
    if (en_i[2]) sum3_q <= sum2_q;
    if (en_i[3]) sum4_q <= sum3_q;
  end
  assign {hi_o, lo_o} = sum4_q;
  logic unused;
  assign unused = ^sum2[63:33];
`endif
endmodule
`default_nettype wire
