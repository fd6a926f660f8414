// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_check: decodes and checks LOADs and STOREs ahead of their queues, so that a unit that gets its
// tokens can ask the bus at once.
//
//   Input   instructions of either profile, LOAD or STORE
//   Output  the same as checked boxes (tsr_dma_pkg), in order; an error travels along until the unit reports it
//   Cost    9 cycles of latency, 1 instruction in 9 cycles
`default_nettype none
`include "tsr_assert.svh"

module tsr_dma_check #(
  parameter int UserBits = 32  // bits that travel along
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    vta_i,
  input  tsr_dma_pkg::seg_write_t seg_write_i,  // no write while instructions are inside
  input  logic                    valid_i,
  output logic                    ready_o,
  input  logic                    store_i,      // a STORE, not a LOAD
  input  logic [255:0]            insn_i,
  input  logic [2:0]              load_mem_i,   // of a LOAD: its memory, which the checks begin with
  input  logic [UserBits-1:0]     user_i,
  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [tsr_dma_pkg::CommandBits-1:0] cmd_o,
  output logic [UserBits-1:0]     user_o
);
  logic load_bad, load_nop, load_short, store_bad, store_nop;
  logic [20:0] load_depth, store_depth;
  logic [2:0] load_segment, store_segment;
  logic [7:0] load_pad_value;
  logic [31:0] load_dram_base, store_dram_base;
  logic [15:0] load_unit, store_unit;
  tsr_dma_pkg::box_t load_box, store_box;
  tsr_load_decode u_load (
    .vta_i,
    .insn_i,
    .mem_i(load_mem_i),
    .bad_o(load_bad),
    .nop_o(load_nop),
    .depth_o(load_depth),
    .short_o(load_short),
    .pad_value_o(load_pad_value),
    .segment_o(load_segment),
    .dram_base_o(load_dram_base),
    .unit_o(load_unit),
    .box_o(load_box)
  );
  tsr_store_decode u_store (
    .vta_i,
    .insn_i,
    .bad_o(store_bad),
    .nop_o(store_nop),
    .depth_o(store_depth),
    .segment_o(store_segment),
    .dram_base_o(store_dram_base),
    .unit_o(store_unit),
    .box_o(store_box)
  );

  logic [7:0] err;
  logic nop, no_data, is_short;
  logic [39:0] addr;
  logic [tsr_pkg::BoxBytesBits-1:0] run_last;
  logic [tsr_pkg::BoxSizeBits-1:0] tiles;
  logic [2:0] mem;
  logic [7:0] pad_value;
  tsr_dma_pkg::runs_t runs;
  tsr_dma_pkg::box_t box;
  tsr_box #(
    .UserBits(UserBits + 12)
  ) u_box (
    .clk_i,
    .rst_ni,
    .seg_write_i,
    .unlimited_i(vta_i),
    .valid_i,
    .ready_o,
    .bad_i(store_i ? store_bad : load_bad),
    .nop_i(store_i ? store_nop : load_nop),
    .depth_i(store_i ? store_depth : load_depth),
    .segment_i(store_i ? store_segment : load_segment),
    .dram_base_i(store_i ? store_dram_base : load_dram_base),
    .unit_i(store_i ? store_unit : load_unit),
    .box_i(store_i ? store_box : load_box),
    .user_i({user_i, load_mem_i, load_pad_value, load_short}),
    .valid_o,
    .ready_i,
    .err_o(err),
    .nop_o(nop),
    .no_data_o(no_data),
    .addr_o(addr),
    .run_last_o(run_last),
    .runs_o(runs),
    .tiles_o(tiles),
    .box_o(box),
    .user_o({user_o, mem, pad_value, is_short})
  );
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;
  assign cmd_o = tsr_dma_pkg::CommandBits'({
      mem, pad_value, is_short, box.x_pad_0, box.x_pad_1, box.y_pad_0, box.y_pad_1,
      err[3:0], nop, no_data, addr, run_last, runs, box.sram_base[TileBits-1:0],
      box.x_bytes[tsr_pkg::BoxTileBytesBits-1:0], box.x_size[SizeBits-1:0], box.y_size[SizeBits-1:0],
      box.z_size[SizeBits-1:0], box.x_step, box.y_step, box.z_step, tiles});

  logic unused;
  assign unused = ^{err[7:4], box};

  if (tsr_dma_pkg::FixedBits + tsr_pkg::BoxBits > tsr_dma_pkg::CommandBits)
    $fatal(1, "tsr_dma_check: a box has %0d bits", tsr_dma_pkg::FixedBits + tsr_pkg::BoxBits);
endmodule
`default_nettype wire
