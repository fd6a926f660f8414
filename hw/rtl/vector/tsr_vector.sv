// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector: the VECTOR unit. Requantise, residual add, pooling and element-wise operations.
//
//   Input   commands (hw/rtl/README.md): Requant, Add and Alu, or profile vta's ALU
//   Output  retirement in order; the first error, after the retirement of all before it
//   Memory  reads ACC, OUT, INP, PRM and, in profile vta, UOP; writes ACC, OUT and INP. ACC and INP may
//           refuse a read, ACC a write: the unit waits
//   Cost    N steps retire N + 15 cycles after the command was taken when nothing is refused; no gap
//           between commands. An Alu whose two operands are both read from ACC takes two cycles a step
//
// Slot 0: loops, micro-op address. 1: micro-op, tile indices. 2: hazards, reads. 3: their data.
// 4 to 13: the lanes' stages 1 to 10. 14: writes.
// A step that reads a tile which a result in flight will write waits in slot 2. Behind it nothing
// waits: a step is issued only when there is a place for its result.
`include "tsr_assert.svh"

module tsr_vector (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               vta_i,
  // commands
  input  logic                               cmd_valid_i,
  output logic                               cmd_ready_o,
  input  logic [255:0]                       cmd_insn_i,
  input  logic [31:0]                        cmd_num_i,
  output logic                               retire_valid_o,
  input  logic                               retire_ready_i,
  output logic [63:0]                        retire_digest_o,
  output logic                               err_valid_o,
  output logic [3:0]                         err_code_o,
  output logic [31:0]                        err_num_o,
  output logic                               busy_o,
  output logic                               memwait_o,
  output logic                               hazard_o,
  // memories
  output logic                               uop_rd_en_o,
  output logic [tsr_pkg::UopIdxBits-1:0]     uop_rd_addr_o,
  input  logic [63:0]                        uop_rd_data_i,
  output logic                               prm_rd_en_o,
  output logic [tsr_pkg::PrmIdxBits-1:0]     prm_rd_addr_o,
  input  logic [8*tsr_pkg::PrmBytes-1:0]     prm_rd_data_i,
  output logic                               acc_rd_valid_o,
  input  logic                               acc_rd_ready_i,
  output logic [tsr_pkg::AccIdxBits-1:0]     acc_rd_addr_o,
  input  logic [32*tsr_pkg::Lanes-1:0]       acc_rd_data_i,
  output logic                               out_rd_en_o,
  output logic [tsr_pkg::OutIdxBits-1:0]     out_rd_addr_o,
  input  logic [8*tsr_pkg::OutTileBytes-1:0] out_rd_data_i,
  output logic                               inp_rd_valid_o,
  input  logic                               inp_rd_ready_i,
  output logic [tsr_pkg::InpIdxBits-1:0]     inp_rd_addr_o,
  input  logic [8*tsr_pkg::InpTileBytes-1:0] inp_rd_data_i,
  output logic                               acc_wr_valid_o,
  input  logic                               acc_wr_ready_i,
  output logic [tsr_pkg::AccIdxBits-1:0]     acc_wr_addr_o,
  output logic [32*tsr_pkg::Lanes-1:0]       acc_wr_data_o,
  output logic                               out_wr_en_o,
  output logic [tsr_pkg::OutIdxBits-1:0]     out_wr_addr_o,
  output logic [8*tsr_pkg::OutTileBytes-1:0] out_wr_data_o,
  output logic                               inp_wr_en_o,
  output logic [tsr_pkg::InpIdxBits-1:0]     inp_wr_addr_o,
  output logic [8*tsr_pkg::InpTileBytes-1:0] inp_wr_data_o,
  input  logic [63:0]                        acc_wr_digest_i,  // of the writes of the cycle before
  input  logic [63:0]                        out_wr_digest_i,
  input  logic [63:0]                        inp_wr_digest_i
);
  localparam int Lanes = tsr_pkg::Lanes;
  typedef logic [20:0] index_t;

  // ---- Slot 0.
  logic stop_q, start, advance, free_next;
  logic valid0, work0, illegal0, last0;
  tsr_vector_pkg::step_t step0;
  logic [16:0] uop0;
  index_t src0, acc0, dst0, prm0;
  logic [31:0] num0;
  assign cmd_ready_o = free_next && !stop_q;
  assign start = cmd_valid_i && cmd_ready_o;
  tsr_vector_loop u_loop (
    .clk_i, .rst_ni, .vta_i,
    .start_i(start), .insn_i(cmd_insn_i), .num_i(cmd_num_i), .free_next_o(free_next), .advance_i(advance),
    .valid_o(valid0), .work_o(work0), .illegal_o(illegal0), .last_o(last0), .step_o(step0), .uop_o(uop0),
    .src_o(src0), .acc_o(acc0), .dst_o(dst0), .prm_o(prm0), .num_o(num0)
  );
  assign uop_rd_en_o = vta_i && valid0 && work0 && advance;
  assign uop_rd_addr_o = tsr_pkg::UopIdxBits'(uop0 >> 1);

  // ---- Slots 1 and 2 advance together; slot 2 decides.
  logic valid1_q, work1_q, illegal1_q, last1_q, uop_odd1_q, uop_bad1_q;
  logic valid2_q, work2_q, illegal2_q, last2_q, uop_bad2_q;
  tsr_vector_pkg::step_t step1_q, step2_q;
  index_t src1_q, acc1_q, dst1_q, prm1_q, src2_q, acc2_q, dst2_q, prm2_q, uop_src, uop_dst;
  logic [31:0] num1_q, num2_q, uop;
  assign uop = uop_odd1_q ? uop_rd_data_i[63:32] : uop_rd_data_i[31:0];
  assign uop_src = vta_i ? 21'(tsr_pkg::vta_uop_src_idx(uop)) : '0;
  assign uop_dst = vta_i ? 21'(tsr_pkg::vta_uop_dst_idx(uop)) : '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else if (advance) begin
      valid1_q <= valid0;
      valid2_q <= valid1_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance && valid0) begin
      {work1_q, illegal1_q, last1_q, step1_q, num1_q} <= {work0, illegal0, last0, step0, num0};
      {src1_q, acc1_q, dst1_q, prm1_q} <= {src0, acc0, dst0, prm0};
      uop_odd1_q <= uop0[0];
      uop_bad1_q <= vta_i && uop0 >= 17'(tsr_pkg::VtaUopDepth);
    end
    if (advance && valid1_q) begin
      {work2_q, illegal2_q, last2_q, step2_q, num2_q} <= {work1_q, illegal1_q, last1_q, step1_q, num1_q};
      src2_q <= tsr_index_pkg::add(src1_q, uop_src);
      acc2_q <= tsr_index_pkg::add(acc1_q, uop_dst);
      dst2_q <= tsr_index_pkg::add(dst1_q, uop_dst);
      prm2_q <= prm1_q;
      uop_bad2_q <= uop_bad1_q;
    end
  end

  // What slot 2 needs.
  logic alu, use_prm, use_acc, src_acc, src_out, src_inp, range_bad, bad;
  assign alu = step2_q.kind == tsr_vector_pkg::KIND_ALU;
  assign use_prm = step2_q.kind == tsr_vector_pkg::KIND_REQUANT && !step2_q.per_tensor;
  assign use_acc = step2_q.kind == tsr_vector_pkg::KIND_ADD ||
                   (alu && step2_q.first && step2_q.op != tsr_pkg::ALU_MOV);
  assign src_acc = step2_q.src_mem == tsr_pkg::VMEM_ACC;
  assign src_out = step2_q.src_mem == tsr_pkg::VMEM_OUT;
  assign src_inp = step2_q.src_mem == tsr_pkg::VMEM_INP;
  function automatic out_of_range(input [1:0] mem, input [20:0] tile);
    case (mem)
      tsr_pkg::VMEM_ACC: out_of_range = tile >= 21'(tsr_pkg::AccDepth);
      tsr_pkg::VMEM_OUT: out_of_range = tile >= 21'(tsr_pkg::OutDepth);
      tsr_pkg::VMEM_INP: out_of_range = tile >= 21'(tsr_pkg::InpDepth);
      default: out_of_range = 1'b0;
    endcase
  endfunction
  assign range_bad = uop_bad2_q || out_of_range(step2_q.src_mem, src2_q) ||
                     out_of_range(step2_q.dst_mem, dst2_q) ||
                     (use_prm && prm2_q >= 21'(tsr_pkg::PrmDepth)) ||
                     (step2_q.kind == tsr_vector_pkg::KIND_ADD && acc2_q >= 21'(tsr_pkg::AccDepth));
  assign bad = illegal2_q || (work2_q && range_bad);

  // Hazards and grants. Two operands from ACC are read in two phases, the first operand first.
  logic live, work, alias_acc, two, second_q, first_phase, hit_src, hit_acc, hazard, granted, room, emit, go, fire;
  assign live = valid2_q && !stop_q;
  assign work = live && work2_q && !bad;
  assign alias_acc = alu && src_acc && !step2_q.first && src2_q == dst2_q;
  assign two = use_acc && src_acc;
  assign first_phase = two && !second_q;
  assign hazard = ((src_acc || src_out || src_inp) && !alias_acc && hit_src) || (use_acc && hit_acc);
  assign acc_rd_valid_o = work && !hazard && room && (use_acc || src_acc);
  assign acc_rd_addr_o = (use_acc && !second_q) ? acc2_q[tsr_pkg::AccIdxBits-1:0] : src2_q[tsr_pkg::AccIdxBits-1:0];
  assign inp_rd_valid_o = work && !hazard && room && src_inp;
  assign inp_rd_addr_o = src2_q[tsr_pkg::InpIdxBits-1:0];
  assign out_rd_en_o = work && !hazard && room && src_out;
  assign out_rd_addr_o = src2_q[tsr_pkg::OutIdxBits-1:0];
  assign granted = ((!use_acc && !src_acc) || acc_rd_ready_i) && (!src_inp || inp_rd_ready_i);
  assign go = live && room && (!work || (!hazard && granted));  // this phase is done
  assign fire = go && !(work && first_phase);
  assign advance = !live || fire;
  assign emit = bad || step2_q.emit;
  assign prm_rd_en_o = fire && work && use_prm;
  assign prm_rd_addr_o = prm2_q[tsr_pkg::PrmIdxBits-1:0];

  logic err_field_q;
  logic [31:0] err_num_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stop_q <= 1'b0;
      second_q <= 1'b0;
    end else begin
      if (fire && bad) stop_q <= 1'b1;
      if (go) second_q <= work && first_phase;
    end
    if (fire && bad) {err_num_q, err_field_q} <= {num2_q, illegal2_q};
  end

  // ---- Slot 3 and the lanes. step_q[n] is in the lanes' stage n.
  logic valid3_q, held3_q;
  logic [10:1] valid_q;
  tsr_vector_pkg::step_t s3_q, s1_q, s2_q, s4_q, s5_q, s6_q, s7_q, s8_q, s9_q, s10_q, step3_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid3_q <= 1'b0;
      held3_q <= 1'b0;
      valid_q <= '0;
    end else begin
      valid3_q <= fire;
      held3_q <= go && work && first_phase;
      valid_q <= {valid_q[9:1], valid3_q};
    end
  end
  always_ff @(posedge clk_i) begin
    if (fire) begin
      s3_q <= step2_q;
      s3_q.two <= two;
      s3_q.alias_acc <= alias_acc;
      s3_q.emit <= emit;
    end
    if (valid3_q) s1_q <= s3_q;
    if (valid_q[1]) s2_q <= s1_q;
    if (valid_q[2]) step3_q <= s2_q;
    if (valid_q[3]) s4_q <= step3_q;
    if (valid_q[4]) s5_q <= s4_q;
    if (valid_q[5]) s6_q <= s5_q;
    if (valid_q[6]) s7_q <= s6_q;
    if (valid_q[7]) s8_q <= s7_q;
    if (valid_q[8]) s9_q <= s8_q;
    if (valid_q[9]) s10_q <= s9_q;
  end

  logic [32*Lanes-1:0] acc_q, held_q, result;
  logic [8*Lanes-1:0] byte_q;
  logic [8*tsr_pkg::PrmBytes-1:0] prm_q;
  logic held1_q;
  always_ff @(posedge clk_i) begin
    if (valid3_q || held3_q) acc_q <= acc_rd_data_i;
    held1_q <= held3_q;
    if (held1_q) held_q <= acc_q;
    if (valid3_q) byte_q <= (s3_q.src_mem == tsr_pkg::VMEM_INP) ? inp_rd_data_i : out_rd_data_i;
    if (valid3_q) prm_q <= prm_rd_data_i;
  end
  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    localparam int Channel = l % tsr_pkg::BlockOut;
    tsr_vector_lane u_lane (
      .clk_i, .en_i(valid_q[9:1]),
      .step1_i(s1_q), .step2_i(s2_q), .step7_i(s7_q), .step8_i(s8_q), .step9_i(s9_q), .step10_i(s10_q),
      .acc_i(acc_q[32*l+:32]), .held_i(held_q[32*l+:32]), .byte_i(byte_q[8*l+:8]),
      .bias_i(prm_q[8*(tsr_pkg::PrmBiasOffset+tsr_pkg::PrmBiasBytes*Channel)+:tsr_pkg::PrmBiasBits]),
      .multiplier_i(prm_q[8*(tsr_pkg::PrmMultiplierOffset+tsr_pkg::PrmMultiplierBytes*Channel)
                          +:tsr_pkg::PrmMultiplierBits]),
      .shift_i(prm_q[8*(tsr_pkg::PrmShiftOffset+tsr_pkg::PrmShiftBytes*Channel)+:tsr_pkg::PrmShiftBits]),
      .result_o(result[32*l+:32])
    );
  end

  // ---- Slot 14.
  logic done, done_last, done_bad, empty;
  tsr_vector_flight u_flight (
    .clk_i, .rst_ni,
    .push_i(fire && emit), .room_o(room), .push_work_i(work), .push_last_i(last2_q), .push_bad_i(bad),
    .push_mem_i(step2_q.dst_mem), .push_tile_i(dst2_q[19:0]),
    .push_clear_i(work && step2_q.clear && !(step2_q.dst_mem == tsr_pkg::VMEM_ACC && dst2_q == clear_tile)),
    .push_clear_tile_i(clear_tile[tsr_pkg::AccIdxBits-1:0]),
    .src_mem_i(step2_q.src_mem), .src_tile_i(src2_q[19:0]), .hit_src_o(hit_src),
    .acc_tile_i(acc2_q[19:0]), .hit_acc_o(hit_acc),
    .result_valid_i(valid_q[10] && s10_q.emit), .result_data_i(result),
    .acc_wr_valid_o, .acc_wr_ready_i, .acc_wr_addr_o, .acc_wr_data_o,
    .out_wr_en_o, .out_wr_addr_o, .out_wr_data_o, .inp_wr_en_o, .inp_wr_addr_o, .inp_wr_data_o,
    .done_o(done), .done_last_o(done_last), .done_bad_o(done_bad), .empty_o(empty)
  );
  index_t clear_tile;
  assign clear_tile = (step2_q.kind == tsr_vector_pkg::KIND_ADD) ? acc2_q : src2_q;

  // ---- Retirement, errors, counters.
  logic retire_q, err_q;
  logic [63:0] digest_q, digest;
  assign digest = digest_q + acc_wr_digest_i + out_wr_digest_i + inp_wr_digest_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      retire_q <= 1'b0;
      err_q <= 1'b0;
      digest_q <= '0;
    end else begin
      retire_q <= done_last && !done_bad;
      err_q <= err_q || done_bad;
      digest_q <= retire_q ? '0 : digest;
    end
  end
  assign retire_valid_o = retire_q;
  assign retire_digest_o = digest;
  assign err_valid_o = err_q;
  assign err_code_o = err_field_q ? tsr_pkg::ERR_ILLEGAL_FIELD[3:0] : tsr_pkg::ERR_SRAM_RANGE[3:0];
  assign err_num_o = err_num_q;
  assign busy_o = go && work;
  assign hazard_o = !busy_o && (valid0 || valid1_q || live || !empty);
  assign memwait_o = 1'b0;

  logic unused;
  assign unused = ^{retire_ready_i, done, prm_q};
  `TSR_ASSERT(room_to_retire, retire_valid_o |-> retire_ready_i)
endmodule
