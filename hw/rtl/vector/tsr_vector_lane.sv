// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_lane: one lane of VECTOR's arithmetic, ten stages.
//
//   Input   en_i[n]: stage n has a step, stepN_i is that step; operands in stage 1
//   Output  result_o in stage 10: int8 in the low byte, or int32 for ACC
//   Cost    4 DSP48E1; 1 step a cycle
//
// 1 operands, zero point, source shift. 2 bias or addend; ALU. 3 left shift. 4 to 6 the product of 32
// by 31 bits. 7 its high part, first rounding. 8 right shift, second rounding. 9 zero point. 10 clamp.
// An ALU operation runs through with multiplier 1; MUL with its second operand, whose top bit only
// flips the top bit of an odd operand's product.
module tsr_vector_lane (
  input  logic                  clk_i,
  input  logic [9:1]            en_i,
  input  tsr_vector_pkg::step_t step1_i,
  input  tsr_vector_pkg::step_t step2_i,
  input  tsr_vector_pkg::step_t step7_i,
  input  tsr_vector_pkg::step_t step8_i,
  input  tsr_vector_pkg::step_t step9_i,
  input  tsr_vector_pkg::step_t step10_i,
  input  logic [31:0]           acc_i,         // the ACC tile read
  input  logic [31:0]           held_i,        // the ACC tile read before it
  input  logic [7:0]            byte_i,        // the OUT or INP tile read
  input  logic [31:0]           bias_i,
  input  logic [30:0]           multiplier_i,
  input  logic [5:0]            shift_i,
  output logic [31:0]           result_o
);
  // Stage 1.
  function automatic [31:0] centred(input [7:0] value, input [7:0] zero, input [4:0] left);
    reg [8:0] difference;
    begin
      difference = {value[7], value} - {zero[7], zero};
      centred = {{23{difference[8]}}, difference} << left;
    end
  endfunction
  logic own;  // bias, multiplier and shift are the channel's
  assign own = step1_i.kind == tsr_vector_pkg::KIND_REQUANT && !step1_i.per_tensor;
  logic [31:0] x2_q, c2_q;
  logic [30:0] m2_q;
  logic [5:0] shift2_q;
  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      x2_q <= (step1_i.src_mem == tsr_pkg::VMEM_ACC) ? acc_i
            : (step1_i.src_mem == tsr_pkg::VMEM_IMM) ? step1_i.imm
            : centred(byte_i, step1_i.src_zero, step1_i.src_shift);
      c2_q <= (step1_i.kind == tsr_vector_pkg::KIND_REQUANT) ? (own ? bias_i : '0) : step1_i.two ? held_i : acc_i;
      m2_q <= own ? multiplier_i : step1_i.multiplier;
      shift2_q <= own ? shift_i : step1_i.shift;
    end
  end

  // Stage 2. v3_q is also the running value of a reduction.
  logic [31:0] v3_q, a, b;
  logic [30:0] m3_q;
  logic [4:0] left3_q;
  logic [5:0] right3_q;
  logic zero3_q, top3_q;
  logic alu, shr, mul;
  assign alu = step2_i.kind == tsr_vector_pkg::KIND_ALU;
  assign shr = alu && step2_i.op == tsr_pkg::ALU_SHR;
  assign mul = alu && step2_i.op == tsr_pkg::ALU_MUL;
  assign a = step2_i.first ? c2_q : v3_q;
  assign b = step2_i.alias_acc ? v3_q : x2_q;
  logic less;  // a < b
  assign less = $signed(a) < $signed(b);
  always_ff @(posedge clk_i) begin
    if (en_i[2]) begin
      if (!alu) v3_q <= x2_q + c2_q;
      else begin
        case (step2_i.op)
          tsr_pkg::ALU_MIN: v3_q <= less ? a : b;
          tsr_pkg::ALU_MAX: v3_q <= less ? b : a;
          tsr_pkg::ALU_ADD: v3_q <= a + b;
          tsr_pkg::ALU_SHR, tsr_pkg::ALU_MUL: v3_q <= a;
          default: v3_q <= b;
        endcase
      end
      m3_q <= mul ? b[30:0] : alu ? 31'd1 : m2_q;
      top3_q <= mul && b[31];
      // Rescale: left by a positive shift, right by a negative one; SHR the other way round.
      if (shr) left3_q <= b[31] ? 5'd0 - b[4:0] : 5'd0;
      else left3_q <= (alu || shift2_q[5]) ? 5'd0 : shift2_q[4:0];
      zero3_q <= shr && $signed(b) < -32'sd31;
      if (shr) right3_q <= b[31] ? 6'd0 : (b[30:5] != '0) ? 6'd31 : {1'b0, b[4:0]};
      else right3_q <= (alu || !shift2_q[5]) ? 6'd0 : 6'd0 - shift2_q;
    end
  end

  // Stage 3.
  logic [31:0] v4_q;
  logic [30:0] m4_q;
  logic [5:0] right4_q, right5_q, right6_q, right7_q, right8_q;
  logic top4_q;
  always_ff @(posedge clk_i) begin
    if (en_i[3]) begin
      v4_q <= zero3_q ? '0 : v3_q << left3_q;
      m4_q <= m3_q;
      right4_q <= right3_q;
      top4_q <= top3_q;
    end
  end

  // Stages 4 to 6: four products of at most 18 by 18 bits.
  logic signed [14:0] v_high;
  logic signed [17:0] v_low, m_low;
  logic signed [14:0] m_high;
  assign v_high = v4_q[31:17];
  assign v_low = {1'b0, v4_q[16:0]};
  assign m_high = {1'b0, m4_q[30:17]};
  assign m_low = {1'b0, m4_q[16:0]};
  logic signed [35:0] ll5_q;
  logic signed [32:0] lh5_q, hl5_q;
  logic signed [29:0] hh5_q;
  logic flip5_q, flip6_q, flip7_q;
  logic [33:0] mid6_q;
  logic [62:0] base6_q, product7_q;
  always_ff @(posedge clk_i) begin
    if (en_i[4]) begin
      ll5_q <= v_low * m_low;
      lh5_q <= v_low * m_high;
      hl5_q <= v_high * m_low;
      hh5_q <= v_high * m_high;
      flip5_q <= top4_q && v4_q[0];
      right5_q <= right4_q;
    end
    if (en_i[5]) begin
      mid6_q <= {lh5_q[32], lh5_q} + {hl5_q[32], hl5_q};
      base6_q <= {hh5_q[28:0], ll5_q[33:0]};
      flip6_q <= flip5_q;
      right6_q <= right5_q;
    end
    if (en_i[6]) begin
      product7_q <= base6_q + {{12{mid6_q[33]}}, mid6_q, 17'd0};
      flip7_q <= flip6_q;
      right7_q <= right6_q;
    end
  end

  // Stage 7.
  logic [31:0] t8_q;
  logic half8_q, rest8_q;
  always_ff @(posedge clk_i) begin
    if (en_i[7]) begin
      t8_q <= (step7_i.kind == tsr_vector_pkg::KIND_ALU) ? product7_q[31:0] ^ {flip7_q, 31'd0}
            : product7_q[62:31] + 32'(product7_q[30] && step7_i.round == tsr_pkg::ROUND_TFLITE);
      half8_q <= product7_q[30];
      rest8_q <= product7_q[29:0] != '0;
      right8_q <= right7_q;
    end
  end

  // Stage 8: the quotient, and what is to be added to it.
  logic [31:0] y9_q;
  logic up9_q;
  function automatic [32:0] shifted(input [31:0] t, input [5:0] right);  // the bit below in bit 0
    shifted = 33'($signed({t, 1'b0}) >>> right);
  endfunction
  // Whether there is anything below the bit below.
  function automatic below(input [31:0] t, input [5:0] right);
    below = right != '0 && (t & ~(32'hffff_ffff << (right - 6'd1))) != '0;
  endfunction
  function automatic upwards(input [31:0] t, input odd, input guard, input [5:0] right, input half, input rest,
                             input [1:0] round);
    begin
      case (round)
        tsr_pkg::ROUND_TFLITE: upwards = guard && (below(t, right) || !t[31]);
        tsr_pkg::ROUND_EVEN:
          upwards = (right == '0) ? half && (rest || odd)
                                  : guard && (below(t, right) || half || rest || odd);
        default: upwards = (right == '0) ? half : guard;
      endcase
    end
  endfunction
  logic [32:0] s8;
  assign s8 = shifted(t8_q, right8_q);
  always_ff @(posedge clk_i) begin
    if (en_i[8]) begin
      y9_q <= s8[32:1];
      up9_q <= step8_i.kind != tsr_vector_pkg::KIND_ALU &&
               upwards(t8_q, s8[1], s8[0], right8_q, half8_q, rest8_q, step8_i.round);
    end
  end

  // Stages 9 and 10.
  logic [32:0] z10_q;
  logic [7:0] zero9;
  assign zero9 = (step9_i.dst_mem == tsr_pkg::VMEM_ACC) ? 8'd0 : step9_i.out_zero;
  always_ff @(posedge clk_i) begin
    if (en_i[9]) z10_q <= {y9_q[31], y9_q} + {{25{zero9[7]}}, zero9} + 33'(up9_q);
  end
  function automatic [7:0] clamped(input [32:0] z, input [7:0] lo, input [7:0] hi);
    clamped = ($signed(z) < $signed({{25{lo[7]}}, lo})) ? lo
            : ($signed(z) > $signed({{25{hi[7]}}, hi})) ? hi : z[7:0];
  endfunction
  assign result_o = (step10_i.dst_mem == tsr_pkg::VMEM_ACC)
                    ? z10_q[31:0] : {24'd0, clamped(z10_q, step10_i.lo, step10_i.hi)};

  logic unused;
  assign unused = ^{step1_i, step2_i, step7_i, step8_i, step9_i, step10_i, ll5_q[35:34], hh5_q[29]};
endmodule
