// SPDX-License-Identifier: Apache-2.0
//
// tsr_axi_write: the AXI write channels of STORE, drained at the end of a run.
//
//   Input   requests; words with byte enables, in the number and order of the requests
//   Output  AXI write address and data channels from flops; the module sets WLAST itself
//   Output  b_valid_o for each response
//   Cost    1 cycle from request or word to channel
//
// Invariant: the module sends no word before it has accepted the word's request. With flush_i it sends no new
// request, sends the words still owed without byte enables, and drops responses; quiet_o means that every
// request is answered. rst_ni resets the bus (tsr_power_on), not the machine: when STORE is reset, the module
// still holds offered requests and words and gives every burst all its words. A response without a request is
// not counted.
`default_nettype none
`include "tsr_assert.svh"

module tsr_axi_write #(
  parameter int BusBits    = 64,
  parameter int MaxBursts  = 16,  // requests that are still owed words; a power of two
  parameter int AxiVersion = 4    // 3: a slave may answer a burst before it takes the request, not before it takes the words
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 flush_i,
  output logic                 quiet_o,
  // STORE
  input  logic                 aw_valid_i,
  output logic                 aw_ready_o,
  input  logic [39:0]          aw_addr_i,
  input  logic [7:0]           aw_len_i,
  input  logic [31:0]          aw_num_i,
  input  logic                 w_valid_i,
  output logic                 w_ready_o,
  input  logic [BusBits-1:0]   w_data_i,
  input  logic [BusBits/8-1:0] w_strb_i,
  output logic                 b_valid_o,
  output logic                 b_err_o,
  // AXI
  output logic                 m_awvalid_o,
  input  logic                 m_awready_i,
  output logic [39:0]          m_awaddr_o,
  output logic [7:0]           m_awlen_o,
  output logic                 m_wvalid_o,
  input  logic                 m_wready_i,
  output logic [BusBits-1:0]   m_wdata_o,
  output logic [BusBits/8-1:0] m_wstrb_o,
  output logic                 m_wlast_o,
  output logic [31:0]          wnum_o,       // aw_num_i of the word's request
  input  logic                 m_bvalid_i,
  output logic                 m_bready_o,
  input  logic [1:0]           m_bresp_i
);

  logic aw_push, aw_room, owed_room, owed;
  logic [7:0] owed_len;
  logic [31:0] owed_num;
  // STORE is in reset with flush_i and then ignores what is ready, so flush_i does not run through STORE.
  assign aw_push = aw_valid_i & aw_ready_o & !flush_i;
  assign aw_ready_o = aw_room & owed_room;
  tsr_skid #(
    .Width(48)
  ) u_aw (
    .clk_i,
    .rst_ni,
    .valid_i(aw_push),
    .ready_o(aw_room),
    .data_i({aw_addr_i, aw_len_i}),
    .valid_o(m_awvalid_o),
    .ready_i(m_awready_i),
    .data_o({m_awaddr_o, m_awlen_o})
  );

  // Requests that are owed words.
  logic w_push, w_room, w_last;
  logic [7:0] beat_q;
  tsr_fifo #(
    .Width(40),
    .Depth(MaxBursts)
  ) u_owed (
    .clk_i,
    .rst_ni,
    .valid_i(aw_push),
    .ready_o(owed_room),
    .data_i({aw_len_i, aw_num_i}),
    .valid_o(owed),
    .ready_i(w_push & w_last),
    .data_o({owed_len, owed_num})
  );
  assign w_last = beat_q == owed_len;
  assign w_push = owed & w_room & (w_valid_i | flush_i);
  assign w_ready_o = owed & w_room;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (w_push) beat_q <= w_last ? '0 : beat_q + 8'd1;
  end
  tsr_skid #(
    .Width(BusBits + BusBits / 8 + 1 + 32)
  ) u_w (
    .clk_i,
    .rst_ni,
    .valid_i(w_push),
    .ready_o(w_room),
    .data_i({w_data_i, flush_i ? {BusBits / 8{1'b0}} : w_strb_i, w_last, owed_num}),
    .valid_o(m_wvalid_o),
    .ready_i(m_wready_i),
    .data_o({m_wdata_o, m_wstrb_o, m_wlast_o, wnum_o})
  );

  assign m_bready_o = 1'b1;
  assign b_valid_o = m_bvalid_i & !flush_i;
  assign b_err_o = m_bresp_i[1];
  logic [7:0] bursts_q;
  logic ends;
  assign ends = m_bvalid_i & (bursts_q != '0);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) bursts_q <= '0;
    else bursts_q <= bursts_q + 8'(aw_push) - 8'(ends);
  end
  assign quiet_o = bursts_q == '0 && !(AxiVersion == 3 && m_awvalid_o);

  logic unused;
  assign unused = m_bresp_i[0];

  `TSR_ASSERT_STREAM(aw, m_awvalid_o, m_awready_i, {m_awaddr_o, m_awlen_o})
  `TSR_ASSERT_STREAM(w, m_wvalid_o, m_wready_i, {m_wdata_o, m_wstrb_o, m_wlast_o})
  `TSR_ASSERT_IF(response_was_asked_for, m_bvalid_i, bursts_q != '0)
endmodule
`default_nettype wire
