// SPDX-License-Identifier: Apache-2.0
//
// tsr_load_decode: decodes a LOAD of either profile into one box. Combinational.
//
//   Input   insn_i, vta_i; mem_i: the memory as the instruction names it (MEM_ACC8 too)
//   Output  the box for tsr_box
//
// Device memory of profile vta is counted in tiles.
`default_nettype none
module tsr_load_decode (
  input  logic              vta_i,
  input  logic [255:0]      insn_i,
  input  logic [2:0]        mem_i,       // its memory
  output logic              bad_o,
  output logic              nop_o,
  output logic [20:0]       depth_o,
  output logic              short_o,     // tiles are shorter in device memory than in the scratchpad
  output logic [7:0]        pad_value_o,
  output logic [2:0]        segment_o,
  output logic [31:0]       dram_base_o,
  output logic [15:0]       unit_o,      // bytes of one unit of dram_base_o
  output tsr_dma_pkg::box_t box_o
);
  localparam int InpShift = $clog2(tsr_pkg::InpTileBytes);
  localparam int WgtShift = $clog2(tsr_pkg::WgtTileBytes);
  localparam int AccShift = $clog2(tsr_pkg::AccTileBytes);
  localparam int OutShift = $clog2(tsr_pkg::OutTileBytes);
  localparam int VtaUopShift = $clog2(tsr_pkg::VtaUopTileBytes);

  logic [127:0] vta;
  assign vta = insn_i[127:0];

  // Properties of the memory.
  logic [15:0] tile_bytes;
  logic [3:0] shift;  // log2(tile_bytes), profile vta
  logic known, whole, padable;
  assign known = vta_i ? tsr_pkg::vta_load_legal(vta) : tsr_pkg::load_legal(insn_i);
  assign whole = tsr_pkg::MemWhole[mem_i];
  assign padable = vta_i | tsr_pkg::MemPads[mem_i];
  always_comb begin
    tile_bytes = 16'd0;
    shift = 4'd0;
    depth_o = '0;
    unique case (mem_i)
      tsr_pkg::MEM_UOP: begin
        tile_bytes = vta_i ? 16'(1 << VtaUopShift) : 16'(tsr_pkg::UopTileBytes);
        shift = 4'(VtaUopShift);
        depth_o = vta_i ? 21'(tsr_pkg::VtaUopDepth) : 21'(tsr_pkg::UopDepth);
      end
      tsr_pkg::MEM_WGT: begin
        tile_bytes = 16'(tsr_pkg::WgtTileBytes);
        shift = 4'(WgtShift);
        depth_o = 21'(tsr_pkg::WgtDepth);
      end
      tsr_pkg::MEM_INP: begin
        tile_bytes = 16'(tsr_pkg::InpTileBytes);
        shift = 4'(InpShift);
        depth_o = 21'(tsr_pkg::InpDepth);
      end
      tsr_pkg::MEM_ACC: begin
        tile_bytes = 16'(tsr_pkg::AccTileBytes);
        shift = 4'(AccShift);
        depth_o = 21'(tsr_pkg::AccDepth);
      end
      tsr_pkg::MEM_OUT: begin
        tile_bytes = 16'(tsr_pkg::OutTileBytes);
        depth_o = 21'(tsr_pkg::OutDepth);
      end
      tsr_pkg::MEM_ACC8: begin
        tile_bytes = 16'(tsr_pkg::OutTileBytes);
        shift = 4'(OutShift);
        depth_o = 21'(tsr_pkg::AccDepth);
      end
      tsr_pkg::MEM_PRM: begin
        tile_bytes = 16'(tsr_pkg::PrmTileBytes);
        depth_o = 21'(tsr_pkg::PrmDepth);
      end
      tsr_pkg::MEM_TAB: begin
        tile_bytes = 16'(tsr_pkg::TabTileBytes);
        depth_o = 21'(tsr_pkg::TabDepth);
      end
      default: ;
    endcase
  end

  logic [15:0] x_bytes;
  logic padded;
  assign x_bytes = tsr_pkg::load_x_bytes(insn_i);
  assign padded = |{box_o.x_pad_0, box_o.x_pad_1, box_o.y_pad_0, box_o.y_pad_1};
  assign bad_o = !known | (padded & !padable) |
                 (!vta_i & ((x_bytes == '0) | (x_bytes > tile_bytes) | (whole & (x_bytes != tile_bytes))));
  assign short_o = !whole & !vta_i & (x_bytes < tile_bytes);
  assign nop_o = vta_i & (tsr_pkg::vta_load_x_size(vta) == '0);

  assign segment_o = vta_i ? mem_i : tsr_pkg::load_segment(insn_i);
  assign pad_value_o = vta_i ? 8'd0 : tsr_pkg::load_pad_value(insn_i);
  assign box_o.sram_base = vta_i ? 20'(tsr_pkg::vta_load_sram_base(vta)) : tsr_pkg::load_sram_base(insn_i);
  assign dram_base_o = vta_i ? tsr_pkg::vta_load_dram_base(vta) : tsr_pkg::load_dram_base(insn_i);
  assign unit_o = vta_i ? tile_bytes : 16'd1;
  assign box_o.x_bytes = vta_i ? tile_bytes : x_bytes;
  assign box_o.x_size = vta_i ? tsr_pkg::vta_load_x_size(vta) : tsr_pkg::load_x_size(insn_i);
  assign box_o.y_size = vta_i ? tsr_pkg::vta_load_y_size(vta) : tsr_pkg::load_y_size(insn_i);
  assign box_o.z_size = vta_i ? 16'd1 : tsr_pkg::load_z_size(insn_i);
  assign box_o.x_step = vta_i ? 24'(tile_bytes) : tsr_pkg::load_x_step(insn_i);
  assign box_o.y_step = vta_i ? 32'(tsr_pkg::vta_load_x_stride(vta)) << shift
                          : 32'(tsr_pkg::load_y_step(insn_i));
  assign box_o.z_step = vta_i ? 32'd0 : tsr_pkg::load_z_step(insn_i);
  assign box_o.x_pad_0 = vta_i ? 8'(tsr_pkg::vta_load_x_pad_0(vta)) : tsr_pkg::load_x_pad_0(insn_i);
  assign box_o.x_pad_1 = vta_i ? 8'(tsr_pkg::vta_load_x_pad_1(vta)) : tsr_pkg::load_x_pad_1(insn_i);
  assign box_o.y_pad_0 = vta_i ? 8'(tsr_pkg::vta_load_y_pad_0(vta)) : tsr_pkg::load_y_pad_0(insn_i);
  assign box_o.y_pad_1 = vta_i ? 8'(tsr_pkg::vta_load_y_pad_1(vta)) : tsr_pkg::load_y_pad_1(insn_i);
endmodule
`default_nettype wire
