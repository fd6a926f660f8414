// SPDX-License-Identifier: Apache-2.0
//
// tsr_lutram: one write port, one asynchronous read port; LUT RAM, for FIFOs and small tables.
//
//   Input   we_i, waddr_i, wdata_i: written on this edge
//   Output  rdata_o: the word at raddr_i, in the same cycle
//   Cost    about Width * Depth / 32 LUTs
`default_nettype none
module tsr_lutram #(
  parameter int Depth    = 32,  // words; >= 2
  parameter int Width    = 8,   // bits in a word; >= 1
  parameter int AddrBits = 5    // bits of an address: $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                we_i,
  input  logic [AddrBits-1:0] waddr_i,
  input  logic [Width-1:0]    wdata_i,
  input  logic [AddrBits-1:0] raddr_i,
  output logic [Width-1:0]    rdata_o
);
  (* ram_style = "distributed" *) logic [Width-1:0] mem_q [Depth];
  assign rdata_o = mem_q[raddr_i];

  always_ff @(posedge clk_i) begin
    if (we_i) mem_q[waddr_i] <= wdata_i;
  end

`ifdef FORMAL
  logic [AddrBits-1:0] proof_addr;  // driven by a proof
  logic [Width-1:0] proof_word;
  assign proof_word = mem_q[proof_addr];
`elsif SYNTHESIS
`else
  initial for (int i = 0; i < Depth; i++) mem_q[i] = '0;
`endif
endmodule
`default_nettype wire
