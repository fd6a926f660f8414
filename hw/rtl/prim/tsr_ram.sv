// SPDX-License-Identifier: Apache-2.0
//
// tsr_ram: one write port with byte enables, one read port with a registered output; block RAM.
//
//   Input   we_i, waddr_i, be_i, wdata_i: written on this edge
//   Input   re_i, raddr_i: read on this edge; rdata_o holds it from the next cycle until the next read
//   Cost    1 cycle from re_i to rdata_o; Depth x Bytes bytes of block RAM, cut in columns of 8 bytes
//
// Invariant: a read in the cycle of a write to the same address gives the old bytes.
`default_nettype none
module tsr_ram #(
  parameter int Depth    = 512,  // words; >= 2
  parameter int Bytes    = 8,    // bytes in a word; >= 1
  parameter int AddrBits = 9     // bits of an address: $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                we_i,
  input  logic [AddrBits-1:0] waddr_i,
  input  logic [Bytes-1:0]    be_i,
  input  logic [8*Bytes-1:0]  wdata_i,
  input  logic                re_i,
  input  logic [AddrBits-1:0] raddr_i,
  output logic [8*Bytes-1:0]  rdata_o
`ifndef SYNTHESIS
  ,
  input  logic                look_i,  // for digests: old_o has, in the next cycle, the word before a write in this one
  output logic [8*Bytes-1:0]  old_o
`endif
);
  localparam int Column = 8;
  localparam int Columns = (Bytes + Column - 1) / Column;

  for (genvar c = 0; c < Columns; c++) begin : g_column
    localparam int Low = c * Column;
    localparam int N = (Bytes - Low < Column) ? Bytes - Low : Column;  // bytes of this column
    (* ram_style = "block" *) logic [8*N-1:0] mem_q [Depth];  // small memories too: LUTs are scarcer
    logic [8*N-1:0] rdata_q;
    assign rdata_o[8*Low+:8*N] = rdata_q;

    always_ff @(posedge clk_i) begin
      if (re_i) rdata_q <= mem_q[raddr_i];
    end
`ifdef SYNTHESIS
    always_ff @(posedge clk_i) begin
      for (int b = 0; b < N; b++) begin
        if (we_i && be_i[Low+b]) mem_q[waddr_i][8*b+:8] <= wdata_i[8*(Low+b)+:8];
      end
    end
`else
    // The same write as one store; only a partial one costs a simulator a merge.
    function automatic [8*N-1:0] merged(input [8*N-1:0] was, input [8*N-1:0] is, input [N-1:0] be);
      for (int b = 0; b < N; b++) merged[8*b+:8] = be[b] ? is[8*b+:8] : was[8*b+:8];
    endfunction
    always_ff @(posedge clk_i) begin
      if (we_i) begin
        mem_q[waddr_i] <= (&be_i[Low+:N]) ? wdata_i[8*Low+:8*N]
                          : merged(mem_q[waddr_i], wdata_i[8*Low+:8*N], be_i[Low+:N]);
      end
    end
    logic [8*N-1:0] old_q;
    always_ff @(posedge clk_i) if (we_i && look_i) old_q <= mem_q[waddr_i];
    assign old_o[8*Low+:8*N] = old_q;
    initial for (int i = 0; i < Depth; i++) mem_q[i] = '0;
`endif
  end

`ifndef SYNTHESIS
  initial begin
    if (Depth < 2 || Bytes < 1) $fatal(1, "tsr_ram: Depth is %0d, Bytes is %0d", Depth, Bytes);
    if ((64'd1 << AddrBits) < 64'(Depth)) $fatal(1, "tsr_ram: AddrBits is %0d, Depth is %0d", AddrBits, Depth);
  end
`endif
endmodule
`default_nettype wire
