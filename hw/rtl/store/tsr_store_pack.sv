// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_pack: puts chunks of tiles together to bus words, at any byte alignment.
//
//   Input   chunks in the order of their runs: bytes, how many, place of the first in its bus word
//   Output  bus words with byte enables, in order
//   Cost    1 cycle of latency; a chunk a cycle, one more for a run's last chunk that spans two words
//
// Invariant: every chunk byte leaves once; a word leaves when it is full or its run ends.
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
  input  logic [BusShift:0]     bytes_i,   // 1 .. BusBytes, from the low end of data_i
  input  logic [BusShift-1:0]   off_i,
  input  logic                  eor_i,     // last chunk of a run
  // bus word
  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [8*BusBytes-1:0] data_o,
  output logic [BusBytes-1:0]   strb_o
);
  // Bytes that wait for the rest of their word; spill: they are a run's end and leave next.
  logic [8*BusBytes-1:0] part_q;
  logic [BusBytes-1:0] part_be_q;
  logic spill_q;

  logic [BusBytes-1:0] be;
  logic [16*BusBytes-1:0] two;
  logic [2*BusBytes-1:0] two_be;
  logic [BusShift+1:0] end_off;
  always_comb begin
    for (int b = 0; b < BusBytes; b++) be[b] = b < 32'(bytes_i);
  end
  assign two = {{8*BusBytes{1'b0}}, data_i} << {off_i, 3'd0};
  assign two_be = {{BusBytes{1'b0}}, be} << off_i;
  assign end_off = (BusShift + 2)'(off_i) + (BusShift + 2)'(bytes_i);

  logic full, spans, emits, go, take;
  assign full = end_off >= (BusShift + 2)'(BusBytes);
  assign spans = end_off > (BusShift + 2)'(BusBytes);
  assign emits = full | eor_i;
  assign go = ready_i | !valid_o;
  assign ready_o = go & !spill_q;
  assign take = valid_i & ready_o;

  logic [8*BusBytes-1:0] low;
  always_comb begin
    for (int b = 0; b < BusBytes; b++) low[8*b+:8] = part_be_q[b] ? part_q[8*b+:8] : two[8*b+:8];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      spill_q <= 1'b0;
      part_be_q <= '0;
    end else if (go) begin
      valid_o <= spill_q | (take & emits);
      spill_q <= take & eor_i & spans;
      if (spill_q) begin
        part_be_q <= '0;
      end else if (take) begin
        if (!emits) part_be_q <= part_be_q | two_be[BusBytes-1:0];
        else if (spans) part_be_q <= two_be[2*BusBytes-1:BusBytes];
        else part_be_q <= '0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      data_o <= spill_q ? part_q : low;
      strb_o <= spill_q ? part_be_q : part_be_q | two_be[BusBytes-1:0];
      if (take) part_q <= emits ? two[16*BusBytes-1:8*BusBytes] : low;
    end
  end

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {data_i, bytes_i, off_i, eor_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {data_o, strb_o})
  `TSR_ASSERT(no_overlap, valid_i && ready_o |-> (part_be_q & two_be[BusBytes-1:0]) == '0)
endmodule
