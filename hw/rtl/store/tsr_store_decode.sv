// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_decode: decodes a STORE of either profile into one box. Combinational.
//
//   Input   insn_i, vta_i
//   Output  the box for tsr_box; a STORE has no pads
//
// Profile vta counts device memory in OUT tiles from segment 4 and ignores the pad fields.
`default_nettype none
module tsr_store_decode (
  input  logic              vta_i,
  input  logic [255:0]      insn_i,
  output logic              bad_o,
  output logic              nop_o,
  output logic [20:0]       depth_o,
  output logic [2:0]        segment_o,
  output logic [31:0]       dram_base_o,
  output logic [15:0]       unit_o,      // bytes of one unit of dram_base_o
  output tsr_dma_pkg::box_t box_o
);
  localparam int Shift = $clog2(tsr_pkg::OutTileBytes);
  localparam logic [15:0] TileBytes = 16'(tsr_pkg::OutTileBytes);

  logic [127:0] vta;
  logic [15:0] x_bytes;
  assign vta = insn_i[127:0];
  assign x_bytes = tsr_pkg::store_x_bytes(insn_i);
  assign nop_o = vta_i & (tsr_pkg::vta_store_x_size(vta) == '0);
  // A store of profile vta that only moves tokens may name any memory.
  assign bad_o = vta_i ? !nop_o & (tsr_pkg::vta_store_memory_type(vta) != tsr_pkg::MEM_OUT)
                       : (x_bytes == '0) | (x_bytes > TileBytes);

  assign depth_o = vta_i ? 21'(tsr_pkg::AccDepth) : 21'(tsr_pkg::OutDepth);
  assign segment_o = vta_i ? tsr_pkg::MEM_OUT : tsr_pkg::store_segment(insn_i);
  assign box_o.sram_base = vta_i ? 20'(tsr_pkg::vta_store_sram_base(vta)) : tsr_pkg::store_sram_base(insn_i);
  assign dram_base_o = vta_i ? tsr_pkg::vta_store_dram_base(vta) : tsr_pkg::store_dram_base(insn_i);
  assign unit_o = vta_i ? TileBytes : 16'd1;
  assign box_o.x_bytes = vta_i ? TileBytes : x_bytes;
  assign box_o.x_size = vta_i ? tsr_pkg::vta_store_x_size(vta) : tsr_pkg::store_x_size(insn_i);
  assign box_o.y_size = vta_i ? tsr_pkg::vta_store_y_size(vta) : tsr_pkg::store_y_size(insn_i);
  assign box_o.z_size = vta_i ? 16'd1 : tsr_pkg::store_z_size(insn_i);
  assign box_o.x_step = vta_i ? 24'(TileBytes) : tsr_pkg::store_x_step(insn_i);
  assign box_o.y_step = vta_i ? 32'(tsr_pkg::vta_store_x_stride(vta)) << Shift
                          : 32'(tsr_pkg::store_y_step(insn_i));
  assign box_o.z_step = vta_i ? 32'd0 : tsr_pkg::store_z_step(insn_i);
  assign {box_o.x_pad_0, box_o.x_pad_1, box_o.y_pad_0, box_o.y_pad_1} = '0;
endmodule
`default_nettype wire
