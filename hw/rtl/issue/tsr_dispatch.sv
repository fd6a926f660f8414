// SPDX-License-Identifier: Apache-2.0
//
// tsr_dispatch: checks every instruction's opcode and header, and gives it to the queue of its unit.
//
//   Input   the instruction stream, in order
//   Output  one queue at a time: instruction, number, tokens as masks over the units
//   Output  finish_o for one cycle: FINISH is reached and every queue and unit is idle
//   Output  errors of the stream, and deadlock: no gate can go on without a token of another gate, and none will
//           come, since FINISH is reached or the next instruction's queue is full
//   Cost    1 cycle of latency, 1 instruction in 2 cycles; no combinational path runs through its handshakes
//
// Invariant: no queue gets an instruction in error, or one after it. In profile vta the queue of GEMM is
// COMPUTE's: GEMM, ALU, FINISH and loads of UOP, ACC and ACC8, with COMPUTE's tokens.
`default_nettype none
`include "tsr_assert.svh"

module tsr_dispatch (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         vta_i,
  // stream
  input  logic         insn_valid_i,
  output logic         insn_ready_o,
  input  logic [255:0] insn_i,
  input  logic [31:0]  num_i,
  input  logic         last_i,       // the last one of the stream
  input  logic         none_i,       // the stream is empty
  // queues
  output logic [3:0]   q_valid_o,    // one at most
  input  logic [3:0]   q_ready_i,
  input  logic [3:0]   q_room_i,     // 0: the queue is full; at rest a queue with room is ready
  output logic [255:0] q_insn_o,
  output logic         q_check_o,     // it passes tsr_dma_check: LOADs, STOREs and all others in their queues
  output logic [2:0]   q_load_mem_o,  // of a LOAD: the memory that it fills
  output logic [31:0]  q_num_o,
  output logic [3:0]   q_pop_o,
  output logic [3:0]   q_push_o,
  output logic         q_skip_o,
  output logic         q_hush_o,     // not reported in the trace: FINISH
  output logic [1:0]   q_unit_o,
  // end
  input  logic         all_idle_i,   // every queue is empty and every unit idle
  input  logic         all_stuck_i,  // every gate is idle, or waits for a token or for room to push one
  output logic         finish_o,
  output logic         finish_counts_o, // with finish_o: count FINISH, which went to no queue
  output logic         err_valid_o,
  output logic [3:0]   err_code_o,
  output logic [31:0]  err_num_o
);
  localparam bit WideFetch = tsr_pkg::BusBits >= 256;  // a narrower fetch gives 0 above the low 128 bits

  // Header of profile tessera.
  logic t_known, t_finish, t_sync, t_stray, t_self;
  logic [1:0] t_unit;
  logic [3:0] t_pop, t_push;
  // The bits that have a name. yosys makes a ROM of this table and moves the flops in front of its address behind it. A wide
  // fetch chooses an instruction in front of these flops, which takes long enough alone: there the table is gates.
  logic [255:0] named;
  if (WideFetch) begin : g_gates
    logic [3:0] code;
    assign code = tsr_pkg::insn_opcode(insn_i);
    always_comb begin
      named = '0;
      for (int op = 0; op < 16; op++) begin
        named = named | ({256{code == 4'(op)}} & tsr_pkg::insn_named_bits(256'(op)));
      end
    end
  end else begin : g_table
    assign named = tsr_pkg::insn_named_bits(insn_i);
  end
  assign t_known = tsr_pkg::insn_known(insn_i);
  assign t_finish = tsr_pkg::insn_opcode(insn_i) == tsr_pkg::OP_FINISH;
  assign t_sync = tsr_pkg::insn_opcode(insn_i) == tsr_pkg::OP_SYNC;
  assign t_unit = tsr_pkg::insn_unit(insn_i);
  assign t_pop = tsr_pkg::insn_pop(insn_i);
  assign t_push = tsr_pkg::insn_push(insn_i);
  assign t_stray = (insn_i & ~named) != '0;
  assign t_self = t_finish ? ((t_pop | t_push) != '0) : (((t_pop | t_push) & (4'd1 << t_unit)) != '0);

  // Header of profile vta.
  logic [127:0] vta;
  logic [2:0] v_op, v_mem;
  logic v_pop_prev, v_pop_next, v_push_prev, v_push_next, v_known, v_bad, v_empty, v_finish, v_mem_known;
  logic [1:0] v_queue, v_unit;
  logic [3:0] v_pop, v_push;
  assign vta = insn_i[127:0];
  assign v_op = tsr_pkg::vta_insn_opcode(vta);
  assign v_mem = tsr_pkg::vta_load_memory_type(vta);
  assign v_pop_prev = tsr_pkg::vta_insn_pop_prev(vta);
  assign v_pop_next = tsr_pkg::vta_insn_pop_next(vta);
  assign v_push_prev = tsr_pkg::vta_insn_push_prev(vta);
  assign v_push_next = tsr_pkg::vta_insn_push_next(vta);
  // LOAD reports an unknown memory as an error, also when the sizes are zero.
  assign v_mem_known = tsr_pkg::vta_load_legal(vta);
  assign v_empty = ((v_op == tsr_pkg::VTA_OP_LOAD) & v_mem_known & (tsr_pkg::vta_load_x_size(vta) == '0)) |
                   ((v_op == tsr_pkg::VTA_OP_STORE) & (tsr_pkg::vta_store_x_size(vta) == '0));
  assign v_finish = v_op == tsr_pkg::VTA_OP_FINISH;
  always_comb begin
    v_known = tsr_pkg::HasVta;
    v_bad = 1'b0;
    v_queue = tsr_pkg::UNIT_GEMM;
    v_unit = tsr_pkg::UNIT_GEMM;
    unique case (v_op)
      tsr_pkg::VTA_OP_LOAD: begin
        v_unit = tsr_pkg::UNIT_LOAD;
        if (v_mem == tsr_pkg::MEM_INP || v_mem == tsr_pkg::MEM_WGT) begin
          v_queue = tsr_pkg::UNIT_LOAD;
          v_bad = v_pop_prev | v_push_prev;
        end
      end
      tsr_pkg::VTA_OP_STORE: begin
        v_queue = tsr_pkg::UNIT_STORE;
        v_unit = tsr_pkg::UNIT_STORE;
        v_bad = v_pop_next | v_push_next;
      end
      tsr_pkg::VTA_OP_GEMM, tsr_pkg::VTA_OP_FINISH: ;
      tsr_pkg::VTA_OP_ALU: v_unit = tsr_pkg::UNIT_VECTOR;
      default: v_known = 1'b0;
    endcase
    // COMPUTE's neighbours are LOAD and STORE; theirs is COMPUTE.
    unique case (v_queue)
      tsr_pkg::UNIT_LOAD: begin
        v_pop = {2'd0, v_pop_next, 1'b0};
        v_push = {2'd0, v_push_next, 1'b0};
      end
      tsr_pkg::UNIT_STORE: begin
        v_pop = {2'd0, v_pop_prev, 1'b0};
        v_push = {2'd0, v_push_prev, 1'b0};
      end
      default: begin
        v_pop = {v_pop_next, 2'd0, v_pop_prev};
        v_push = {v_push_next, 2'd0, v_push_prev};
      end
    endcase
  end

  // The queue of the instruction.
  logic full_q, check_q, bad_q, wrong_op_q, finish_q, ends_q, waits_q, go;  // bad: the last one that moved is in error
  logic [3:0] queue_q;
  logic [1:0] queue;
  assign queue = vta_i ? v_queue : t_unit;
  logic wrong_op, wrong_field, is_finish;
  assign wrong_op = vta_i ? !v_known : !t_known;
  assign wrong_field = vta_i ? v_bad : t_stray | t_self;
  assign is_finish = vta_i ? v_finish : t_finish;

  logic taken;
  assign taken = (q_valid_o & q_ready_i) != '0;
  assign go = !waits_q & !err_valid_o & !full_q & !bad_q;
  assign insn_ready_o = go;

  // Deadlock: no gate can push a token, and none will. One look is enough, since a token or a retirement shows in
  // the cycle in which its gate shows that it is done.
  logic moves, deadlock;
  assign deadlock = all_stuck_i & !all_idle_i & (finish_q | ((q_valid_o & ~q_room_i) != '0));
  assign moves = insn_valid_i & go;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {full_q, bad_q} <= '0;
      queue_q <= '0;
      finish_q <= 1'b0;
      waits_q <= 1'b0;
      ends_q <= 1'b0;
      err_valid_o <= 1'b0;
    end else begin
      full_q <= full_q ? !taken : moves & !wrong_op & !wrong_field & !(is_finish & !vta_i);
      if (moves) queue_q <= 4'd1 << queue;
      if (moves && is_finish) waits_q <= 1'b1;  // instructions after FINISH are ignored
      if (moves && last_i && !is_finish) ends_q <= 1'b1;
      // One cycle for the queues to show the last instruction that they got. A FINISH in error finishes nothing.
      finish_q <= waits_q & !full_q & !bad_q & !err_valid_o;
      bad_q <= moves & (wrong_op | wrong_field);
      if (!err_valid_o) err_valid_o <= bad_q | (ends_q & !full_q) | none_i | deadlock;
    end
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      check_q <= queue == tsr_pkg::UNIT_LOAD || queue == tsr_pkg::UNIT_STORE || (vta_i && v_unit == tsr_pkg::UNIT_LOAD);
      q_load_mem_o <= vta_i ? v_mem : tsr_pkg::load_memory(insn_i);
      q_insn_o <= (WideFetch && vta_i) ? {128'd0, vta} : insn_i;
      q_num_o <= num_i;
      q_pop_o <= vta_i ? v_pop : t_pop;
      q_push_o <= vta_i ? v_push : t_push;
      q_skip_o <= vta_i ? v_empty | v_finish : t_sync;
      q_hush_o <= vta_i & v_finish;
      q_unit_o <= vta_i ? v_unit : t_unit;
    end
  end
  always_ff @(posedge clk_i) begin
    wrong_op_q <= wrong_op;
    if (!err_valid_o) begin
      err_num_o <= none_i ? 32'd0 : q_num_o;
      if (bad_q && wrong_op_q) err_code_o <= tsr_pkg::ERR_ILLEGAL_OPCODE[3:0];
      else if (bad_q) err_code_o <= tsr_pkg::ERR_ILLEGAL_FIELD[3:0];
      else if (deadlock) err_code_o <= tsr_pkg::ERR_DEADLOCK[3:0];
      else err_code_o <= tsr_pkg::ERR_NO_FINISH[3:0];
    end
  end

  assign q_valid_o = full_q ? queue_q : 4'd0;
  assign q_check_o = full_q & check_q;
  assign finish_o = finish_q & all_idle_i;
  assign finish_counts_o = !vta_i;

  `TSR_ASSERT_STREAM(insn, insn_valid_i, insn_ready_o, {insn_i, num_i})
  `TSR_ASSERT_STREAM(q, q_valid_o != 4'd0, (q_valid_o & q_ready_i) != 4'd0, {q_insn_o, q_num_o, q_valid_o})
endmodule
`default_nettype wire
