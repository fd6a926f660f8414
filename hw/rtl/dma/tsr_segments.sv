// SPDX-License-Identifier: Apache-2.0
//
// tsr_segments: a unit's copy of the segment registers, in LUT RAM.
//
//   Input   words as tsr_regs writes them; tsr_regs writes all of them after its reset
//   Input   a segment
//   Output  its base and size in bytes, in the same cycle; huge_o: the size has more than 40 bits
//   Cost    60 LUTs of RAM for 75 bits a segment
`default_nettype none
module tsr_segments (
  input  logic                    clk_i,
  input  tsr_dma_pkg::seg_write_t write_i,
  input  logic [2:0]              segment_i,
  output logic [39:0]             base_o,
  output logic [39:0]             size_o,
  output logic                    huge_o
);
  logic [2:0] at;
  logic [3:0] we;
  assign at = write_i.addr[4:2];
  for (genvar w = 0; w < 4; w++) begin : g_we
    assign we[w] = write_i.valid & (write_i.addr[1:0] == 2'(w));
  end

  logic [25:0] base_lo;
  logic [7:0] base_hi, size_hi;
  logic [31:0] size_lo;
  tsr_lutram #(
    .Depth(8),
    .Width(26),
    .AddrBits(3)
  ) u_base_lo (
    .clk_i,
    .we_i(we[0]),
    .waddr_i(at),
    .wdata_i(write_i.data[31:6]),
    .raddr_i(segment_i),
    .rdata_o(base_lo)
  );
  tsr_lutram #(
    .Depth(8),
    .Width(8),
    .AddrBits(3)
  ) u_base_hi (
    .clk_i,
    .we_i(we[1]),
    .waddr_i(at),
    .wdata_i(write_i.data[7:0]),
    .raddr_i(segment_i),
    .rdata_o(base_hi)
  );
  tsr_lutram #(
    .Depth(8),
    .Width(32),
    .AddrBits(3)
  ) u_size_lo (
    .clk_i,
    .we_i(we[2]),
    .waddr_i(at),
    .wdata_i(write_i.data),
    .raddr_i(segment_i),
    .rdata_o(size_lo)
  );
  tsr_lutram #(
    .Depth(8),
    .Width(9),
    .AddrBits(3)
  ) u_size_hi (
    .clk_i,
    .we_i(we[3]),
    .waddr_i(at),
    .wdata_i({write_i.data[31:8] != '0, write_i.data[7:0]}),
    .raddr_i(segment_i),
    .rdata_o({huge_o, size_hi})
  );
  assign base_o = {base_hi, base_lo, 6'd0};
  assign size_o = {size_hi, size_lo};
endmodule
`default_nettype wire
