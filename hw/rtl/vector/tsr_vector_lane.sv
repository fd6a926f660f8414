// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_lane: one lane of VECTOR's arithmetic, thirteen stages.
//
//   Input   stepN_i: the step in stage N; en_i[N]: there is one; the read data in stage 0, ACC's in stage 1
//   Output  result_o in stage 13: int8 in the low byte, or int32 for ACC
//   Cost    5 DSP48E1; 1 step a cycle
//
// 0 to 2 zero point and source shift. 3 bias or addend; ALU. 4 left shift. 5 to 10 the product of 32 by 31
// bits and its first rounding. 10 and 11 right shift. 12 second rounding, zero point. 13 clamp.
// An ALU operation runs through with multiplier 1, MUL with its second operand as the multiplier. The top
// bit of that operand only flips the top bit of the product if the first operand is odd.
`default_nettype none
module tsr_vector_lane (
  input  logic                  clk_i,
  input  logic [12:0]           en_i,
  input  tsr_vector_pkg::lane_t step1_i,
  input  tsr_vector_pkg::do_t   do3_i,
  input  tsr_vector_pkg::lane_t step5_i,
  input  tsr_vector_pkg::lane_t step11_i,
  input  tsr_vector_pkg::lane_t step12_i,
  input  logic                  clamp13_i,     // the step in stage 13 writes OUT or INP, and its bounds
  input  logic [7:0]            lo13_i,
  input  logic [7:0]            hi13_i,
  // stage 0, by its step
  input  logic                  from_inp_i,    // the byte is INP's
  input  logic [7:0]            out_i,
  input  logic [7:0]            inp_i,
  input  logic [7:0]            zero_i,
  input  logic                  high_i,        // as in tsr_dsp_scale
  input  logic [15:0]           power_i,
  // stage 1
  input  logic                  first_i,       // acc_i is the first of two ACC operands; the step comes with the second
  input  logic                  add_acc_i,     // adds acc_i to the byte instead of the bias and the immediate
  input  logic [31:0]           acc_i,         // the ACC tile read, or 0
  input  logic [31:0]           bias_i,        // the channel's, or 0
  input  logic [30:0]           multiplier_i,
  input  logic [5:0]            shift_i,
  output logic [31:0]           result_o
);
  // Stages 0 to 2: the second operand, or the byte with its bias, to which stage 3 adds REQUANT's value from ACC.
  logic [31:0] x3;
  tsr_dsp_scale u_scale (
    .clk_i, .en_i(en_i[2:0]), .byte_i(from_inp_i ? inp_i : out_i), .zero_i, .high_i, .power_i,
    .add_i(add_acc_i ? acc_i : bias_i | step1_i.consts.imm), .x_o(x3)
  );
  logic [31:0] c2_q, c3_q;
  logic [30:0] m2_q, m3_q;
  logic [5:0] shift2_q, shift3_q;
  always_ff @(posedge clk_i) begin
    if (first_i || (en_i[1] && !step1_i.step.two)) c2_q <= acc_i;
    if (en_i[1]) begin
      m2_q <= multiplier_i;
      shift2_q <= shift_i | step1_i.consts.shift;
    end
    if (en_i[2]) {c3_q, m3_q, shift3_q} <= {c2_q, m2_q, shift2_q};
  end

  // Stage 3. One adder adds and compares. v4_q is also the running value of a reduction; where steps come in two passes
  // (tsr_vector_pass), that of the other pass. Where the second operand is the running value, the first is too, and either
  // may be chosen.
  logic [31:0] v4_q, running, a, b;
  if (tsr_pkg::VectorPasses == 1) begin : g_one
    assign running = v4_q;
  end else begin : g_two
    logic [31:0] before_q;
    always_ff @(posedge clk_i) if (en_i[3]) before_q <= v4_q;
    assign running = before_q;
  end
  logic [33:0] sum;
  logic [30:0] m4_q;
  logic [4:0] left4_q;
  logic [5:0] right4_q;
  logic zero4_q, top4_q, alu4_q, take_b;
  assign a = do3_i.first ? c3_q : running;
  assign b = do3_i.alias_acc ? running : x3;
  assign sum = {a[31], a, 1'b1} + ({b[31], b, 1'b0} ^ {34{do3_i.compare}});  // a + b or a - b; the lowest bit makes the carry
  assign take_b = !do3_i.alias_acc && (do3_i.compare ? sum[33] == do3_i.max : !do3_i.shr && !do3_i.mul);
  always_ff @(posedge clk_i) begin
    if (en_i[3]) begin
      v4_q <= do3_i.add ? sum[32:1] : take_b ? x3 : a;
      m4_q <= do3_i.mul ? x3[30:0] : m3_q | do3_i.multiplier;
      {alu4_q, top4_q} <= {do3_i.alu, do3_i.mul && x3[31]};
      // Rescale: left by a positive shift, right by a negative one; SHR the other way round.
      if (do3_i.shr) left4_q <= x3[31] ? 5'd0 - x3[4:0] : 5'd0;
      else left4_q <= shift3_q[5] ? 5'd0 : shift3_q[4:0];
      zero4_q <= do3_i.shr && x3[31] && !(x3[30:5] == '1 && x3[4:0] != '0);  // below -31
      if (do3_i.shr) right4_q <= x3[31] ? 6'd0 : (x3[30:5] != '0) ? 6'd31 : {1'b0, x3[4:0]};
      else right4_q <= shift3_q[5] ? 6'd0 - shift3_q : 6'd0;
    end
  end

  // Stages 4 to 9. The first rounding of ROUND_TFLITE, half a unit of the high part, is added on the way.
  logic [31:0] v4;
  logic [62:0] product;
  logic rest;
  // Three levels of choices among four, four and two.
  logic [31:0] by3, by12;
  assign by3 = v4_q << left4_q[1:0];
  assign by12 = by3 << {left4_q[3:2], 2'd0};
  assign v4 = zero4_q ? '0 : by12 << {left4_q[4], 4'd0};
  tsr_dsp_product u_product (
    .clk_i, .en_i(en_i[9:4]), .v_i(v4), .m_i(m4_q),
    .half_i(step5_i.step.kind != tsr_vector_pkg::KIND_ALU && step5_i.consts.round == tsr_pkg::ROUND_TFLITE),
    .product_o(product), .rest_o(rest)
  );
  logic [5:0] right10_q;     // a shift by 32, decoded here so that a flop has it; eights, ones: both full with 32
  logic high10_q, flip10_q;  // the product's high half is the result; or its low one, with the top bit flipped
  logic [7:0] side5_q, side6_q, side7_q, side8_q, side9_q;  // ALU operation, flip, right
  always_ff @(posedge clk_i) begin
    if (en_i[4]) side5_q <= {alu4_q, top4_q && v4[0], right4_q};
    if (en_i[5]) side6_q <= side5_q;
    if (en_i[6]) side7_q <= side6_q;
    if (en_i[7]) side8_q <= side7_q;
    if (en_i[8]) side9_q <= side8_q;
    if (en_i[9]) begin
      right10_q <= {side9_q[5] && side9_q[4:3] == '0, side9_q[4:3] | {2{side9_q[5]}}, side9_q[2:0] | {3{side9_q[5]}}};
      {high10_q, flip10_q} <= {!side9_q[7], side9_q[6]};
    end
  end

  // Stages 10 and 11: the quotient, with the bit below it; whether a bit below that is set. A right shift
  // of 32 leaves signs only, as does a shift of the signs by 31: the multiplier has 31 bits, so no product
  // has all zeros under a sign.
  logic [31:0] t10;
  logic [32:0] u10, u11_q, s11;
  logic dropped10, dropped11_q, half11_q, rest11_q, some11_q;
  logic [2:0] right11_q;
  assign t10 = !high10_q ? product[31:0] ^ {flip10_q, 31'd0} : right10_q[5] ? {32{product[62]}} : product[62:31];
  assign u10 = 33'($signed({t10, 1'b0}) >>> {right10_q[4:3], 3'd0});
  always_comb begin
    case (right10_q[4:3])
      2'd0: dropped10 = 1'b0;
      2'd1: dropped10 = t10[6:0] != '0;
      2'd2: dropped10 = t10[14:0] != '0;
      default: dropped10 = t10[22:0] != '0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (en_i[10]) begin
      u11_q <= u10;
      dropped11_q <= dropped10 || right10_q[5];
      right11_q <= right10_q[2:0];
      some11_q <= right10_q != '0;
      half11_q <= product[30];
      rest11_q <= rest;
    end
  end
  logic [31:0] y12_q;
  logic up12_q, below11, up11;
  assign s11 = 33'($signed(u11_q) >>> right11_q);
  assign below11 = dropped11_q || (u11_q[6:0] & ~(7'h7f << right11_q)) != '0;
  always_comb begin
    case (step11_i.consts.round)
      tsr_pkg::ROUND_TFLITE: up11 = s11[0] && (below11 || !u11_q[32]);
      tsr_pkg::ROUND_EVEN:
        up11 = some11_q ? s11[0] && (below11 || half11_q || rest11_q || s11[1]) : half11_q && (rest11_q || s11[1]);
      default: up11 = some11_q ? s11[0] : half11_q;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (en_i[11]) begin
      y12_q <= s11[32:1];
      up12_q <= step11_i.step.kind != tsr_vector_pkg::KIND_ALU && up11;
    end
  end

  // Stages 12 and 13. Only the low byte is clamped: OUT and INP take only that.
  logic [32:0] z13_q;
  logic [7:0] clamped;
  logic wide, under, over;
  always_ff @(posedge clk_i) begin
    if (en_i[12]) z13_q <= {y12_q[31], y12_q} + 33'($signed(step12_i.consts.out_zero)) + 33'(up12_q);
  end
  assign wide = z13_q[31:8] != {24{z13_q[32]}};
  assign under = wide ? z13_q[32] : $signed(z13_q[8:0]) < $signed({lo13_i[7], lo13_i});
  assign over = wide ? !z13_q[32] : $signed(z13_q[8:0]) > $signed({hi13_i[7], hi13_i});
  assign clamped = under ? lo13_i : over ? hi13_i : z13_q[7:0];
  assign result_o = {z13_q[31:8], clamp13_i ? clamped : z13_q[7:0]};

  logic unused;
  assign unused = ^{step1_i, step5_i, step11_i, step12_i, sum[0]};
endmodule
`default_nettype wire
