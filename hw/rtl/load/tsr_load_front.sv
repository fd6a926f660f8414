// SPDX-License-Identifier: Apache-2.0
//
// tsr_load_front: LOAD's commands, decoded and checked.
//
//   Input   commands of either profile
//   Output  boxes as tsr_box gives them; user_o: number, memory, pad value, whether tiles are short
//   Cost    tsr_box's
`include "tsr_assert.svh"

module tsr_load_front #(
  parameter int YStepBits = 24,
  parameter int UserBits  = 44   // 32 + 3 + 8 + 1
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
  output logic                 no_data_o,
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
  output logic [7:0]           x_pad_0_o,
  output logic [7:0]           x_pad_1_o,
  output logic [7:0]           y_pad_0_o,
  output logic [7:0]           y_pad_1_o,
  output logic [UserBits-1:0]  user_o
);
  logic dec_bad, dec_nop;
  logic [20:0] dec_depth;
  logic [2:0] dec_mem, dec_segment;
  logic [7:0] dec_pad_value, dec_x_pad_0, dec_x_pad_1, dec_y_pad_0, dec_y_pad_1;
  logic [19:0] dec_sram_base;
  logic [47:0] dec_dram_base;
  logic [15:0] dec_x_bytes, dec_x_size, dec_y_size, dec_z_size;
  logic [23:0] dec_x_step;
  logic [YStepBits-1:0] dec_y_step;
  logic [31:0] dec_z_step;
  tsr_load_decode #(
    .YStepBits(YStepBits)
  ) u_decode (
    .vta_i,
    .insn_i(cmd_insn_i),
    .bad_o(dec_bad),
    .nop_o(dec_nop),
    .depth_o(dec_depth),
    .mem_o(dec_mem),
    .segment_o(dec_segment),
    .pad_value_o(dec_pad_value),
    .sram_base_o(dec_sram_base),
    .dram_base_o(dec_dram_base),
    .x_bytes_o(dec_x_bytes),
    .x_size_o(dec_x_size),
    .y_size_o(dec_y_size),
    .z_size_o(dec_z_size),
    .x_step_o(dec_x_step),
    .y_step_o(dec_y_step),
    .z_step_o(dec_z_step),
    .x_pad_0_o(dec_x_pad_0),
    .x_pad_1_o(dec_x_pad_1),
    .y_pad_0_o(dec_y_pad_0),
    .y_pad_1_o(dec_y_pad_1)
  );
  // Only tiles of int8 can be short.
  logic dec_short;
  always_comb begin
    unique case (dec_mem)
      tsr_pkg::MEM_WGT: dec_short = dec_x_bytes < 16'(tsr_pkg::WgtTileBytes);
      tsr_pkg::MEM_INP: dec_short = dec_x_bytes < 16'(tsr_pkg::InpTileBytes);
      tsr_pkg::MEM_OUT: dec_short = dec_x_bytes < 16'(tsr_pkg::OutTileBytes);
      default: dec_short = 1'b0;
    endcase
  end

  tsr_box #(
    .UserBits(UserBits),
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
    .x_pad_0_i(dec_x_pad_0),
    .x_pad_1_i(dec_x_pad_1),
    .y_pad_0_i(dec_y_pad_0),
    .y_pad_1_i(dec_y_pad_1),
    .user_i({cmd_num_i, dec_mem, dec_pad_value, dec_short}),
    .valid_o,
    .ready_i,
    .err_o,
    .nop_o,
    .no_data_o,
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
    .x_pad_0_o,
    .x_pad_1_o,
    .y_pad_0_o,
    .y_pad_1_o,
    .user_o
  );
endmodule
