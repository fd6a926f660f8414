// SPDX-License-Identifier: Apache-2.0
//
// tsr_dsp_scale: (byte - zero) * 2^k + add, modulo 2^32, in one DSP block.
//
//   Input   byte_i, zero_i, signed; high_i: k >= 16; power_i: 2^(k mod 16), or 0 to add no byte
//           add_i: one cycle after its byte
//           en_i: simulation only: enables of the three registers in a row (bit 0 the first)
//   Output  x_o, after the third edge
//   Cost    1 DSP48E1 with its registers and 16 LUTs that place the byte, where TSR_DSP48E1 is defined; 1
//           multiplier of 18 bits, 16 LUTs and an adder, where TSR_MULT18 is; else a plain model
//
// The pre-adder takes both bytes as unsigned numbers, 128 higher; the difference is the same.
`default_nettype none
module tsr_dsp_scale (
  input  logic        clk_i,
  input  logic [2:0]  en_i,
  input  logic [7:0]  byte_i,
  input  logic [7:0]  zero_i,
  input  logic        high_i,
  input  logic [15:0] power_i,
  input  logic [31:0] add_i,
  output logic [31:0] x_o
);
  logic [7:0] up, zero_up;
  assign up = {!byte_i[7], byte_i[6:0]};
  assign zero_up = {!zero_i[7], zero_i[6:0]};
`ifdef TSR_DSP48E1
  logic [47:0] sum;
  logic [24:0] placed, zero_placed;
  assign placed = high_i ? {1'b0, up, 16'd0} : {17'd0, up};
  assign zero_placed = high_i ? {1'b0, zero_up, 16'd0} : {17'd0, zero_up};
  // verilator lint_off PINCONNECTEMPTY
  DSP48E1 #(
    .AREG(1), .ACASCREG(1), .BREG(1), .BCASCREG(1), .DREG(1), .ADREG(0), .MREG(1), .PREG(1), .CREG(1),
    .USE_DPORT("TRUE"), .USE_MULT("MULTIPLY"), .INMODEREG(0), .OPMODEREG(0), .ALUMODEREG(0),
    .CARRYINREG(0), .CARRYINSELREG(0)
  ) u_dsp (
    .CLK(clk_i), .A({5'd0, zero_placed}), .B({2'd0, power_i}), .C({16'd0, add_i}), .D(placed), .P(sum),
    .INMODE(5'b01100), .OPMODE(7'b0110101), .ALUMODE(4'd0), .CARRYIN(1'b0), .CARRYINSEL(3'd0),  // (D - A) * B + C
    .ACIN(30'd0), .BCIN(18'd0), .PCIN(48'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
    .CEA1(1'b0), .CEA2(1'b1), .CEB1(1'b0), .CEB2(1'b1), .CED(1'b1), .CEAD(1'b0), .CEM(1'b1), .CEP(1'b1),
    .CEC(1'b1), .CEALUMODE(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0), .CEINMODE(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTCTRL(1'b0), .RSTINMODE(1'b0),
    .ACOUT(), .BCOUT(), .PCOUT(), .CARRYCASCOUT(), .CARRYOUT(), .MULTSIGNOUT(), .OVERFLOW(),
    .PATTERNBDETECT(), .PATTERNDETECT(), .UNDERFLOW()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign x_o = sum[31:0];
  logic unused;
  assign unused = ^{en_i, sum[47:32]};
`elsif TSR_MULT18
  logic signed [8:0] difference1_q;
  logic signed [24:0] power, scaled2_q;
  logic [15:0] power1_q;
  logic high1_q, high2_q;
  logic [31:0] add2_q, x3_q;
  assign power = {9'd0, power1_q};
  always_ff @(posedge clk_i) begin
    difference1_q <= {1'b0, up} - {1'b0, zero_up};
    power1_q <= power_i;
    high1_q <= high_i;
    scaled2_q <= 25'(difference1_q) * power;
    high2_q <= high1_q;
    add2_q <= add_i;
    x3_q <= (high2_q ? {scaled2_q[15:0], 16'd0} : {{7{scaled2_q[24]}}, scaled2_q}) + add2_q;
  end
  assign x_o = x3_q;
  logic unused;
  assign unused = ^en_i;
`else
  logic [8:0] difference_q;
  logic [31:0] power_q, scaled_q, add_q, x_q;
  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      difference_q <= {1'b0, up} - {1'b0, zero_up};
      power_q <= high_i ? {power_i, 16'd0} : {16'd0, power_i};
    end
    if (en_i[1]) begin
      scaled_q <= {{23{difference_q[8]}}, difference_q} * power_q;
      add_q <= add_i;
    end
    if (en_i[2]) x_q <= scaled_q + add_q;
  end
  assign x_o = x_q;
`endif
endmodule
`default_nettype wire
