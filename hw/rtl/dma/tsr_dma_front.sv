// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_front: the front of LOAD and of STORE: decoded commands are checked (tsr_box), cut into
// bursts (tsr_runs) and handed to the unit.
//
//   Input   decoded commands of either profile
//   Output  boxes in order; a box moves when the unit and, if it has data, tsr_runs take it
//   Output  bursts in order, with the high bits of their box's user word
//   Output  err_o while a command that cannot be done is in front; it never moves
//   Cost    8 cycles from command to burst; 1 box and 1 burst a cycle
`include "tsr_assert.svh"

module tsr_dma_front #(
  parameter int MaxBurst    = 16,  // beats in a burst
  parameter int UserBits    = 32,  // bits that travel with a box
  parameter int RunUserBits = 1,   // high bits of them that travel with its bursts
  localparam int BusShift   = $clog2(tsr_pkg::BusBytes)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    vta_i,
  input  tsr_dma_pkg::seg_write_t seg_write_i,
  // command
  input  logic                    cmd_valid_i,
  output logic                    cmd_ready_o,
  input  logic                    cmd_bad_i,
  input  logic                    cmd_nop_i,
  input  logic [20:0]             cmd_depth_i,
  input  logic [2:0]              cmd_segment_i,
  input  logic [47:0]             cmd_dram_base_i,
  input  tsr_dma_pkg::box_t       cmd_box_i,
  input  logic [UserBits-1:0]     cmd_user_i,
  // box
  output logic                    valid_o,
  input  logic                    ready_i,
  output logic                    nop_o,       // no tile
  output tsr_dma_pkg::box_t       box_o,
  output tsr_dma_pkg::walk_t      walk_o,      // the same, for tsr_dma_walk
  output logic [4*BusShift-1:0]   lows_o,      // low bits of its address and of its steps along x, y and z
  output logic [UserBits-1:0]     user_o,      // also of the error
  output logic                    err_o,
  output logic [3:0]              err_code_o,  // tsr_pkg::ERR_*
  // burst
  output logic                    run_valid_o,
  input  logic                    run_ready_i,
  output logic [39:0]             run_addr_o,
  output logic [7:0]              run_len_o,   // beats - 1
  output logic                    run_last_o,  // last burst of the box
  output logic [RunUserBits-1:0]  run_user_o
);
  // Rows of profile vta step by 16 bits of tiles, of at most the largest tile.
  localparam int TileShift = tsr_pkg::HasVta ? $clog2(tsr_pkg::WgtTileBytes > tsr_pkg::AccTileBytes
                                                      ? tsr_pkg::WgtTileBytes : tsr_pkg::AccTileBytes) : 8;
  localparam int YStepBits = (16 + TileShift > 24) ? 16 + TileShift : 24;

  logic box_valid, box_ready, no_data;
  logic [7:0] err;
  logic [39:0] addr;
  logic [31:0] run_bytes;
  tsr_dma_pkg::runs_t runs;
  tsr_box #(
    .UserBits(UserBits),
    .YStepBits(YStepBits)
  ) u_box (
    .clk_i,
    .rst_ni,
    .seg_write_i,
    .unlimited_i(vta_i),
    .valid_i(cmd_valid_i),
    .ready_o(cmd_ready_o),
    .bad_i(cmd_bad_i),
    .nop_i(cmd_nop_i),
    .depth_i(cmd_depth_i),
    .segment_i(cmd_segment_i),
    .dram_base_i(cmd_dram_base_i),
    .box_i(cmd_box_i),
    .user_i(cmd_user_i),
    .valid_o(box_valid),
    .ready_i(box_ready),
    .err_o(err),
    .nop_o,
    .no_data_o(no_data),
    .addr_o(addr),
    .run_bytes_o(run_bytes),
    .runs_o(runs),
    .box_o,
    .user_o
  );

  logic good, runs_ready;
  assign good = box_valid & (err == tsr_pkg::ERR_NONE);
  assign err_o = box_valid & (err != tsr_pkg::ERR_NONE);
  assign err_code_o = err[3:0];
  assign valid_o = good & (no_data | runs_ready);
  assign box_ready = valid_o & ready_i;

  assign walk_o = {box_o.x_bytes, box_o.x_size, box_o.y_size, box_o.z_size, runs};
  assign lows_o = {addr[BusShift-1:0], box_o.x_step[BusShift-1:0], box_o.y_step[BusShift-1:0],
                   box_o.z_step[BusShift-1:0]};

  tsr_runs #(
    .YStepBits(YStepBits),
    .BusBytes(tsr_pkg::BusBytes),
    .MaxBeats(MaxBurst),
    .UserBits(RunUserBits)
  ) u_runs (
    .clk_i,
    .rst_ni,
    .valid_i(good & !no_data & ready_i),
    .ready_o(runs_ready),
    .addr_i(addr),
    .run_bytes_i(run_bytes),
    .row_run_i(runs.row),
    .plane_run_i(runs.plane),
    .box_run_i(runs.box),
    .x_size_i(box_o.x_size),
    .y_size_i(box_o.y_size),
    .z_size_i(box_o.z_size),
    .x_step_i(box_o.x_step),
    .y_step_i(box_o.y_step[YStepBits-1:0]),
    .z_step_i(box_o.z_step),
    .user_i(user_o[UserBits-1-:RunUserBits]),
    .valid_o(run_valid_o),
    .ready_i(run_ready_i),
    .addr_o(run_addr_o),
    .len_o(run_len_o),
    .last_o(run_last_o),
    .user_o(run_user_o)
  );

  logic unused;
  assign unused = ^err[7:4];
endmodule
