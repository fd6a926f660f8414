// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_front: the front of LOAD and of STORE: checked commands are held, cut into bursts (tsr_runs) and
// handed to the unit.
//
//   Input   commands that tsr_dma_check has checked
//   Output  boxes in order; a box moves when the unit and, if it has data, tsr_runs take it
//   Output  bursts in order, with their command's number
//   Output  err_o while a command that cannot be done is in front; it never moves
//   Cost    3 cycles from command to burst; 1 box in 2 cycles and 1 burst a cycle
`include "tsr_assert.svh"

module tsr_dma_front #(
  parameter int MaxBurst  = 16,  // beats in a burst
  localparam int BusShift = $clog2(tsr_pkg::BusBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // command; whether it is taken depends on nothing but what is held here
  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  tsr_dma_pkg::checked_t cmd_i,
  input  logic [31:0]           cmd_num_i,
  // box
  output logic                  valid_o,
  input  logic                  ready_i,
  output tsr_dma_pkg::checked_t box_o,
  output logic [31:0]           num_o,       // also of the error
  output tsr_dma_pkg::walk_t    walk_o,      // the same, for tsr_dma_walk
  output logic [4*BusShift-1:0] lows_o,      // low bits of its address and of its steps along x, y and z
  output logic                  err_o,       // box_o.err says which
  // burst
  output logic                  run_valid_o,
  input  logic                  run_ready_i,
  output logic [39:0]           run_addr_o,
  output logic [7:0]            run_len_o,   // beats - 1
  output logic                  run_last_o,  // last burst of the box
  output logic [31:0]           run_num_o
);
  logic full_q;
  assign cmd_ready_o = !full_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= full_q ? !(valid_o & ready_i) : cmd_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (!full_q) begin
      box_o <= cmd_i;
      num_o <= cmd_num_i;
    end
  end

  logic good, runs_ready;
  assign good = full_q & (box_o.err == tsr_pkg::ERR_NONE[3:0]);
  assign err_o = full_q & (box_o.err != tsr_pkg::ERR_NONE[3:0]);
  assign valid_o = good & (box_o.no_data | runs_ready);

  assign walk_o = {box_o.box.x_bytes, box_o.box.x_size, box_o.box.y_size, box_o.box.z_size, box_o.runs};
  assign lows_o = {box_o.addr[BusShift-1:0], box_o.box.x_step[BusShift-1:0], box_o.box.y_step[BusShift-1:0],
                   box_o.box.z_step[BusShift-1:0]};

  tsr_runs #(
    .BusBytes(tsr_pkg::BusBytes),
    .MaxBeats(MaxBurst),
    .UserBits(32)
  ) u_runs (
    .clk_i,
    .rst_ni,
    .valid_i(good & !box_o.no_data & ready_i),
    .ready_o(runs_ready),
    .addr_i(box_o.addr),
    .run_bytes_i(box_o.run_bytes),
    .row_run_i(box_o.runs.row),
    .plane_run_i(box_o.runs.plane),
    .box_run_i(box_o.runs.box),
    .x_size_i(box_o.box.x_size),
    .y_size_i(box_o.box.y_size),
    .z_size_i(box_o.box.z_size),
    .x_step_i(box_o.box.x_step),
    .y_step_i(box_o.box.y_step),
    .z_step_i(box_o.box.z_step),
    .user_i(num_o),
    .valid_o(run_valid_o),
    .ready_i(run_ready_i),
    .addr_o(run_addr_o),
    .len_o(run_len_o),
    .last_o(run_last_o),
    .user_o(run_num_o)
  );

  `TSR_ASSERT_STREAM(cmd, cmd_valid_i, cmd_ready_o, {cmd_i, cmd_num_i})
endmodule
