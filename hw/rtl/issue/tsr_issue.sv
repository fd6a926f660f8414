// SPDX-License-Identifier: Apache-2.0
//
// tsr_issue: from the instruction stream to commands: fetch, dispatch, the check of LOADs and STOREs, the four
// gates, the tokens.
//
//   Input   address and length of the stream; beats of fetch's reads
//   Output  fetch's read requests
//   Output  commands to the four units; their retirements come back
//   Output  finish_o for one cycle when FINISH is reached and all is done; errors, those of units when they count
//
// Invariant: units see their instructions in stream order, each after the tokens it pops.
`default_nettype none
`include "tsr_assert.svh"

module tsr_issue #(
  parameter int MaxBurst = 16
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        vta_next_i,  // the profile, right already in the last cycle of reset
  input  tsr_dma_pkg::seg_write_t     seg_write_i,
  input  logic [39:0]                 insn_addr_i,
  input  logic [31:0]                 insn_count_i,
  // fetch's reads
  output logic                        ar_valid_o,
  input  logic                        ar_ready_i,
  output logic [39:0]                 ar_addr_o,
  output logic [7:0]                  ar_len_o,
  input  logic                        r_valid_i,
  output logic                        r_ready_o,
  input  logic [tsr_pkg::BusBits-1:0] r_data_i,
  input  logic                        r_err_i,
  // units, by enum Unit
  output logic [3:0]                  cmd_valid_o,
  input  logic [3:0]                  cmd_ready_i,
  output tsr_dma_pkg::commands_t      cmd_o,
  output logic [4*32-1:0]             cmd_num_o,
  input  logic [3:0]                  retire_i,
  input  logic [4*64-1:0]             digest_i,
  input  logic [3:0]                  unit_err_valid_i,
  input  logic [4*32-1:0]             unit_err_num_i,
  // end and errors: of the units, of dispatch, of fetch's reads
  output logic                        finish_o,
  output logic                        finish_counts_o,
  output logic                        tokens_left_o,
  output logic [5:0]                  err_valid_o,
  output logic                        err_compute_o,    // LOAD's error belongs to an instruction of COMPUTE
  output logic [2*4-1:0]              err_code_o,       // of the last two
  output logic [2*32-1:0]             err_num_o,
  // what the gates take and retire, and their state, by enum Unit
  output logic [35:0]                 moves_o,          // {taken, tokens pushed, tokens popped}, as tsr_tokens has them
  output logic [4*32-1:0]             taken_num_o,
  output logic [3:0]                  retired_o,
  output logic [3:0]                  traced_o,
  output logic [4*32-1:0]             retired_num_o,
  output logic [4*64-1:0]             retired_digest_o,
  output logic [3:0]                  idle_o,
  output logic [3:0]                  token_wait_o,
  output logic [15:0]                 missing_o,
  output logic [15:0]                 stalled_o,
  output logic [4*32-1:0]             num_o
);
  localparam int Load = 32'(tsr_pkg::UNIT_LOAD);
  localparam int Gemm = 32'(tsr_pkg::UNIT_GEMM);
  localparam int Vector = 32'(tsr_pkg::UNIT_VECTOR);
  localparam int Store = 32'(tsr_pkg::UNIT_STORE);
  localparam int InFlight = 16;                               // instructions of a unit, a power of two
  localparam int CommandBits = tsr_dma_pkg::CommandBits;
  localparam int CheckedBits = tsr_dma_pkg::FixedBits + tsr_pkg::BoxBits;  // of a checked command
  localparam int EitherBits = CheckedBits > 256 ? CheckedBits : 256;

  // A copy of tsr_control's vta_o, whose many readers make it a long wire. Inverted, since tools merge equal flops.
  logic vta, tessera_q;
  always_ff @(posedge clk_i) tessera_q <= !vta_next_i;
  assign vta = !tessera_q;

  logic insn_valid, insn_ready, insn_last, insn_none;
  logic [255:0] insn;
  logic [31:0] insn_num;
  assign err_code_o[4+:4] = tsr_pkg::ERR_BUS[3:0];
  tsr_fetch #(
    .MaxBurst(MaxBurst),
    .Beats(64)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .vta_i(vta),
    .vta_next_i,
    .addr_i(insn_addr_i),
    .count_i(insn_count_i),
    .ar_valid_o,
    .ar_ready_i,
    .ar_addr_o,
    .ar_len_o,
    .r_valid_i,
    .r_ready_o,
    .r_data_i,
    .r_err_i,
    .insn_valid_o(insn_valid),
    .insn_ready_i(insn_ready),
    .insn_o(insn),
    .num_o(insn_num),
    .last_o(insn_last),
    .none_o(insn_none),
    .err_valid_o(err_valid_o[5]),
    .err_num_o(err_num_o[32+:32])
  );
  logic [3:0] q_valid, q_taken, q_pop, q_push, room, stuck;
  logic [255:0] q_insn;
  logic [2:0] q_load_mem;
  logic [31:0] q_num;
  logic q_skip, q_hush;
  logic [1:0] q_unit;
  logic check;
  tsr_dispatch u_dispatch (
    .clk_i,
    .rst_ni,
    .vta_i(vta),
    .insn_valid_i(insn_valid),
    .insn_ready_o(insn_ready),
    .insn_i(insn),
    .num_i(insn_num),
    .last_i(insn_last),
    .none_i(insn_none),
    .q_valid_o(q_valid),
    .q_ready_i(q_taken),
    .q_room_i(room),
    .q_insn_o(q_insn),
    .q_check_o(check),
    .q_load_mem_o(q_load_mem),
    .q_num_o(q_num),
    .q_pop_o(q_pop),
    .q_push_o(q_push),
    .q_skip_o(q_skip),
    .q_hush_o(q_hush),
    .q_unit_o(q_unit),
    .all_idle_i(&idle_o),
    .all_stuck_i(&stuck),
    .finish_o,
    .finish_counts_o,
    .err_valid_o(err_valid_o[4]),
    .err_code_o(err_code_o[3:0]),
    .err_num_o(err_num_o[31:0])
  );

  // tsr_dma_check takes LOADs and STOREs on their way, and the other instructions of their queues, to keep the order. The
  // rest goes past it. In profile vta COMPUTE's queue has loads too, so the rest waits while the check has an instruction.
  // Either way the gate is told at once (give): its limit counts instructions under way, and it always takes them.
  logic blocked_q, check_ready, checked_valid;
  logic [3:0] check_queue, checked_queue, checked_pop, checked_push, direct, give, near;
  logic checked_skip, checked_hush;
  logic [1:0] checked_unit;
  logic [31:0] checked_num;
  logic [CommandBits-1:0] checked;
  assign q_taken = (check ? check_ready : !blocked_q) ? room : 4'd0;
  assign give = q_valid & q_taken;
  assign direct = check ? 4'd0 : give;
  logic asks;
  assign asks = ((q_valid & room) != '0) & check;
  logic vta_check_q;  // a copy for the check: the profile has many readers, and the first instruction comes many cycles later
  always_ff @(posedge clk_i) vta_check_q <= vta;
  tsr_dma_check #(
    .UserBits(48)
  ) u_check (
    .clk_i,
    .rst_ni,
    .vta_i(vta_check_q),
    .seg_write_i,
    .valid_i(asks),
    .ready_o(check_ready),
    .store_i(q_valid[Store]),
    .insn_i(q_insn),
    .load_mem_i(q_load_mem),
    .user_i({q_num, q_pop, q_push, q_skip, q_hush, q_unit, q_valid}),
    .valid_o(checked_valid),
    .ready_i(1'b1),
    .cmd_o(checked),
    .user_o({checked_num, checked_pop, checked_push, checked_skip, checked_hush, checked_unit, check_queue})
  );
  assign checked_queue = checked_valid ? check_queue : 4'd0;

  // The check has one instruction at a time.
  logic checking_q, checking;
  assign checking = (asks & check_ready) | (checking_q & !checked_valid);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {checking_q, blocked_q} <= '0;
    else {checking_q, blocked_q} <= {checking, checking & vta};
  end

  // Gates. Partner v of unit u: pops come from pair v*4 + u, pushes go to pair u*4 + v
  logic [3:0] g_cmd_valid, g_cmd_ready, g_retire;
  logic [4*CommandBits-1:0] g_cmd;
  logic [127:0] g_cmd_num;
  logic [7:0] g_cmd_unit;
  logic [255:0] g_digest;
  logic [15:0] token_push, token_pop, token_some, token_full;
  logic [3:0] flying, taken;
  assign tokens_left_o = token_some != '0;
  assign {moves_o, taken_num_o} = {taken, token_push, token_pop, g_cmd_num};
  for (genvar u = 0; u < 4; u++) begin : g_gate
    logic [3:0] some, pop, full, push;
    // Only COMPUTE's queue has both kinds.
    localparam bit Checked = u != Vector && (u != Gemm || tsr_pkg::HasVta);
    localparam bit Direct = u == Gemm || u == Vector;
    // STORE's boxes lack the fields of LOAD only.
    localparam int Width = Direct ? (Checked ? EitherBits : 256)
                                  : CheckedBits - (u == Store ? tsr_dma_pkg::LoadOnlyBits : 0);
    logic from_check;
    logic [Width-1:0] in_cmd, out_cmd;
    assign from_check = Checked && (!Direct || checked_queue[u]);
    assign in_cmd = from_check ? Width'(checked) : Width'(q_insn);
    assign g_cmd[CommandBits*u+:CommandBits] = CommandBits'(out_cmd);
    for (genvar v = 0; v < 4; v++) begin : g_partner
      assign some[v] = token_some[4*v+u];
      assign token_pop[4*v+u] = pop[v];
      assign full[v] = token_full[4*u+v];
      assign token_push[4*u+v] = push[v];
    end
    tsr_gate #(
      .Width(Width),
      .QueueDepth(tsr_pkg::QueueDepth),
      .VtaDepth(Checked && tsr_pkg::HasVta ? tsr_pkg::VtaQueueDepth : tsr_pkg::QueueDepth),
      .InFlight(InFlight)
    ) u_gate (
      .clk_i,
      .rst_ni,
      .vta_i(vta),
      .serial_i(vta & (u == Gemm)),
      .give_i(give[u]),
      .room_o(room[u]),
      .in_valid_i((Direct && direct[u]) | (Checked && checked_queue[u])),
      .in_cmd_i(in_cmd),
      .in_num_i(from_check ? checked_num : q_num),
      .in_pop_i(from_check ? checked_pop : q_pop),
      .in_push_i(from_check ? checked_push : q_push),
      .in_skip_i(from_check ? checked_skip : q_skip),
      .in_hush_i(from_check ? checked_hush : q_hush),
      .in_unit_i(from_check ? checked_unit : q_unit),
      .cmd_valid_o(g_cmd_valid[u]),
      .cmd_ready_i(g_cmd_ready[u]),
      .cmd_o(out_cmd),
      .cmd_num_o(g_cmd_num[32*u+:32]),
      .cmd_unit_o(g_cmd_unit[2*u+:2]),
      .retire_valid_i(g_retire[u]),
      .retire_digest_i(g_digest[64*u+:64]),
      .some_i(some),
      .pop_o(pop),
      .full_i(full),
      .near_i(near[u]),
      .push_o(push),
      .taken_o(taken[u]),
      .retired_o(retired_o[u]),
      .traced_o(traced_o[u]),
      .retired_num_o(retired_num_o[32*u+:32]),
      .retired_digest_o(retired_digest_o[64*u+:64]),
      .idle_o(idle_o[u]),
      .stuck_o(stuck[u]),
      .flying_o(flying[u]),
      .token_wait_o(token_wait_o[u]),
      .missing_o(missing_o[4*u+:4]),
      .stalled_o(stalled_o[4*u+:4]),
      .num_o(num_o[32*u+:32])
    );
  end
  tsr_tokens #(
    .Depth(tsr_pkg::TokenDepth),
    .Bits(tsr_pkg::TokenBits),
    .HasVta(tsr_pkg::HasVta),
    .VtaDepth(tsr_pkg::VtaTokenDepth),
    .VtaBits(tsr_pkg::VtaTokenBits),
    .Margin(InFlight)
  ) u_tokens (
    .clk_i,
    .rst_ni,
    .vta_i(vta),
    .push_i(token_push),
    .pop_i(token_pop),
    .some_o(token_some),
    .full_o(token_full),
    .near_o(near)
  );

  tsr_errors u_errors (
    .clk_i,
    .rst_ni,
    .vta_i(vta),
    .err_valid_i(unit_err_valid_i),
    .err_num_i(unit_err_num_i),
    .flying_i(flying),
    .old_num_i(retired_num_o),
    .err_valid_o(err_valid_o[3:0]),
    .compute_o(err_compute_o)
  );

  // Commands to units.
  tsr_route u_route (
    .clk_i,
    .rst_ni,
    .a_valid_i(g_cmd_valid[Load]),
    .a_ready_o(g_cmd_ready[Load]),
    .a_cmd_i(g_cmd[CommandBits*Load+:CommandBits]),
    .a_num_i(g_cmd_num[32*Load+:32]),
    .a_retire_o(g_retire[Load]),
    .a_digest_o(g_digest[64*Load+:64]),
    .b_valid_i(g_cmd_valid[Gemm]),
    .b_ready_o(g_cmd_ready[Gemm]),
    .b_cmd_i(g_cmd[CommandBits*Gemm+:CommandBits]),
    .b_num_i(g_cmd_num[32*Gemm+:32]),
    .b_unit_i(g_cmd_unit[2*Gemm+:2]),
    .b_retire_o(g_retire[Gemm]),
    .b_digest_o(g_digest[64*Gemm+:64]),
    .c_valid_i(g_cmd_valid[Vector]),
    .c_ready_o(g_cmd_ready[Vector]),
    .c_cmd_i(g_cmd[CommandBits*Vector+:256]),
    .c_num_i(g_cmd_num[32*Vector+:32]),
    .c_retire_o(g_retire[Vector]),
    .c_digest_o(g_digest[64*Vector+:64]),
    .vta_i(vta),
    .load_valid_o(cmd_valid_o[Load]),
    .load_ready_i(cmd_ready_i[Load]),
    .load_cmd_o(cmd_o.to_load),
    .load_num_o(cmd_num_o[32*Load+:32]),
    .load_retire_i(retire_i[Load]),
    .load_digest_i(digest_i[64*Load+:64]),
    .gemm_valid_o(cmd_valid_o[Gemm]),
    .gemm_ready_i(cmd_ready_i[Gemm]),
    .gemm_cmd_o(cmd_o.to_gemm),
    .gemm_num_o(cmd_num_o[32*Gemm+:32]),
    .gemm_retire_i(retire_i[Gemm]),
    .gemm_digest_i(digest_i[64*Gemm+:64]),
    .vector_valid_o(cmd_valid_o[Vector]),
    .vector_ready_i(cmd_ready_i[Vector]),
    .vector_cmd_o(cmd_o.to_vector),
    .vector_num_o(cmd_num_o[32*Vector+:32]),
    .vector_retire_i(retire_i[Vector]),
    .vector_digest_i(digest_i[64*Vector+:64])
  );

  assign cmd_valid_o[Store] = g_cmd_valid[Store];
  assign g_cmd_ready[Store] = cmd_ready_i[Store];
  assign cmd_o.to_store = g_cmd[CommandBits*Store+:CommandBits];
  assign cmd_num_o[32*Store+:32] = g_cmd_num[32*Store+:32];
  assign g_retire[Store] = retire_i[Store];
  assign g_digest[64*Store+:64] = digest_i[64*Store+:64];

  logic unused;
  assign unused = ^{g_cmd_unit[2*Load+:2], g_cmd_unit[2*Vector+:2], g_cmd_unit[2*Store+:2], g_cmd, checked};
endmodule
`default_nettype wire
