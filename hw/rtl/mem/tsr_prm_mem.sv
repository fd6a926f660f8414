// SPDX-License-Identifier: Apache-2.0
//
// tsr_prm_mem: requantise parameters: records of block_out channels.
//
//   Input   LOAD's chunks (hw/rtl/README.md); always ready
//   Input   a record read: data in the next cycle, kept until the next read
//   Output  a record as in device memory: block_out int32 biases, multipliers, int8 shifts
//   Output  digest_o: change of the write of the cycle before
//
// Invariant: multipliers and shifts keep only the bits that isa/memories.def gives them; the filling up
// to the bus width is dropped.
`default_nettype none
module tsr_prm_mem (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           trace_en_i,
  input  logic                           wr_valid_i,
  input  logic [tsr_pkg::PrmIdxBits-1:0] wr_tile_i,
  input  logic [15:0]                    wr_off_i,
  input  logic [tsr_pkg::BusBits-1:0]    wr_data_i,
  output logic [63:0]                    digest_o,
  input  logic                           rd_en_i,
  input  logic [tsr_pkg::PrmIdxBits-1:0] rd_addr_i,
  output logic [8*tsr_pkg::PrmBytes-1:0] rd_data_o
);
  localparam int Bytes = tsr_pkg::PrmTileBytes;
  localparam int ChunkBytes = tsr_pkg::BusBytes;
  localparam int Shift = $clog2(ChunkBytes);

  // The last byte of a multiplier, and a shift, keep fewer than 8 bits.
  localparam int MultiplierBytes = tsr_pkg::PrmMultiplierBytes;
  localparam int TopBits = 8 - (8 * MultiplierBytes - tsr_pkg::PrmMultiplierBits);
  localparam int ShiftBits = tsr_pkg::PrmShiftBits;
  logic [8*Bytes-1:0] kept;
  for (genvar i = 0; i < Bytes; i++) begin : g_byte
    localparam int Lsb = 8 * (i % ChunkBytes);
    if (i >= tsr_pkg::PrmBytes) assign kept[8*i+:8] = '0;
    else if (i >= tsr_pkg::PrmShiftOffset)
      assign kept[8*i+:8] = {{8 - ShiftBits{wr_data_i[Lsb+ShiftBits-1]}}, wr_data_i[Lsb+:ShiftBits]};
    else if (i >= tsr_pkg::PrmMultiplierOffset && i % MultiplierBytes == MultiplierBytes - 1)
      assign kept[8*i+:8] = {{8 - TopBits{1'b0}}, wr_data_i[Lsb+:TopBits]};
    else assign kept[8*i+:8] = wr_data_i[Lsb+:8];
  end

  // Records are wide and few: block RAM takes a block for each bus word of a record, LUT RAM 1.4 LUTs for each bit. Only
  // machines with a small array have blocks to spare.
  localparam bit Blocks = tsr_pkg::BlockOut <= 4;
  logic [8*Bytes-1:0] record_q;
  logic [Bytes/ChunkBytes-1:0] here;
  for (genvar c = 0; c < Bytes / ChunkBytes; c++) begin : g_chunk
    assign here[c] = (wr_off_i >> Shift) == 16'(c);
    if (Blocks) begin : g_block
`ifndef SYNTHESIS
      logic [8*ChunkBytes-1:0] unused_old;
`endif
      tsr_ram #(
        .Depth(tsr_pkg::PrmDepth),
        .Bytes(ChunkBytes),
        .AddrBits(tsr_pkg::PrmIdxBits)
      ) u_ram (
        .clk_i,
        .we_i(wr_valid_i & here[c]),
        .waddr_i(wr_tile_i),
        .be_i({ChunkBytes{1'b1}}),
        .wdata_i(kept[8*ChunkBytes*c+:8*ChunkBytes]),
        .re_i(rd_en_i),
        .raddr_i(rd_addr_i),
        .rdata_o(record_q[8*ChunkBytes*c+:8*ChunkBytes])
`ifndef SYNTHESIS
        ,
        .look_i(1'b0),
        .old_o(unused_old)
`endif
      );
    end else begin : g_lut
      logic [8*ChunkBytes-1:0] word;
      tsr_lutram #(
        .Depth(tsr_pkg::PrmDepth),
        .Width(8 * ChunkBytes),
        .AddrBits(tsr_pkg::PrmIdxBits)
      ) u_ram (
        .clk_i,
        .we_i(wr_valid_i & here[c]),
        .waddr_i(wr_tile_i),
        .wdata_i(kept[8*ChunkBytes*c+:8*ChunkBytes]),
        .raddr_i(rd_addr_i),
        .rdata_o(word)
      );
      always_ff @(posedge clk_i) if (rd_en_i) record_q[8*ChunkBytes*c+:8*ChunkBytes] <= word;
    end
  end
  assign rd_data_o = record_q[8*tsr_pkg::PrmBytes-1:0];
  if (Bytes > tsr_pkg::PrmBytes) begin : g_filling
    logic unused_filling;
    assign unused_filling = ^record_q[8*Bytes-1:8*tsr_pkg::PrmBytes];
  end

`ifdef SYNTHESIS
  assign digest_o = '0;
  logic unused;
  assign unused = ^{rst_ni, trace_en_i};
`else
  // A copy that gives the old bytes of a write; it is read only while tracing.
  logic [8*Bytes-1:0] shadow_q [tsr_pkg::PrmDepth];
  logic [8*Bytes-1:0] old_q;
  logic [Bytes-1:0] be;
  for (genvar c = 0; c < Bytes / ChunkBytes; c++) begin : g_mask
    assign be[ChunkBytes*c+:ChunkBytes] = {ChunkBytes{here[c]}};
    always_ff @(posedge clk_i) begin
      if (wr_valid_i && here[c]) shadow_q[wr_tile_i][8*ChunkBytes*c+:8*ChunkBytes] <= kept[8*ChunkBytes*c+:8*ChunkBytes];
    end
  end
  always_ff @(posedge clk_i) if (trace_en_i && wr_valid_i) old_q <= shadow_q[wr_tile_i];
  initial for (int i = 0; i < tsr_pkg::PrmDepth; i++) shadow_q[i] = '0;
  tsr_digest #(
    .Bytes(Bytes),
    .Space(8'd6)
  ) u_digest (
    .clk_i,
    .rst_ni,
    .en_i(trace_en_i),
    .valid_i(wr_valid_i),
    .addr_i(32'(wr_tile_i) * 32'(Bytes)),
    .be_i(be),
    .new_i(kept),
    .old_i(old_q),
    .delta_o(digest_o)
  );
`endif
endmodule
`default_nettype wire
