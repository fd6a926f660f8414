// SPDX-License-Identifier: Apache-2.0
//
// tsr_chunk: spreads LOAD's chunk over a whole tile: data and byte enables for a tile-wide RAM. The data
// repeat the chunk in every place, and the enables select the place to write. With fill, which comes with
// the first chunk only, every place but the first gets the pad.
//
//   Input   off_i, data_i, be_i, fill_i, pad_i: as in hw/rtl/README.md, "LOAD's write port"
//   Output  wdata_o, wbe_o, in the same cycle
`default_nettype none
module tsr_chunk #(
  parameter int TileBytes  = 16,  // bytes in a tile; a multiple of ChunkBytes, or less than it
  parameter int ChunkBytes = 8    // bytes in a chunk: BusBytes; a power of two, >= 4
) (
  input  logic [15:0]             off_i,
  input  logic [8*ChunkBytes-1:0] data_i,
  input  logic [ChunkBytes-1:0]   be_i,
  input  logic                    fill_i,
  input  logic [31:0]             pad_i,
  output logic [8*TileBytes-1:0]  wdata_o,
  output logic [TileBytes-1:0]    wbe_o
);
  localparam int Shift = $clog2(ChunkBytes);
  if (TileBytes <= ChunkBytes) begin : g_narrow
    assign wdata_o = data_i[8*TileBytes-1:0];
    assign wbe_o = be_i[TileBytes-1:0];
    logic unused;
    assign unused = ^{off_i, fill_i, pad_i, data_i, be_i};
  end else begin : g_wide
    logic [8*ChunkBytes-1:0] others;
    assign others = fill_i ? {ChunkBytes / 4{pad_i}} : data_i;
    for (genvar c = 0; c < TileBytes / ChunkBytes; c++) begin : g_chunk
      logic here;
      assign here = (off_i >> Shift) == 16'(c);
      assign wdata_o[8*ChunkBytes*c+:8*ChunkBytes] = c == 0 ? data_i : others;
      assign wbe_o[ChunkBytes*c+:ChunkBytes] = here ? be_i : {ChunkBytes{fill_i}};
    end
  end
`ifndef SYNTHESIS
  initial if (TileBytes > ChunkBytes && TileBytes % ChunkBytes != 0)
    $fatal(1, "tsr_chunk: TileBytes is %0d, ChunkBytes is %0d", TileBytes, ChunkBytes);
`endif
endmodule
`default_nettype wire
