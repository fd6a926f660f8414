// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_front: STORE's commands, decoded and checked.
//
//   Input   commands of either profile
//   Output  boxes as tsr_box gives them, with their numbers
//   Cost    tsr_box's
`include "tsr_assert.svh"

module tsr_store_front #(
  parameter int YStepBits = 24
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 vta_i,
  input  logic [8*40-1:0]      seg_base_i,
  input  logic [8*40-1:0]      seg_size_i,
  // command
  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  logic [255:0]         cmd_insn_i,
  input  logic [31:0]          cmd_num_i,
  // box
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [7:0]           err_o,
  output logic                 nop_o,
  output logic [39:0]          addr_o,
  output logic [31:0]          run_bytes_o,
  output logic                 row_run_o,
  output logic                 plane_run_o,
  output logic                 box_run_o,
  output logic [19:0]          sram_base_o,
  output logic [15:0]          x_bytes_o,
  output logic [15:0]          x_size_o,
  output logic [15:0]          y_size_o,
  output logic [15:0]          z_size_o,
  output logic [23:0]          x_step_o,
  output logic [YStepBits-1:0] y_step_o,
  output logic [31:0]          z_step_o,
  output logic [31:0]          num_o
);
  logic dec_bad, dec_nop;
  logic [20:0] dec_depth;
  logic [2:0] dec_segment;
  logic [19:0] dec_sram_base;
  logic [47:0] dec_dram_base;
  logic [15:0] dec_x_bytes, dec_x_size, dec_y_size, dec_z_size;
  logic [23:0] dec_x_step;
  logic [YStepBits-1:0] dec_y_step;
  logic [31:0] dec_z_step;
  tsr_store_decode #(
    .YStepBits(YStepBits)
  ) u_decode (
    .vta_i,
    .insn_i(cmd_insn_i),
    .bad_o(dec_bad),
    .nop_o(dec_nop),
    .depth_o(dec_depth),
    .segment_o(dec_segment),
    .sram_base_o(dec_sram_base),
    .dram_base_o(dec_dram_base),
    .x_bytes_o(dec_x_bytes),
    .x_size_o(dec_x_size),
    .y_size_o(dec_y_size),
    .z_size_o(dec_z_size),
    .x_step_o(dec_x_step),
    .y_step_o(dec_y_step),
    .z_step_o(dec_z_step)
  );

  logic unused_no_data;
  logic [31:0] unused_pads;
  tsr_box #(
    .UserBits(32),
    .YStepBits(YStepBits)
  ) u_box (
    .clk_i,
    .rst_ni,
    .seg_base_i,
    .seg_size_i,
    .unlimited_i(vta_i),
    .valid_i(cmd_valid_i),
    .ready_o(cmd_ready_o),
    .bad_i(dec_bad),
    .nop_i(dec_nop),
    .depth_i(dec_depth),
    .segment_i(dec_segment),
    .sram_base_i(dec_sram_base),
    .dram_base_i(dec_dram_base),
    .x_bytes_i(dec_x_bytes),
    .x_size_i(dec_x_size),
    .y_size_i(dec_y_size),
    .z_size_i(dec_z_size),
    .x_step_i(dec_x_step),
    .y_step_i(dec_y_step),
    .z_step_i(dec_z_step),
    .x_pad_0_i(8'd0),
    .x_pad_1_i(8'd0),
    .y_pad_0_i(8'd0),
    .y_pad_1_i(8'd0),
    .user_i(cmd_num_i),
    .valid_o,
    .ready_i,
    .err_o,
    .nop_o,
    .no_data_o(unused_no_data),
    .addr_o,
    .run_bytes_o,
    .row_run_o,
    .plane_run_o,
    .box_run_o,
    .sram_base_o,
    .x_bytes_o,
    .x_size_o,
    .y_size_o,
    .z_size_o,
    .x_step_o,
    .y_step_o,
    .z_step_o,
    .x_pad_0_o(unused_pads[7:0]),
    .x_pad_1_o(unused_pads[15:8]),
    .y_pad_0_o(unused_pads[23:16]),
    .y_pad_1_o(unused_pads[31:24]),
    .user_o(num_o)
  );

  logic unused;
  assign unused = ^{unused_no_data, unused_pads};
endmodule
