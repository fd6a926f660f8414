// SPDX-License-Identifier: Apache-2.0
//
// tsr_control: the state of a run: start, end, first error, soft reset, counters.
//
//   Input   start and soft reset (registers), finish (dispatch), errors of dispatch, fetch and units
//   Output  core_rst_no: reset of everything but the AXI ends and the registers
//   Output  flush_o: the AXI ends complete their open transactions
//   Output  status, counters, state of every unit; they keep the last run's values
//
//   idle --start--> run --finish, error, soft reset--> drain --bus quiet--> idle; rst_ni --> drain
//
// rst_ni may come at any time, alone: it does not reset the AXI ends, which know the open transactions, so a
// hard reset drains like a soft one. A start in such a drain (forget_q) is kept and begins after it. A start
// while a program runs or drains is refused; STATUS and IRQ_STATUS show that.
//
// Invariant: busy_o is high from start until the bus is quiet; no run begins before the bus is quiet; per
// unit, busy + token + memory + hazard <= cycles.
`default_nettype none
`include "tsr_assert.svh"

module tsr_control (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic         soft_reset_i,
  input  logic         profile_i,
  // the run
  output logic         core_rst_no,
  output logic         flush_o,
  output logic         vta_o,
  output logic         vta_next_o,       // vta_o of the next cycle; right in the cycle before the run
  input  logic         quiet_i,
  input  logic         finish_i,
  input  logic         finish_counts_i,
  input  logic         tokens_left_i,
  input  logic [5:0]   err_valid_i,      // units by enum Unit, 4: dispatch, 5: fetch's bus
  input  logic [6*4-1:0]  err_code_i,
  input  logic [6*32-1:0] err_num_i,
  input  logic         err_compute_i,    // LOAD's error belongs to an instruction of COMPUTE
  input  logic [3:0]   retired_i,
  input  logic [3:0]   unit_busy_i,
  input  logic [3:0]   unit_token_i,
  input  logic [3:0]   unit_memory_i,
  input  logic [3:0]   unit_hazard_i,
  input  logic [3:0]   unit_holds_i,
  input  logic [15:0]  unit_missing_i,
  input  logic [15:0]  unit_stalled_i,
  input  logic [127:0] unit_num_i,
  // what registers show
  output logic         locked_o,         // a run, its drain or a start that waits: configuration must stay
  output logic [2:0]   irq_set_o,        // as IRQ_STATUS, for one cycle
  output logic         refused_o,
  output logic         busy_o,
  output logic         done_o,
  output logic         error_o,
  output logic         leftover_o,
  output logic [7:0]   err_code_o,
  output logic [7:0]   err_unit_o,
  output logic [31:0]  err_num_o,
  output logic [31:0]  retired_o,
  output logic [63:0]  cycles_o,
  output logic [127:0] busy_count_o,     // by unit
  output logic [127:0] token_count_o,
  output logic [127:0] memory_count_o,
  output logic [127:0] hazard_count_o,
  output logic [15:0]  late_o,           // {hazard, memory, token, busy} by unit, not yet in the counters
  output logic [127:0] unit_state_o,
  output logic [127:0] unit_num_o
);
  localparam logic [1:0] Idle = 2'd0, Run = 2'd1, Drain = 2'd2;
  logic [1:0] state_q;
  logic core_rst_nq, flush_q, forget_q;  // forget: a drain after a soft or hard reset, which does not report done
  assign core_rst_no = core_rst_nq;
  assign flush_o = flush_q;  // state_q != Run, from a flop: ready chains begin with it
  logic waits_q;  // a start waits for idle
  assign busy_o = (state_q != Idle) | waits_q;

  // The first error; units first, in their order.
  logic any_error;
  logic [3:0] code;
  logic [2:0] unit;
  logic [31:0] num;
  assign any_error = err_valid_i != '0;
  always_comb begin
    code = '0;
    unit = '0;
    num = '0;
    for (int u = 5; u >= 0; u--) begin
      if (err_valid_i[u]) begin
        code = err_code_i[4*u+:4];
        num = err_num_i[32*u+:32];
        unit = (u >= 4) ? 3'd4 : 3'(u);
      end
    end
    // In profile vta, an error of LOAD or VECTOR in an instruction of COMPUTE is reported as COMPUTE's.
    if (vta_o && (unit == 3'(tsr_pkg::UNIT_VECTOR) || (unit == 3'(tsr_pkg::UNIT_LOAD) && err_compute_i))) begin
      unit = 3'(tsr_pkg::UNIT_GEMM);
    end
  end

  logic takes, refuses, begins, stops, ends;
  assign locked_o = (state_q == Run) | (state_q == Drain && !forget_q) | waits_q;
  assign takes = start_i & !soft_reset_i & !locked_o;
  assign refuses = start_i & !soft_reset_i & locked_o;
  assign begins = (takes | waits_q) & !soft_reset_i & (state_q == Idle);
  assign stops = (state_q == Run) & (any_error | finish_i | soft_reset_i);
  assign ends = (state_q == Drain) & quiet_i & !forget_q & !soft_reset_i;
  // The run has the profile that was written with its start.
  assign vta_next_o = (takes || (soft_reset_i && start_i)) ? profile_i == tsr_pkg::PROFILE_VTA : vta_o;
  assign irq_set_o[tsr_pkg::REG_IRQ_STATUS_DONE_LSB] = ends;
  assign irq_set_o[tsr_pkg::REG_IRQ_STATUS_ERROR_LSB] = ends & error_o;
  assign irq_set_o[tsr_pkg::REG_IRQ_STATUS_REFUSED_LSB] = refuses;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Drain;
      core_rst_nq <= 1'b0;
      flush_q <= 1'b1;
      forget_q <= 1'b1;
      waits_q <= 1'b0;
      refused_o <= 1'b0;
      vta_o <= 1'b0;
      done_o <= 1'b0;
      error_o <= 1'b0;
      leftover_o <= 1'b0;
      err_code_o <= '0;
      err_unit_o <= '0;
      err_num_o <= '0;
    end else begin
      if (begins) begin
        state_q <= Run;
        core_rst_nq <= 1'b1;
        flush_q <= 1'b0;
        forget_q <= 1'b0;
      end else if (stops) begin
        state_q <= Drain;
        core_rst_nq <= 1'b0;
        flush_q <= 1'b1;
      end else if (state_q == Drain && quiet_i) begin
        state_q <= Idle;
        done_o <= ends;
      end
      waits_q <= soft_reset_i ? start_i : (takes | waits_q) & !begins;
      vta_o <= vta_next_o;
      refused_o <= refuses | (refused_o & !takes & !soft_reset_i);
      if (stops && !soft_reset_i) begin
        error_o <= any_error;
        leftover_o <= !any_error & tokens_left_i;
        err_code_o <= any_error ? 8'(code) : 8'd0;
        err_unit_o <= any_error ? 8'(unit) : 8'd0;
        err_num_o <= any_error ? num : 32'd0;
      end
      if (soft_reset_i) forget_q <= 1'b1;
      if (begins || soft_reset_i) begin
        done_o <= 1'b0;
        error_o <= 1'b0;
        leftover_o <= 1'b0;
        err_code_o <= '0;
        err_unit_o <= '0;
        err_num_o <= '0;
      end
    end
  end

  // Counters.
  logic clear, runs, finishes;
  logic [4:0] retired_late_q;  // of the cycle before
  assign clear = begins | soft_reset_i;
  assign runs = state_q == Run;
  assign finishes = runs & finish_i & finish_counts_i & !any_error;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      cycles_o <= '0;
      retired_o <= '0;
      retired_late_q <= '0;
    end else begin
      if (busy_o && !forget_q) cycles_o <= cycles_o + 64'd1;
      retired_late_q <= {finishes, retired_i & {4{runs}}};
      retired_o <= retired_o + 32'(retired_late_q[0]) + 32'(retired_late_q[1]) + 32'(retired_late_q[2]) +
                   32'(retired_late_q[3]) + 32'(retired_late_q[4]);
    end
  end
  // The counters count a cycle of the units in the next cycle; until then late_o has it. The units' activity comes late: it goes
  // to flops as it is, and what counts is chosen behind them.
  logic [3:0] busy_now_q, token_now_q, memory_now_q, hazard_now_q, busy_late, token_late, memory_late, hazard_late;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear || !runs) {busy_now_q, token_now_q, memory_now_q, hazard_now_q} <= '0;
    else {busy_now_q, token_now_q, memory_now_q, hazard_now_q} <= {unit_busy_i, unit_token_i, unit_memory_i, unit_hazard_i};
  end
  assign busy_late = busy_now_q;
  assign memory_late = ~busy_now_q & memory_now_q;
  assign hazard_late = ~busy_now_q & ~memory_now_q & hazard_now_q;
  assign token_late = ~busy_now_q & ~memory_now_q & ~hazard_now_q & token_now_q;
  assign late_o = {hazard_late, memory_late, token_late, busy_late};
  for (genvar u = 0; u < 4; u++) begin : g_unit
    logic [31:0] busy_q, token_q, memory_q, hazard_q, num_q;
    logic holds_q;
    logic [3:0] missing_q, stalled_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear) begin
        busy_q <= '0;
        token_q <= '0;
        memory_q <= '0;
        hazard_q <= '0;
        holds_q <= 1'b0;
        missing_q <= '0;
        stalled_q <= '0;
        num_q <= '0;
      end else begin
        if (busy_late[u]) busy_q <= busy_q + 32'd1;
        if (token_late[u]) token_q <= token_q + 32'd1;
        if (memory_late[u]) memory_q <= memory_q + 32'd1;
        if (hazard_late[u]) hazard_q <= hazard_q + 32'd1;
        if (runs) begin
          holds_q <= unit_holds_i[u];
          missing_q <= unit_missing_i[4*u+:4];
          stalled_q <= unit_stalled_i[4*u+:4];
          num_q <= unit_num_i[32*u+:32];
        end
      end
    end
    assign busy_count_o[32*u+:32] = busy_q;
    assign token_count_o[32*u+:32] = token_q;
    assign memory_count_o[32*u+:32] = memory_q;
    assign hazard_count_o[32*u+:32] = hazard_q;
    assign unit_state_o[32*u+:32] = {20'd0, stalled_q, missing_q, 3'd0, holds_q};
    assign unit_num_o[32*u+:32] = num_q;
  end

  `TSR_ASSERT_IF(a_run_finds_a_quiet_bus, begins, quiet_i)
  `TSR_ASSERT(flush_unless_run, flush_q == (state_q != Run))
  `TSR_ASSERT_NEXT(drain_ends_idle, state_q == Drain && quiet_i, state_q == Idle)
endmodule
`default_nettype wire
