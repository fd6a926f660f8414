// SPDX-License-Identifier: Apache-2.0
//
// tsr_serial_mem: the machine's memory inside the part, in block RAM.
//
//   Input   AXI4 slave for the machine: bursts INCR of whole words; a port for tsr_serial, one byte at a time
//   Output  a burst past the memory is answered with errors, and writes nothing
//   Cost    a read 3 cycles and a beat a cycle; a write a beat a cycle, and 2 cycles a burst. A byte of tsr_serial takes
//           the cycle from the machine
//
// Invariant: a word has what its last write gave it; the bytes of a write in the cycle of a read are seen by the next one.
`default_nettype none
`include "tsr_assert.svh"

module tsr_serial_mem #(
  parameter int MemoryBytes = 262144,  // a power of two
  parameter int AddrBits    = 18,      // $clog2(MemoryBytes)
  parameter int BusBits     = 64,
  parameter int WordBits    = 3        // of a byte's number in a word: $clog2(BusBits / 8)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,  // of the machine and its bus; the contents stay
  // tsr_serial
  input  logic                 byte_write_i,
  input  logic                 byte_read_i,
  input  logic [AddrBits-1:0]  byte_addr_i,
  input  logic [7:0]           byte_wdata_i,
  output logic [7:0]           byte_rdata_o,  // in the cycle after byte_read_i
  // AXI4
  input  logic                 s_arvalid_i,
  output logic                 s_arready_o,
  input  logic [39:0]          s_araddr_i,
  input  logic [7:0]           s_arlen_i,
  input  logic                 s_arid_i,
  output logic                 s_rvalid_o,
  input  logic                 s_rready_i,
  output logic [BusBits-1:0]   s_rdata_o,
  output logic [1:0]           s_rresp_o,
  output logic                 s_rlast_o,
  output logic                 s_rid_o,
  input  logic                 s_awvalid_i,
  output logic                 s_awready_o,
  input  logic [39:0]          s_awaddr_i,
  input  logic                 s_awid_i,
  input  logic                 s_wvalid_i,
  output logic                 s_wready_o,
  input  logic [BusBits-1:0]   s_wdata_i,
  input  logic [BusBits/8-1:0] s_wstrb_i,
  input  logic                 s_wlast_i,
  output logic                 s_bvalid_o,
  input  logic                 s_bready_i,
  output logic [1:0]           s_bresp_o,
  output logic                 s_bid_o
);
  localparam int Bytes = BusBits / 8;
  localparam int IndexBits = AddrBits - WordBits;
  localparam int Room = 4;  // beats that wait for the machine

  // ---- the machine's reads: addresses one after the other, as far as there is room for their beats
  logic reading_q, read_bad_q, read_id_q, issue, read_last;
  logic [IndexBits-1:0] read_index_q;
  logic [7:0] read_left_q;
  logic [2:0] room_q;
  logic [2:0] flight_q;   // {last, id, bad} of the beat that the RAM shows
  logic shown_q;
  assign s_arready_o = !reading_q;
  assign issue = reading_q & (room_q != '0) & !byte_read_i;
  assign read_last = read_left_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      room_q <= 3'(Room);
      shown_q <= 1'b0;
    end else begin
      shown_q <= issue;
      room_q <= room_q - 3'(issue) + 3'(s_rvalid_o && s_rready_i);
      if (s_arvalid_i && s_arready_o) reading_q <= 1'b1;
      else if (issue && read_last) reading_q <= 1'b0;
    end
    flight_q <= {read_last, read_id_q, read_bad_q};
    if (s_arvalid_i && s_arready_o) begin
      read_index_q <= s_araddr_i[AddrBits-1:WordBits];
      read_bad_q <= s_araddr_i[39:AddrBits] != '0;
      read_left_q <= s_arlen_i;
      read_id_q <= s_arid_i;
    end else if (issue) begin
      read_index_q <= read_index_q + 1'b1;
      read_left_q <= read_left_q - 8'd1;
    end
  end
  logic [BusBits-1:0] word;
  logic last, id, bad, unused_ready;
  tsr_fifo #(
    .Width(BusBits + 3),
    .Depth(Room)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(shown_q),
    .ready_o(unused_ready),
    .data_i({flight_q, word}),
    .valid_o(s_rvalid_o),
    .ready_i(s_rready_i),
    .data_o({last, id, bad, s_rdata_o})
  );
  assign s_rlast_o = last;
  assign s_rid_o = id;
  assign s_rresp_o = {bad, 1'b0};

  // ---- the machine's writes: one burst at a time
  logic writing_q, write_bad_q, write;
  logic [IndexBits-1:0] write_index_q;
  assign s_awready_o = !writing_q & !s_bvalid_o;
  assign s_wready_o = writing_q & !byte_write_i;
  assign write = s_wvalid_i & s_wready_o;
  assign s_bresp_o = {write_bad_q, 1'b0};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      writing_q <= 1'b0;
      s_bvalid_o <= 1'b0;
    end else begin
      if (s_awvalid_i && s_awready_o) writing_q <= 1'b1;
      else if (write && s_wlast_i) writing_q <= 1'b0;
      s_bvalid_o <= (write & s_wlast_i) | (s_bvalid_o & !s_bready_i);
    end
    if (s_awvalid_i && s_awready_o) begin
      write_index_q <= s_awaddr_i[AddrBits-1:WordBits];
      write_bad_q <= s_awaddr_i[39:AddrBits] != '0;
      s_bid_o <= s_awid_i;
    end else if (write) begin
      write_index_q <= write_index_q + 1'b1;
    end
  end

  // ---- the RAM
  logic [WordBits-1:0] lane_q;
  always_ff @(posedge clk_i) if (byte_read_i) lane_q <= byte_addr_i[WordBits-1:0];
  assign byte_rdata_o = word[8*lane_q+:8];
`ifndef SYNTHESIS
  logic [BusBits-1:0] unused_old;
`endif
  tsr_ram #(
    .Depth(1 << IndexBits),
    .Bytes(Bytes),
    .AddrBits(IndexBits)
  ) u_ram (
    .clk_i,
    .we_i(byte_write_i | (write & !write_bad_q)),
    .waddr_i(byte_write_i ? byte_addr_i[AddrBits-1:WordBits] : write_index_q),
    .be_i(byte_write_i ? Bytes'(1) << byte_addr_i[WordBits-1:0] : s_wstrb_i),
    .wdata_i(byte_write_i ? {Bytes{byte_wdata_i}} : s_wdata_i),
    .re_i(byte_read_i | issue),
    .raddr_i(byte_read_i ? byte_addr_i[AddrBits-1:WordBits] : read_index_q),
    .rdata_o(word)
`ifndef SYNTHESIS
    ,
    .look_i(1'b0),
    .old_o(unused_old)
`endif
  );

  logic unused;
  assign unused = ^{s_araddr_i[WordBits-1:0], s_awaddr_i[WordBits-1:0], unused_ready
`ifndef SYNTHESIS
                    , unused_old
`endif
                    };
`ifndef SYNTHESIS
  initial begin
    if ((1 << AddrBits) != MemoryBytes || (8 << WordBits) != BusBits)
      $fatal(1, "tsr_serial_mem: MemoryBytes %0d, AddrBits %0d, BusBits %0d, WordBits %0d", MemoryBytes, AddrBits, BusBits, WordBits);
  end
`endif
  `TSR_ASSERT_STREAM(r, s_rvalid_o, s_rready_i, {s_rdata_o, s_rresp_o, s_rlast_o, s_rid_o})
  `TSR_ASSERT_STREAM(b, s_bvalid_o, s_bready_i, s_bresp_o)
endmodule
`default_nettype wire
