// SPDX-License-Identifier: Apache-2.0
//
// tsr_banked_mem: a scratchpad of tiles in banks; each bank does one read and one write a cycle.
//
//   Read    the readers in order of priority: a bank serves the first one that asks for it, and
//           rd_ready_o is 0 for the others. Data come in the next cycle, and are valid only then;
//           with one bank they stay until the next read
//   Write   the writers of whole tiles in order of priority, then LOAD, in the same way
//   Output  digests of the writes of the cycle before (tsr_digest); 0 under SYNTHESIS
//
// Invariant: a read sees all earlier writes, but not one of the same cycle. rd_ready_o of the first
// reader and wr_ready_o of the first writer are always 1.
`default_nettype none
`include "tsr_assert.svh"

module tsr_banked_mem #(
  parameter int Depth = 512,                  // tiles; a multiple of Banks
  parameter int Bytes = 16,                   // bytes in a tile
  parameter int AddrBits = 9,                 // bits of a tile index: $clog2(Depth)
  parameter int Banks = 4,                    // a power of two, >= 1
  parameter bit BankHigh = 1'b0,              // 1: a tile's bank is its index's high bits; 0: the low bits
  parameter int Readers = 1,                  // >= 1
  parameter int Writers = 0,                  // writers of whole tiles; 0: only LOAD writes
  parameter logic [7:0] Space = 8'd1,         // of tsr_digest
  localparam int Ports = Writers > 0 ? Writers : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           trace_en_i,
  // reads, by reader
  input  logic [Readers-1:0]             rd_valid_i,
  output logic [Readers-1:0]             rd_ready_o,
  input  logic [AddrBits*Readers-1:0]    rd_addr_i,
  output logic [8*Bytes*Readers-1:0]     rd_data_o,
  // whole tiles, by writer; unused when Writers is 0
  input  logic [Ports-1:0]               wr_valid_i,
  output logic [Ports-1:0]               wr_ready_o,
  input  logic [AddrBits*Ports-1:0]      wr_addr_i,
  input  logic [8*Bytes*Ports-1:0]       wr_data_i,
  output logic [64*Ports-1:0]            wr_digest_o,
  // LOAD's chunks (hw/rtl/README.md)
  input  logic                           ld_wr_valid_i,
  output logic                           ld_wr_ready_o,
  input  logic [AddrBits-1:0]            ld_wr_addr_i,
  input  logic [15:0]                    ld_wr_off_i,
  input  logic [tsr_pkg::BusBits-1:0]    ld_wr_data_i,
  input  logic [tsr_pkg::BusBytes-1:0]   ld_wr_be_i,
  input  logic                           ld_wr_fill_i,
  input  logic [31:0]                    ld_wr_pad_i,
  output logic [63:0]                    ld_wr_digest_o
);
  localparam int Bits = 8 * Bytes;
  localparam int BankBits = $clog2(Banks);
  localparam int SelBits = BankBits > 0 ? BankBits : 1;  // bits that hold a bank
  localparam int RowBits = AddrBits - BankBits;          // address bits in a bank

  function automatic [SelBits-1:0] bank_of(input [AddrBits-1:0] addr);
    bank_of = BankHigh ? SelBits'(addr >> RowBits) : SelBits'(addr) & SelBits'(Banks - 1);
  endfunction
  function automatic [RowBits-1:0] row_of(input [AddrBits-1:0] addr);
    row_of = BankHigh ? RowBits'(addr) : RowBits'(addr >> BankBits);
  endfunction

  logic [Bits-1:0] ld_data;
  logic [Bytes-1:0] ld_be;
  tsr_chunk #(.TileBytes(Bytes), .ChunkBytes(tsr_pkg::BusBytes)) u_chunk (
    .off_i(ld_wr_off_i), .data_i(ld_wr_data_i), .be_i(ld_wr_be_i), .fill_i(ld_wr_fill_i), .pad_i(ld_wr_pad_i),
    .wdata_o(ld_data), .wbe_o(ld_be)
  );

  // All writers; LOAD is the last.
  localparam int All = Writers + 1;
  logic [All-1:0] w_valid, w_ready;
  logic [AddrBits*All-1:0] w_addr;
  logic [Bits*All-1:0] w_data;
  logic [64*All-1:0] w_digest;
  if (Writers > 0) begin : g_writers
    assign w_valid = {ld_wr_valid_i, wr_valid_i};
    assign w_addr = {ld_wr_addr_i, wr_addr_i};
    assign w_data = {ld_data, wr_data_i};
    assign wr_ready_o = w_ready[Ports-1:0];
    assign wr_digest_o = w_digest[64*Ports-1:0];
  end else begin : g_load_only
    assign w_valid = ld_wr_valid_i;
    assign w_addr = ld_wr_addr_i;
    assign w_data = ld_data;
    assign wr_ready_o = '0;
    assign wr_digest_o = '0;
    logic unused_writers;
    assign unused_writers = ^{wr_valid_i, wr_addr_i, wr_data_i};
  end
  assign ld_wr_ready_o = w_ready[All-1];
  assign ld_wr_digest_o = w_digest[64*(All-1)+:64];

  // Banks and rows; the readers and writers that must wait.
  logic [SelBits*Readers-1:0] r_bank, r_bank_q;
  logic [RowBits*Readers-1:0] r_row;
  for (genvar r = 0; r < Readers; r++) begin : g_reader
    logic [r:0] refused;
    assign r_bank[SelBits*r+:SelBits] = bank_of(rd_addr_i[AddrBits*r+:AddrBits]);
    assign r_row[RowBits*r+:RowBits] = row_of(rd_addr_i[AddrBits*r+:AddrBits]);
    assign refused[0] = 1'b0;
    for (genvar a = 0; a < r; a++) begin : g_ahead
      assign refused[a+1] = rd_valid_i[a] && r_bank[SelBits*a+:SelBits] == r_bank[SelBits*r+:SelBits];
    end
    assign rd_ready_o[r] = refused == '0;
  end
  logic [SelBits*All-1:0] w_bank;
  logic [RowBits*All-1:0] w_row;
  for (genvar w = 0; w < All; w++) begin : g_writer
    logic [w:0] refused;
    assign w_bank[SelBits*w+:SelBits] = bank_of(w_addr[AddrBits*w+:AddrBits]);
    assign w_row[RowBits*w+:RowBits] = row_of(w_addr[AddrBits*w+:AddrBits]);
    assign refused[0] = 1'b0;
    for (genvar a = 0; a < w; a++) begin : g_ahead
      assign refused[a+1] = w_valid[a] && w_bank[SelBits*a+:SelBits] == w_bank[SelBits*w+:SelBits];
    end
    assign w_ready[w] = refused == '0;
  end

  logic [Banks*Bits-1:0] rdata;
`ifndef SYNTHESIS
  logic [64*Banks-1:0] delta;  // digest of the write to a bank in the cycle before
`endif
  for (genvar b = 0; b < Banks; b++) begin : g_bank
    logic [Readers-1:0] reads;
    logic [All-1:0] writes;
    for (genvar r = 0; r < Readers; r++) begin : g_reads
      assign reads[r] = rd_valid_i[r] && r_bank[SelBits*r+:SelBits] == SelBits'(b);
    end
    for (genvar w = 0; w < All; w++) begin : g_writes
      assign writes[w] = w_valid[w] && w_bank[SelBits*w+:SelBits] == SelBits'(b);
    end
    // The first port that asks for the bank, else the last port.
    logic [RowBits-1:0] raddr, waddr;
    logic [Bits-1:0] wdata;
    logic [Bytes-1:0] be;
    always_comb begin
      raddr = r_row[RowBits*(Readers-1)+:RowBits];
      for (int r = Readers - 2; r >= 0; r--) if (reads[r]) raddr = r_row[RowBits*r+:RowBits];
      waddr = w_row[RowBits*Writers+:RowBits];
      wdata = ld_data;
      be = ld_be;
      for (int w = Writers - 1; w >= 0; w--) begin
        if (writes[w]) begin
          waddr = w_row[RowBits*w+:RowBits];
          wdata = w_data[Bits*w+:Bits];
          be = '1;
        end
      end
    end
`ifndef SYNTHESIS
    logic [Bits-1:0] old;
`endif
    tsr_ram #(.Depth(Depth / Banks), .Bytes(Bytes), .AddrBits(RowBits)) u_ram (
      .clk_i,
      .we_i(writes != '0),
      .waddr_i(waddr),
      .be_i(be),
      .wdata_i(wdata),
      .re_i(reads != '0),
      .raddr_i(raddr),
      .rdata_o(rdata[Bits*b+:Bits])
`ifndef SYNTHESIS
      ,
      .look_i(trace_en_i),
      .old_o(old)
`endif
    );
`ifndef SYNTHESIS
    logic [AddrBits-1:0] tile;
    assign tile = BankHigh ? AddrBits'(b) << RowBits | AddrBits'(waddr) : AddrBits'(waddr) << BankBits | AddrBits'(b);
    tsr_digest #(.Bytes(Bytes), .Space(Space)) u_digest (
      .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(writes != '0), .addr_i(32'(tile) * Bytes),
      .be_i(be), .new_i(wdata), .old_i(old), .delta_o(delta[64*b+:64])
    );
`endif
  end

  always_ff @(posedge clk_i) r_bank_q <= r_bank;
  for (genvar r = 0; r < Readers; r++) begin : g_data
    if (Banks > 1) begin : g_mux
      tsr_mux #(.Width(Bits), .Words(Banks), .SelBits(SelBits)) u_mux (
        .words_i(rdata), .sel_i(r_bank_q[SelBits*r+:SelBits]), .word_o(rd_data_o[Bits*r+:Bits])
      );
    end else begin : g_one
      assign rd_data_o[Bits*r+:Bits] = rdata;
      logic unused_bank;
      assign unused_bank = ^r_bank_q[SelBits*r+:SelBits];
    end
  end

`ifdef SYNTHESIS
  assign w_digest = '0;
  logic unused;
  assign unused = ^{rst_ni, trace_en_i};
`else
  // Each writer's digest, from the bank that it wrote.
  logic [All-1:0] wrote_q;
  logic [SelBits*All-1:0] w_bank_q;
  always_ff @(posedge clk_i) begin
    wrote_q <= {All{rst_ni && trace_en_i}} & w_valid & w_ready;
    if (trace_en_i) w_bank_q <= w_bank;
  end
  for (genvar w = 0; w < All; w++) begin : g_digest
    assign w_digest[64*w+:64] = wrote_q[w] ? delta[64*w_bank_q[SelBits*w+:SelBits]+:64] : '0;
  end
  initial begin
    if (Banks < 1 || (Banks & (Banks - 1)) != 0 || Depth % Banks != 0)
      $fatal(1, "tsr_banked_mem: Banks is %0d, Depth is %0d", Banks, Depth);
    if (Readers < 1) $fatal(1, "tsr_banked_mem: Readers is %0d, must be >= 1", Readers);
  end
`endif
  `TSR_ASSERT_STREAM(ld_wr, ld_wr_valid_i, ld_wr_ready_o, {ld_wr_addr_i, ld_wr_off_i, ld_wr_data_i, ld_wr_be_i})
  `TSR_ASSERT_IF(fill_with_the_first_chunk, ld_wr_valid_i && ld_wr_fill_i, ld_wr_off_i == '0)
  for (genvar w = 0; w < Writers; w++) begin : g_hold
    `TSR_ASSERT_STREAM(wr, wr_valid_i[w], wr_ready_o[w], {wr_addr_i[AddrBits*w+:AddrBits], wr_data_i[Bits*w+:Bits]})
  end
endmodule
`default_nettype wire
