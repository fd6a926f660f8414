// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_pack: packs chunks of tiles into bus words, at any byte alignment.
//
//   Input   chunks in the order of their runs: bytes, their mask, place of the first byte in its bus word
//   Output  bus words with byte enables, in order
//   Cost    a word leaves in the cycle of its last chunk; a chunk a cycle, one more for a run's last chunk that spans
//           two words
//
// Invariant: every chunk byte leaves once; a word leaves when it is full or its run ends.
`default_nettype none
`include "tsr_assert.svh"

module tsr_store_pack #(
  parameter int BusBytes = 8,
  parameter int BusShift = 3
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // chunk
  input  logic                  valid_i,
  output logic                  ready_o,
  input  logic [8*BusBytes-1:0] data_i,
  input  logic [BusBytes-1:0]   mask_i,    // bytes of data_i, from the low end; one at least
  input  logic [BusShift-1:0]   off_i,
  input  logic                  eor_i,     // last chunk of a run
  input  logic                  full_i,    // it goes to the end of its first byte's word, or past it
  input  logic                  spans_i,   // past it
  // bus word
  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [8*BusBytes-1:0] data_o,
  output logic [BusBytes-1:0]   strb_o
);
  // Bytes that wait for the rest of their word; spill: they end a run and leave next.
  logic [8*BusBytes-1:0] part_q;
  logic [BusBytes-1:0] part_be_q;
  logic spill_q;

  logic [8*BusBytes-1:0] turned;  // for both words; byte enables tell the word of each byte
  logic [2*BusBytes-1:0] two_be;
  logic [8*BusBytes-1:0] unused_low;
  assign {turned, unused_low} = {data_i, data_i} << {off_i, 3'd0};
  assign two_be = {{BusBytes{1'b0}}, mask_i} << off_i;

  logic emits, take;
  assign emits = full_i | eor_i;
  assign valid_o = spill_q | (valid_i & emits);
  assign ready_o = !spill_q & (ready_i | !emits);
  assign take = valid_i & ready_o;

  // A byte that is not enabled may have any value.
  always_comb begin
    for (int b = 0; b < BusBytes; b++) data_o[8*b+:8] = part_be_q[b] ? part_q[8*b+:8] : turned[8*b+:8];
  end
  assign strb_o = spill_q ? part_be_q : part_be_q | two_be[BusBytes-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      spill_q <= 1'b0;
      part_be_q <= '0;
    end else if (take) begin
      spill_q <= eor_i & spans_i;
      if (!emits) part_be_q <= part_be_q | two_be[BusBytes-1:0];
      else part_be_q <= spans_i ? two_be[2*BusBytes-1:BusBytes] : '0;
    end else if (spill_q && ready_i) begin
      spill_q <= 1'b0;
      part_be_q <= '0;
    end
  end
  always_ff @(posedge clk_i) if (take) part_q <= emits ? turned : data_o;

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {data_i, mask_i, off_i, eor_i})
`ifndef SYNTHESIS
  logic [8*BusBytes-1:0] enabled;
  for (genvar b = 0; b < BusBytes; b++) begin : g_enabled
    assign enabled[8*b+:8] = strb_o[b] ? data_o[8*b+:8] : 8'd0;
  end
`endif
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {enabled, strb_o})
  `TSR_ASSERT_IF(no_overlap, valid_i && ready_o, (part_be_q & two_be[BusBytes-1:0]) == '0)
endmodule
`default_nettype wire
