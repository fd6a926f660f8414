// SPDX-License-Identifier: Apache-2.0
//
// tsr_load_align: cuts chunks out of the beats of device memory, at any byte alignment, and makes the
// scratchpad write of every chunk operation.
//
//   Input   operations (tsr_dma_walk) and beats, both in order
//   Output  LOAD's write port (hw/rtl/README.md)
//   Output  done_o with the last operation of a command: its write is on the edge of this cycle
//   Cost    2 cycles from beat to write; 1 chunk a cycle
//
// Invariant: the beats of a run are consumed to its end; a beat with an error stops everything.
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
  input  logic [19:0]           op_tile_i,       // profile vta, UOP: of 4 bytes, half a word
  input  logic [15:0]           op_chunk_i,
  input  logic [BusShift:0]     op_bytes_i,
  input  logic [BusShift-1:0]   op_off_i,
  input  logic                  op_eor_i,
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
  output logic                  err_o,      // the operation in front met a beat with an error
  output logic                  starved_o   // the operation in front waits for a beat
);
  // The beat in front, and the one behind it (the input).
  logic cur_full_q, cur_err_q;
  logic [8*BusBytes-1:0] cur_q;

  logic [BusShift+1:0] end_off;  // one past the operation's last byte, from the front beat's start
  logic straddles, takes_cur, takes_next, have, bad;
  assign end_off = (BusShift + 2)'(op_off_i) + (BusShift + 2)'(op_bytes_i);
  assign straddles = end_off > (BusShift + 2)'(BusBytes);
  assign have = !op_data_i | (cur_full_q & (!straddles | beat_valid_i));
  assign bad = op_valid_i & op_data_i & have & (cur_err_q | (straddles & beat_err_i));
  assign takes_cur = op_data_i & (op_eor_i | end_off >= (BusShift + 2)'(BusBytes));
  assign takes_next = op_data_i & op_eor_i & straddles;

  logic go, step;  // go: the write register is free
  logic full_q, write_q, last_q;
  assign go = !full_q | !write_q | wr_ready_i;
  assign step = op_valid_i & have & go & !bad;
  assign op_ready_o = have & go & !bad;
  assign err_o = bad;
  assign starved_o = op_valid_i & !have;

  // The front beat moves up when it is used up or empty; a beat behind it that ends a run goes with it.
  logic use_cur, use_next;
  assign use_cur = step & takes_cur;
  assign use_next = step & takes_next;
  assign beat_ready_o = !cur_full_q | use_cur;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) cur_full_q <= 1'b0;
    else if (beat_ready_o) cur_full_q <= beat_valid_i & !use_next;
  end
  always_ff @(posedge clk_i) begin
    if (beat_ready_o) begin
      cur_q <= beat_data_i;
      cur_err_q <= beat_err_i;
    end
  end

  // The bytes.
  logic [16*BusBytes-1:0] two;
  logic [8*BusBytes-1:0] cut, bytes, wide, data;
  logic [31:0] pad;
  logic acc, uop_half;
  assign two = {beat_data_i, cur_q} >> {op_off_i, 3'd0};
  assign cut = two[8*BusBytes-1:0];
  assign pad = (op_mem_i == tsr_pkg::MEM_ACC || op_mem_i == tsr_pkg::MEM_ACC8)
      ? {{24{op_pad_value_i[7]}}, op_pad_value_i} : {4{op_pad_value_i}};
  assign acc = op_mem_i == tsr_pkg::MEM_ACC8;
  assign uop_half = vta_i & (op_mem_i == tsr_pkg::MEM_UOP);
  always_comb begin
    for (int b = 0; b < BusBytes; b++) begin
      bytes[8*b+:8] = (op_data_i && b < 32'(op_bytes_i)) ? cut[8*b+:8] : pad[8*(b%4)+:8];
    end
    for (int w = 0; w < BusBytes / 4; w++) begin
      wide[32*w+:32] = op_data_i ? {{24{cut[8*w+7]}}, cut[8*w+:8]} : pad;
    end
    data = acc ? wide : bytes;
    if (uop_half) data[63:32] = bytes[31:0];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= 1'b0;
    else if (go) full_q <= step;
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      write_q <= op_write_i;
      last_q <= op_last_i;
      wr_mem_o <= acc ? tsr_pkg::MEM_ACC : op_mem_i;
      wr_tile_o <= uop_half ? {1'b0, op_tile_i[19:1]} : op_tile_i;
      wr_off_o <= uop_half ? 16'd0 : op_chunk_i;
      wr_data_o <= data;
      wr_be_o <= uop_half ? (op_tile_i[0] ? BusBytes'(8'hf0) : BusBytes'(8'h0f)) : '1;
      wr_fill_o <= op_fill_i & !uop_half;
      wr_pad_o <= pad;
    end
  end
  assign wr_valid_o = full_q & write_q;
  assign done_o = full_q & last_q & (!write_q | wr_ready_i);

  logic unused;
  assign unused = ^two[16*BusBytes-1:8*BusBytes];

  `TSR_ASSERT_STREAM(op, op_valid_i, op_ready_o, {op_write_i, op_tile_i, op_chunk_i, op_bytes_i})
  `TSR_ASSERT_STREAM(beat, beat_valid_i, beat_ready_o, beat_data_i)
  `TSR_ASSERT_STREAM(wr, wr_valid_o, wr_ready_i, {wr_mem_o, wr_tile_o, wr_off_o, wr_data_o, wr_be_o, wr_fill_o})
endmodule
