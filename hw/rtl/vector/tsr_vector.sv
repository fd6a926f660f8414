// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector: the VECTOR unit. Requantise, residual add, pooling and element-wise operations.
//
//   Input   commands (hw/rtl/README.md): Requant, Add and Alu, or profile vta's ALU
//   Output  retirement in order; the first error, after the retirement of all before it
//   Memory  reads ACC, OUT, INP, PRM, TAB and, in profile vta, UOP; writes ACC, OUT and INP. The unit waits when
//           ACC or INP does not serve a read, or ACC a write
//   Cost    N steps retire N + 22 cycles after the command was taken when nothing waits; a command every
//           third cycle, else no gap. An Alu whose two operands are both read from ACC takes two cycles a step.
//           With half the lanes (tsr_vector_pass) every step takes twice its cycles
//
// Slot 0: loops, micro-op address. 1: micro-op, tile indices. 2: ranges, hazards. 3: reads. 4: their data; the lanes' stage 0.
// 5 to 17: the lanes' stages 1 to 13. 18: results in order, looked up in TAB. 19: writes. A step that reads a tile which a result in flight will
// write waits in slot 3. After slot 3 nothing waits: a step is issued only when there is a place for its result.
`default_nettype none
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
  output logic [8*tsr_pkg::Lanes-1:0]        tab_index_o,
  input  logic [8*tsr_pkg::Lanes-1:0]        tab_byte_i,
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
  localparam int LaneCount = Lanes / tsr_pkg::VectorPasses;
  localparam int AccBits = tsr_pkg::AccIdxBits;
  localparam int ByteBits = tsr_pkg::OutIdxBits > tsr_pkg::InpIdxBits ? tsr_pkg::OutIdxBits : tsr_pkg::InpIdxBits;
  localparam int TileBits = AccBits > ByteBits ? AccBits : ByteBits;
  `include "tsr_index.svh"

  // ---- The command, held in flops: no path runs through cmd_ready_o. taken, a cycle late: the loops took it.
  logic stop_q, cmd_held_q, unheld_q, stands_q, known_q, free, taken, taken_next, takes_q, advance, advance_q;
  logic [255:0] held_insn_q;
  logic [31:0] held_num_q;
  logic [15:0] held_uops_q;      // profile vta's micro-ops
  logic held_alu_q, held_add_q;  // profile tessera's Alu; its Add
  assign taken = takes_q && advance_q;
  assign free = !cmd_held_q || taken;
  assign cmd_ready_o = unheld_q || (takes_q && !stands_q);  // from flops of its own: |free| enables all that is held
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {cmd_held_q, known_q, takes_q, advance_q} <= '0;
      {unheld_q, stands_q} <= '1;
    end else begin
      {cmd_held_q, unheld_q} <= {!free || cmd_valid_i, free && !cmd_valid_i};
      known_q <= !free;  // the loops have seen it for a cycle
      takes_q <= taken_next;
      {advance_q, stands_q} <= {advance, !advance};
    end
    if (free) begin
      {held_insn_q, held_num_q} <= {cmd_insn_i, cmd_num_i};
      held_alu_q <= !vta_i && tsr_pkg::insn_opcode(cmd_insn_i) == tsr_pkg::OP_ALU;
      held_add_q <= !vta_i && tsr_pkg::insn_opcode(cmd_insn_i) == tsr_pkg::OP_ADD;
      held_uops_q <= uops_between(16'(tsr_pkg::vta_alu_uop_bgn(cmd_insn_i[127:0])),
                                 16'(tsr_pkg::vta_alu_uop_end(cmd_insn_i[127:0])));
    end
  end

  // ---- Slot 0.
  logic valid0, work0, illegal0, last0;
  tsr_vector_pkg::step_t step0;
  tsr_vector_pkg::consts_t consts, consts2, consts3_q;
  logic [tsr_vector_pkg::TagBits-1:0] tag;
  uop_t uop0;
  index_t src0, acc0, dst0, prm0;
  tsr_vector_loop u_loop (
    .clk_i, .rst_ni, .vta_i,
    .cmd_valid_i(known_q && !taken && !stop_q), .taken_next_o(taken_next), .insn_i(held_insn_q), .num_i(held_num_q),
    .of_alu_i(held_alu_q), .add_i(held_add_q), .uops_i(held_uops_q), .advance_i(advance),
    .consts_o(consts), .tag_o(tag),
    .valid_o(valid0), .work_o(work0), .illegal_o(illegal0), .last_o(last0), .step_o(step0), .uop_o(uop0),
    .src_o(src0), .acc_o(acc0), .dst_o(dst0), .prm_o(prm0)
  );
  // Slot 0's micro-op is read in every cycle until slot 1 takes it: advance comes too late for the RAM.
  assign uop_rd_en_o = vta_i && valid0 && work0;
  assign uop_rd_addr_o = tsr_pkg::UopIdxBits'(uop0 >> 1);

  tsr_vector_pkg::step_t step1_q, step2_q, step3_q;
  // The constants of a command, which its steps need in slot 3, do not travel through the slots.
  tsr_lutram #(
    .Depth(tsr_vector_pkg::Tags), .Width(tsr_vector_pkg::ConstBits), .AddrBits(tsr_vector_pkg::TagBits)
  ) u_consts (
    .clk_i, .we_i(advance), .waddr_i(tag), .wdata_i(consts), .raddr_i(step2_q.tag), .rdata_o(consts2)
  );

  // ---- Slots 1 to 3 advance together; slot 3 decides.
  logic valid1_q, work1_q, illegal1_q, last1_q, uop_odd1_q, uop_bad1_q;
  logic valid2_q, work2_q, illegal2_q, last2_q, uop_bad2_q, use_acc2_q, src_acc2_q;  // use_acc: it reads its ACC tile
  logic valid3_q, work3_q, illegal3_q, last3_q, bad3_q;
  index_t src1_q, acc1_q, dst1_q, prm1_q, src2_q, acc2_q, dst2_q, prm2_q, uop_src, uop_dst;
  logic [31:0] uop, uop_q;
  // In its first cycle slot 1's micro-op is at the RAM, later in uop_q.
  assign uop = !advance_q ? uop_q : uop_odd1_q ? uop_rd_data_i[63:32] : uop_rd_data_i[31:0];
  always_ff @(posedge clk_i) uop_q <= uop;
  assign uop_src = vta_i ? index_of(20'(tsr_pkg::vta_uop_src_idx(uop))) : '0;
  assign uop_dst = vta_i ? index_of(20'(tsr_pkg::vta_uop_dst_idx(uop))) : '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {valid1_q, valid2_q} <= '0;
    else if (advance) {valid1_q, valid2_q} <= {valid0, valid1_q};
  end
  always_ff @(posedge clk_i) begin
    if (advance && (tsr_sim_pkg::Always || valid0)) begin
      {work1_q, illegal1_q, last1_q, step1_q} <= {work0, illegal0, last0, step0};
      {src1_q, acc1_q, dst1_q, prm1_q} <= {src0, acc0, dst0, prm0};
      uop_odd1_q <= uop0[0];
      uop_bad1_q <= vta_i && uop0 >= uop_t'(tsr_pkg::VtaUopDepth);
    end
    if (advance && (tsr_sim_pkg::Always || valid1_q)) begin
      {work2_q, illegal2_q, last2_q, step2_q} <= {work1_q, illegal1_q, last1_q, step1_q};
      src2_q <= index_sum(src1_q, uop_src);
      acc2_q <= index_sum(acc1_q, uop_dst);
      dst2_q <= index_sum(dst1_q, uop_dst);
      prm2_q <= prm1_q;
      uop_bad2_q <= uop_bad1_q;
      src_acc2_q <= step1_q.src_mem == tsr_pkg::VMEM_ACC;
      use_acc2_q <= step1_q.kind == tsr_vector_pkg::KIND_ADD ||
                    (step1_q.kind == tsr_vector_pkg::KIND_ALU && step1_q.first && step1_q.op != tsr_pkg::ALU_MOV);
    end
  end

  // Slot 2: the memories that the step needs, and its range checks.
  logic alu2, own2, range_bad2, bad2, alias2;
  assign alu2 = step2_q.kind == tsr_vector_pkg::KIND_ALU;
  assign own2 = step2_q.kind == tsr_vector_pkg::KIND_REQUANT && !step2_q.per_tensor;  // the channel's parameters
  assign range_bad2 = uop_bad2_q || tsr_vector_pkg::out_of_range(step2_q.src_mem, src2_q) ||
                      tsr_vector_pkg::out_of_range(step2_q.dst_mem, dst2_q) ||
                      (own2 && prm2_q >= index_t'(tsr_pkg::PrmDepth)) ||
                      (step2_q.kind == tsr_vector_pkg::KIND_ADD && acc2_q >= index_t'(tsr_pkg::AccDepth));
  assign bad2 = illegal2_q || (work2_q && range_bad2);
  assign alias2 = alu2 && step2_q.src_mem == tsr_pkg::VMEM_ACC && !step2_q.first && src2_q == dst2_q;

  // Slot 3. Two operands from ACC are read in two phases of a pass, the first operand first.
  logic own3_q, use_acc3_q, src_acc3_q, src_out3_q, src_inp3_q, clear3_q;
  logic [TileBits-1:0] src3_q, dst3_q;
  logic [AccBits-1:0] acc_at_q, clear_tile3_q;  // acc_at: the ACC tile that this phase reads
  logic [tsr_pkg::PrmIdxBits-1:0] prm3_q;
  index_t clear_tile2;
  assign clear_tile2 = (step2_q.kind == tsr_vector_pkg::KIND_ADD) ? acc2_q : src2_q;
  always_ff @(posedge clk_i) begin
    if (advance && (tsr_sim_pkg::Always || valid2_q)) begin
      {work3_q, illegal3_q, last3_q} <= {work2_q && !bad2, illegal2_q, last2_q};
      bad3_q <= bad2;
      step3_q <= step2_q;
      step3_q.alias_acc <= alias2;
      step3_q.emit <= bad2 || step2_q.emit;
      // Gates zero the constants that a kind does not use, so that no flop's reset is a late path.
      consts3_q <= consts2;
      consts3_q.imm <= consts2.imm & {32{step2_q.src_mem == tsr_pkg::VMEM_IMM}};
      consts3_q.multiplier <= (consts2.multiplier & {31{!own2 && !alu2}}) | {30'd0, alu2};
      consts3_q.shift <= consts2.shift & {6{!own2 && !alu2}};
      consts3_q.src_shift <= consts2.src_shift & {5{!alu2}};
      consts3_q.out_zero <= consts2.out_zero & {8{step2_q.dst_mem != tsr_pkg::VMEM_ACC}};
      own3_q <= own2;
      use_acc3_q <= use_acc2_q;
      src_acc3_q <= src_acc2_q;
      src_out3_q <= step2_q.src_mem == tsr_pkg::VMEM_OUT;
      src_inp3_q <= step2_q.src_mem == tsr_pkg::VMEM_INP;
      {src3_q, dst3_q} <= {src2_q[TileBits-1:0], dst2_q[TileBits-1:0]};
      prm3_q <= prm2_q[tsr_pkg::PrmIdxBits-1:0];
      clear_tile3_q <= clear_tile2[AccBits-1:0];
      clear3_q <= work2_q && !bad2 && step2_q.clear && !(step2_q.dst_mem == tsr_pkg::VMEM_ACC && dst2_q == clear_tile2);
    end
  end
  // A step goes when its reads miss no result in flight, there is a place for its own, and the memories that it needs
  // serve it. The memories' answers are late, so all else is in flops.
  logic live, work, two, two_read, more_q, ok, served, go, fire, next3, more2, need_acc2, need_inp2, need_out2;
  logic need_acc3_q, need_inp3_q, need_out3_q, idle3_q, final3_q, stays, again, last_pass, leave;
  assign next3 = valid2_q && !stop_q && !(valid3_q && bad3_q);  // behind the first bad step nothing comes
  // The needs do not depend on bad2, which is late.
  assign need_acc2 = next3 && work2_q && (use_acc2_q || src_acc2_q);
  assign need_inp2 = next3 && work2_q && step2_q.src_mem == tsr_pkg::VMEM_INP;
  assign need_out2 = next3 && work2_q && step2_q.src_mem == tsr_pkg::VMEM_OUT;
  assign more2 = need_acc2 && use_acc2_q && src_acc2_q;
  assign live = valid3_q;
  assign work = live && work3_q;
  assign two = use_acc3_q && src_acc3_q;
  assign two_read = two && need_acc3_q;
  assign acc_rd_valid_o = need_acc3_q && ok;
  assign acc_rd_addr_o = acc_at_q;
  assign inp_rd_valid_o = need_inp3_q && ok;
  assign inp_rd_addr_o = src3_q[tsr_pkg::InpIdxBits-1:0];
  assign out_rd_en_o = need_out3_q && ok;
  assign out_rd_addr_o = src3_q[tsr_pkg::OutIdxBits-1:0];
  assign served = (!need_acc3_q || acc_rd_ready_i) && (!need_inp3_q || inp_rd_ready_i);
  // Each from flops of its own: idle, no step; final, a step in the last phase of a pass.
  assign advance = (idle3_q || ok) && served && !stays;  // without a step nothing is needed
  assign go = live && ok && served;  // this phase is done
  assign fire = final3_q && ok && served;
  assign leave = fire && last_pass;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid3_q, more_q, final3_q, need_acc3_q, need_inp3_q, need_out3_q} <= '0;
      idle3_q <= 1'b1;
    end else if (advance) begin
      {valid3_q, idle3_q} <= {next3, !next3};
      more_q <= more2;
      final3_q <= next3 && !more2;
      {need_acc3_q, need_inp3_q, need_out3_q} <= {need_acc2, need_inp2, need_out2};
    end else if (go) {more_q, final3_q} <= {again && two_read, !(again && two_read)};
    if (!live || go)
      acc_at_q <= more_q ? src3_q[AccBits-1:0] : again ? (two ? dst3_q[AccBits-1:0] : acc_at_q) :
                  use_acc2_q ? acc2_q[AccBits-1:0] : src2_q[AccBits-1:0];
  end
  assign prm_rd_en_o = work && own3_q;  // also while it waits
  assign prm_rd_addr_o = prm3_q;

  logic err_field_q;
  logic [31:0] err_num_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stop_q <= 1'b0;
    else if (leave && bad3_q) stop_q <= 1'b1;
    if (leave && bad3_q) {err_num_q, err_field_q} <= {consts3_q.num, illegal3_q};
  end

  // ---- The lanes. sN_q is the step in their stage N; stage 0 has the data that was read.
  logic held0_q, held1_q, own0_q, high0_q, inp0_q, acc0_q, add_acc0_q, add_acc1_q, alu_s2, last_result;
  logic [13:0] valid_q;
  logic [12:0] busy;
  tsr_vector_pkg::lane_t s0_q, s1_q, s2_q, s3_q, s4_q, s5_q, s6_q, s7_q, s8_q, s9_q, s10_q, s11_q, s12_q;
  logic emit13_q, clamp13_q;  // of stage 13: flops with the logic before them, not a shift register: 16 lanes wait for them
  logic [7:0] lo13_q, hi13_q;
  tsr_vector_pkg::do_t do3_q;
  assign alu_s2 = s2_q.step.kind == tsr_vector_pkg::KIND_ALU;
  logic [15:0] power0_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {held0_q, held1_q, valid_q} <= '0;
    end else begin
      held0_q <= go && more_q;
      held1_q <= held0_q;
      valid_q <= {valid_q[12:0], fire};
    end
  end
  // The running value of a reduction (stage 3) must not change between steps; other stages may take anything.
  assign busy = {13{tsr_sim_pkg::Always}} & ~13'h8 | valid_q[12:0];
  always_ff @(posedge clk_i) begin
    if (tsr_sim_pkg::Always || fire) begin
      s0_q <= {step3_q, consts3_q};
      s0_q.step.two <= two;
      own0_q <= own3_q;
      inp0_q <= src_inp3_q;
      add_acc0_q <= src_acc3_q && step3_q.kind != tsr_vector_pkg::KIND_REQUANT;
      high0_q <= consts3_q.src_shift[4];
      power0_q <= (src_out3_q || src_inp3_q) ? 16'd1 << consts3_q.src_shift[3:0] : '0;
    end
    if (busy[0]) {s1_q, add_acc1_q} <= {s0_q, add_acc0_q};
    if (busy[1]) s2_q <= s1_q;
    if (busy[2]) begin
      s3_q <= s2_q;
      do3_q.first <= !alu_s2 || s2_q.step.first;
      do3_q.alias_acc <= alu_s2 && s2_q.step.alias_acc;
      do3_q.alu <= alu_s2;
      do3_q.add <= !alu_s2 || s2_q.step.op == tsr_pkg::ALU_ADD;
      do3_q.compare <= alu_s2 && (s2_q.step.op == tsr_pkg::ALU_MIN || s2_q.step.op == tsr_pkg::ALU_MAX);
      do3_q.max <= s2_q.step.op == tsr_pkg::ALU_MAX;
      do3_q.shr <= alu_s2 && s2_q.step.op == tsr_pkg::ALU_SHR;
      do3_q.mul <= alu_s2 && s2_q.step.op == tsr_pkg::ALU_MUL;
      do3_q.multiplier <= s2_q.consts.multiplier;
    end
    if (tsr_sim_pkg::Always || valid_q[3]) s4_q <= s3_q;
    if (busy[4]) s5_q <= s4_q;
    if (busy[5]) s6_q <= s5_q;
    if (busy[6]) s7_q <= s6_q;
    if (busy[7]) s8_q <= s7_q;
    if (busy[8]) s9_q <= s8_q;
    if (busy[9]) s10_q <= s9_q;
    if (busy[10]) s11_q <= s10_q;
    if (busy[11]) s12_q <= s11_q;
    if (busy[12]) begin
      {emit13_q, clamp13_q} <= {s12_q.step.emit, s12_q.step.dst_mem != tsr_pkg::VMEM_ACC};
      {lo13_q, hi13_q} <= {s12_q.consts.lo, s12_q.consts.hi} & {16{s12_q.step.dst_mem != tsr_pkg::VMEM_ACC}};
    end
  end

  logic [8*LaneCount-1:0] out_part, inp_part;
  logic [32*LaneCount-1:0] acc_part, acc_q, result;
  logic [32*Lanes-1:0] whole;
  logic [8*tsr_pkg::PrmBytes-1:0] prm_part, prm_q;
  tsr_vector_pass u_pass (
    .clk_i, .rst_ni,
    .advance_i(advance), .next_i(next3), .go_i(go), .more_i(more_q), .two_i(two_read),
    .stays_o(stays), .again_o(again), .last_o(last_pass),
    .out_i(out_rd_data_i), .inp_i(inp_rd_data_i), .acc_i(acc_rd_data_i), .prm_i(prm_rd_data_i),
    .out_o(out_part), .inp_o(inp_part), .acc_o(acc_part), .prm_o(prm_part),
    .result_valid_i(valid_q[13]), .result_i(result), .last_result_o(last_result), .whole_o(whole)
  );
  always_ff @(posedge clk_i) begin
    if (tsr_sim_pkg::Always || go) acc0_q <= need_acc3_q;
    if (tsr_sim_pkg::Always || valid_q[0] || held0_q) acc_q <= acc0_q ? acc_part : '0;
    if (busy[0]) prm_q <= own0_q ? prm_part : '0;
  end
  for (genvar l = 0; l < LaneCount; l++) begin : g_lane
    localparam int Channel = l % tsr_pkg::BlockOut;
    tsr_vector_lane u_lane (
      .clk_i, .en_i(busy),
      .step1_i(s1_q), .do3_i(do3_q), .step5_i(s5_q), .step11_i(s11_q), .step12_i(s12_q),
      .clamp13_i(clamp13_q), .lo13_i(lo13_q), .hi13_i(hi13_q),
      .from_inp_i(inp0_q), .out_i(out_part[8*l+:8]), .inp_i(inp_part[8*l+:8]), .zero_i(s0_q.consts.src_zero),
      .high_i(high0_q), .power_i(power0_q),
      .first_i(held1_q), .add_acc_i(add_acc1_q), .acc_i(acc_q[32*l+:32]),
      .bias_i(prm_q[8*(tsr_pkg::PrmBiasOffset+tsr_pkg::PrmBiasBytes*Channel)+:tsr_pkg::PrmBiasBits]),
      .multiplier_i(prm_q[8*(tsr_pkg::PrmMultiplierOffset+tsr_pkg::PrmMultiplierBytes*Channel)
                          +:tsr_pkg::PrmMultiplierBits]),
      .shift_i(prm_q[8*(tsr_pkg::PrmShiftOffset+tsr_pkg::PrmShiftBytes*Channel)+:tsr_pkg::PrmShiftBits]),
      .result_o(result[32*l+:32])
    );
  end

  // ---- Slots 18 and 19.
  logic done_last, done_bad, empty;
  tsr_vector_flight #(.TileBits(TileBits)) u_flight (
    .clk_i, .rst_ni,
    .push_i(leave && step3_q.emit), .push_work_i(work3_q), .push_last_i(last3_q), .push_bad_i(bad3_q),
    .push_table_i(consts3_q.table_on), .push_mem_i(step3_q.dst_mem), .push_tile_i(dst3_q), .push_clear_i(clear3_q), .push_clear_tile_i(clear_tile3_q),
    .ask_i(advance),
    .src_acc_i(src_acc2_q), .src_mem_i(step2_q.src_mem), .src_tile_i(src2_q[TileBits-1:0]),
    .acc_read_i(use_acc2_q), .acc_tile_i(acc2_q[AccBits-1:0]), .ok_o(ok),
    .result_valid_i(valid_q[13] && emit13_q && last_result), .result_data_i(whole), .tab_index_o, .tab_byte_i,
    .acc_wr_valid_o, .acc_wr_ready_i, .acc_wr_addr_o, .acc_wr_data_o,
    .out_wr_en_o, .out_wr_addr_o, .out_wr_data_o, .inp_wr_en_o, .inp_wr_addr_o, .inp_wr_data_o,
    .done_last_o(done_last), .done_bad_o(done_bad), .empty_o(empty)
  );

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
  assign hazard_o = !busy_o && (cmd_held_q || valid0 || valid1_q || valid2_q || live || !empty);
  assign memwait_o = 1'b0;

  logic unused;
  assign unused = ^{retire_ready_i, prm_q, clear_tile2};
  `TSR_ASSERT(own_flops, unheld_q == !cmd_held_q && stands_q == !advance_q && idle3_q == !valid3_q && final3_q == (valid3_q && !more_q))
  `TSR_ASSERT_IF(room_to_retire, retire_valid_o, retire_ready_i)
endmodule
`default_nettype wire
