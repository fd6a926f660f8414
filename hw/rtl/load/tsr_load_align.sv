// SPDX-License-Identifier: Apache-2.0
//
// tsr_load_align: cuts chunks out of the beats of device memory, at any byte alignment, and makes the
// scratchpad write of every chunk operation.
//
//   Input   operations (tsr_dma_walk) and beats, both in order
//   Output  LOAD's write port (hw/rtl/README.md)
//   Output  done_o with the last operation of a command: its write is on the edge of this cycle
//   Cost    2 cycles from beat to write; 1 chunk a cycle; two writes wait here, so that no combinational path goes
//           from the scratchpads to the stages ahead
//
// Invariant: the beats of a run are consumed to its end; a beat with an error stops everything.
`default_nettype none
`include "tsr_assert.svh"

module tsr_load_align #(
  parameter int BusBytes = 8,
  parameter int BusShift = 3
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  vta_i,
  // operation
  input  logic                  op_valid_i,
  output logic                  op_ready_o,
  input  logic                  op_write_i,
  input  logic                  op_data_i,
  input  logic                  op_fill_i,
  input  logic [2:0]            op_mem_i,
  input  logic [tsr_pkg::BoxTileBits-1:0] op_tile_i,  // profile vta, UOP: a tile is 4 bytes, half a word
  input  logic [tsr_pkg::BoxTileBytesBits-1:0] op_chunk_i,
  input  logic [BusBytes-1:0]   op_mask_i,
  input  logic [BusShift-1:0]   op_off_i,
  input  logic                  op_eor_i,
  input  logic                  op_full_i,       // its bytes go to the end of the beat, or past it
  input  logic                  op_spans_i,      // past it
  input  logic [7:0]            op_pad_value_i,
  input  logic                  op_last_i,
  // beat
  input  logic                  beat_valid_i,
  output logic                  beat_ready_o,
  input  logic [8*BusBytes-1:0] beat_data_i,
  input  logic                  beat_err_i,
  // scratchpad write
  output logic                  wr_valid_o,
  input  logic                  wr_ready_i,
  output logic [2:0]            wr_mem_o,
  output logic [19:0]           wr_tile_o,
  output logic [15:0]           wr_off_o,
  output logic [8*BusBytes-1:0] wr_data_o,
  output logic [BusBytes-1:0]   wr_be_o,
  output logic                  wr_fill_o,
  output logic [31:0]           wr_pad_o,
  // events
  output logic                  done_o,
  output logic                  err_o,      // the operation in front met a beat with an error; once
  output logic                  starved_o,  // the operation in front waits for a beat
  output logic                  blocked_o   // it waits for a write
);
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int ByteBits = tsr_pkg::BoxTileBytesBits;
  localparam int ChunkBits = ByteBits > BusShift ? ByteBits - BusShift : 1;  // of a chunk's number

  // The beat in front, and the one behind it (the input).
  logic cur_full_q, cur_err_q;
  logic [8*BusBytes-1:0] cur_q;

  // room: for one more write, whatever happens to the earlier ones. A beat with an error is never in front. An operation
  // with such a beat as its second one moves on, but writes nothing, and is the last one to move.
  logic have, bad, stop_q, room, step;
  assign have = op_data_i ? cur_full_q & (!op_spans_i | beat_valid_i) : !stop_q;
  assign bad = op_data_i & op_spans_i & beat_err_i;
  assign op_ready_o = have & room;
  assign step = op_valid_i & op_ready_o;
  assign err_o = op_valid_i & op_data_i & !stop_q & (cur_full_q ? op_spans_i & beat_valid_i & beat_err_i : cur_err_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stop_q <= 1'b0;
    else if (err_o) stop_q <= 1'b1;
  end
  assign starved_o = op_valid_i & !have;

  // The next beat moves up when the front beat is used up or missing. An operation that ends its run in that beat uses up both.
  logic use_cur, use_next;
  assign use_cur = step & op_data_i & (op_eor_i | op_full_i);
  assign use_next = step & op_data_i & op_eor_i & op_spans_i;
  assign beat_ready_o = !cur_full_q | use_cur;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cur_full_q <= 1'b0;
      cur_err_q <= 1'b0;
    end else if (beat_ready_o) begin
      cur_full_q <= beat_valid_i & !use_next & !beat_err_i & !cur_err_q;
      cur_err_q <= (beat_valid_i & beat_err_i) | cur_err_q;
    end
  end
  always_ff @(posedge clk_i) if (beat_ready_o) cur_q <= beat_data_i;

  // The bytes, cut and not yet placed. take: the byte is written from them, else from the pad, which is a low byte and
  // three equal high ones.
  logic [16*BusBytes-1:0] two;
  logic [8*BusBytes-1:0] cut;
  logic [BusBytes-1:0] take;
  logic [7:0] pad_high;
  logic acc8, uop_half;
  assign two = {beat_data_i, cur_q} >> {op_off_i, 3'd0};
  assign cut = two[8*BusBytes-1:0];
  assign pad_high = (acc8 | (op_mem_i == tsr_pkg::MEM_ACC)) ? {8{op_pad_value_i[7]}} : op_pad_value_i;
  assign acc8 = op_mem_i == tsr_pkg::MEM_ACC8;
  assign uop_half = vta_i & (op_mem_i == tsr_pkg::MEM_UOP);
  always_comb begin
    for (int b = 0; b < BusBytes; b++) take[b] = op_mask_i[acc8 ? b/4 : b];
  end

  // The write. half: half a word of micro-ops, the high half with odd.
  logic out_valid, out_ready, out_write, out_last, out_acc8, out_half, out_odd;
  logic [BusBytes-1:0] out_take;
  logic [8*BusBytes-1:0] out_cut;
  logic [TileBits-1:0] out_tile;
  logic [ChunkBits-1:0] out_chunk;
  logic [7:0] out_pad_high, out_pad_value;
  tsr_skid #(
    .Width(2 + 3 + 3 + TileBits + ChunkBits + 9 * BusBytes + 1 + 16)
  ) u_write (
    .clk_i,
    .rst_ni,
    .valid_i(step),
    .ready_o(room),
    .data_i({op_write_i & !bad, op_last_i & !bad, acc8 ? tsr_pkg::MEM_ACC : op_mem_i, acc8, uop_half, op_tile_i[0],
             uop_half ? op_tile_i >> 1 : op_tile_i, uop_half ? ChunkBits'(0) : ChunkBits'(op_chunk_i >> BusShift), take, cut,
             op_fill_i & !uop_half, pad_high, op_pad_value_i}),
    .valid_o(out_valid),
    .ready_i(out_ready),
    .data_o({out_write, out_last, wr_mem_o, out_acc8, out_half, out_odd, out_tile, out_chunk, out_take, out_cut, wr_fill_o,
             out_pad_high, out_pad_value})
  );

  // Pads, and bytes widened to accumulators. Before u_write they would be in one cycle with the cut.
  always_comb begin
    for (int w = 0; w < BusBytes / 4; w++) begin
      for (int b = 0; b < 4; b++) begin  // of the word
        wr_data_o[8*(4*w+b)+:8] = !out_take[4*w+b] ? wr_pad_o[8*b+:8] : !out_acc8 ? out_cut[8*(4*w+b)+:8] :
                                  b == 0 ? out_cut[8*w+:8] : {8{out_cut[8*w+7]}};
      end
    end
    if (out_half) wr_data_o[63:32] = wr_data_o[31:0];
  end
  assign out_ready = !out_write | wr_ready_i;
  assign wr_valid_o = out_valid & out_write;
  assign wr_tile_o = 20'(out_tile);
  assign wr_off_o = 16'(out_chunk) << BusShift;
  assign wr_be_o = !out_half ? '1 : out_odd ? BusBytes'(8'hf0) : BusBytes'(8'h0f);
  assign wr_pad_o = {{3{out_pad_high}}, out_pad_value};
  assign done_o = out_valid & out_last & out_ready;
  assign blocked_o = !room;

  logic unused;
  assign unused = ^two[16*BusBytes-1:8*BusBytes];

  `TSR_ASSERT_STREAM(op, op_valid_i, op_ready_o, {op_write_i, op_tile_i, op_chunk_i, op_mask_i})
  `TSR_ASSERT_STREAM(beat, beat_valid_i, beat_ready_o, beat_data_i)
  `TSR_ASSERT_STREAM(wr, wr_valid_o, wr_ready_i, {wr_mem_o, wr_tile_o, wr_off_o, wr_data_o, wr_be_o, wr_fill_o})
endmodule
`default_nettype wire
