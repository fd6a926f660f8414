// SPDX-License-Identifier: Apache-2.0
//
// tsr_fetch: reads the instruction stream ahead of need and cuts it into instructions.
//
//   Input   address (multiple of 64) and count, constant out of reset; it starts by itself
//   Output  AXI read requests and their beats
//   Output  instructions with their numbers, in order; profile vta: in the low 128 bits
//   Cost    an instruction every 256 (vta: 128) bits of bus, from a queue of Beats bus words
//
// Invariant: fetch requests a beat only when it has a place for the beat, so it never holds up the bus.
`default_nettype none
`include "tsr_assert.svh"

module tsr_fetch #(
  parameter int MaxBurst = 16,  // beats in a burst
  parameter int Beats    = 64   // bus words held or under way; a power of two, >= 2 * MaxBurst
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        vta_i,
  input  logic                        vta_next_i,  // vta_i, right already in the last cycle of reset
  input  logic [39:0]                 addr_i,
  input  logic [31:0]                 count_i,
  // read requests and beats
  output logic                        ar_valid_o,
  input  logic                        ar_ready_i,
  output logic [39:0]                 ar_addr_o,
  output logic [7:0]                  ar_len_o,
  input  logic                        r_valid_i,
  output logic                        r_ready_o,
  input  logic [tsr_pkg::BusBits-1:0] r_data_i,
  input  logic                        r_err_i,
  // instructions
  output logic                        insn_valid_o,
  input  logic                        insn_ready_i,
  output logic [255:0]                insn_o,
  output logic [31:0]                 num_o,
  output logic                        last_o,
  output logic                        none_o,       // the stream is empty
  output logic                        err_valid_o,  // bus error at instruction err_num_o; held
  output logic [31:0]                 err_num_o
);
  localparam int BusBits = tsr_pkg::BusBits;
  localparam int BusBytes = tsr_pkg::BusBytes;
  localparam int BusShift = $clog2(BusBytes);
  localparam int BurstBits = $clog2(MaxBurst);
  localparam int CountBits = $clog2(Beats) + 1;

  // Bytes of the stream; a stream of 4 GiB or more is read as 4 GiB.
  logic [36:0] bytes;
  logic [31:0] run_bytes;
  assign bytes = vta_next_i ? {1'b0, count_i, 4'd0} : {count_i, 5'd0};
  assign run_bytes = (bytes[36:32] != '0) ? 32'hffff_ffe0 : bytes[31:0];
  assign none_o = count_i == '0;

  // Bursts: bus words to the end of the stream or of an aligned block of MaxBurst, so none crosses 4 KiB.
  logic [39-BusShift:0] at_q;    // next bus word
  logic [32-BusShift:0] left_q;  // bus words not requested yet
  logic [BurstBits:0] block_left, asks;
  logic ends, out_valid_q, out_ready, out_go, step;
  logic [39-BusShift:0] out_at_q;
  logic [BurstBits-1:0] out_len_q;
  assign block_left = (BurstBits + 1)'(MaxBurst) - (BurstBits + 1)'(at_q[BurstBits-1:0]);
  assign ends = left_q <= (33 - BusShift)'(block_left);
  assign asks = ends ? left_q[BurstBits:0] : block_left;
  assign out_go = out_ready | !out_valid_q;
  assign step = (left_q != '0) & out_go;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q <= addr_i[39:BusShift];
      left_q <= (33 - BusShift)'((33'(run_bytes) + 33'(BusBytes - 1)) >> BusShift);
      out_valid_q <= 1'b0;
    end else begin
      if (out_go) out_valid_q <= left_q != '0;
      if (step) begin
        at_q <= {at_q[39-BusShift:BurstBits] + (40 - BusShift - BurstBits)'(1), {BurstBits{1'b0}}};
        left_q <= left_q - (33 - BusShift)'(asks);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (out_go) begin
      out_at_q <= at_q;
      out_len_q <= BurstBits'(asks - (BurstBits + 1)'(1));
    end
  end
  assign ar_addr_o = {out_at_q, {BusShift{1'b0}}};
  assign ar_len_o = 8'(out_len_q);

  // Places taken by beats that are here or under way. room_q (there is room for a burst) and asks_q (fetch asks) are flops,
  // since LOAD's requests wait for fetch's.
  logic [CountBits-1:0] taken_q, kept, added;  // kept, added: places after a cycle without, with a new burst
  logic room_q, room_kept, room_added, asks_q, ask, leaves, left_late_q;  // a beat that leaves makes room a cycle later
  assign ar_valid_o = asks_q;
  assign out_ready = ar_ready_i & room_q;
  assign ask = asks_q & ar_ready_i;
  assign kept = taken_q - CountBits'(left_late_q);
  assign added = kept + CountBits'(ar_len_o) + CountBits'(1);
  // Both are compared: ar_ready_i comes late, and only chooses.
  assign room_kept = kept <= CountBits'(Beats - MaxBurst);
  assign room_added = added <= CountBits'(Beats - MaxBurst);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taken_q <= '0;
      room_q <= 1'b1;
      asks_q <= 1'b0;
      left_late_q <= 1'b0;
    end else begin
      left_late_q <= leaves;
      taken_q <= ask ? added : kept;
      room_q <= ask ? room_added : room_kept;
      asks_q <= ar_ready_i ? (asks_q ? room_added : room_kept) && (room_q || !out_valid_q ? left_q != '0 : 1'b1)
                           : room_kept && (out_valid_q || left_q != '0);
    end
  end

  logic beat_valid, beat_ready, beat_err;
  logic [BusBits-1:0] beat;
  tsr_fifo #(
    .Width(BusBits + 1),
    .Depth(Beats)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(r_valid_i),
    .ready_o(r_ready_o),
    .data_i({r_err_i, r_data_i}),
    .valid_o(beat_valid),
    .ready_i(beat_ready),
    .data_o({beat_err, beat})
  );
  assign leaves = beat_valid & beat_ready;

  // Cut: several beats make an instruction, or a beat holds several.
  logic go, makes;             // go: the output register is free; makes: a whole instruction is here
  logic [3:0] part_q;          // beats put aside, or instructions of the beat already given
  logic [255:0] whole;
  logic part_ends;
  assign go = insn_ready_i | !insn_valid_o;
  if (BusBits < 256) begin : g_narrow
    logic [255:BusBits] shift_q;
    logic [255:0] shift_d;
    assign shift_d = {beat, shift_q};
    assign part_ends = part_q == (vta_i ? 4'(128 / BusBits - 1) : 4'(256 / BusBits - 1));
    assign makes = beat_valid & part_ends;
    assign whole = vta_i ? {128'd0, shift_d[255:128]} : shift_d;
    assign beat_ready = go | !part_ends;
    always_ff @(posedge clk_i) if (leaves) shift_q <= shift_d[255:BusBits];
  end else begin : g_wide
    logic [BusBits-1:0] down;
    assign down = beat >> (vta_i ? {part_q, 7'd0} : {part_q[2:0], 8'd0});
    assign part_ends = (part_q == (vta_i ? 4'(BusBits / 128 - 1) : 4'(BusBits / 256 - 1)));
    assign makes = beat_valid;
    assign whole = down[255:0];
    assign beat_ready = go & part_ends;
    if (BusBits > 256) begin : g_rest
      logic unused_down;
      assign unused_down = ^down[BusBits-1:256];
    end
  end

  logic [31:0] num_q;  // of the next instruction
  logic gives;
  assign gives = makes & go & !beat_err & !err_valid_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      part_q <= '0;
      insn_valid_o <= 1'b0;
      num_q <= '0;
      err_valid_o <= 1'b0;
    end else begin
      if (BusBits < 256 ? leaves : gives) part_q <= part_ends ? '0 : part_q + 4'd1;
      if (go) insn_valid_o <= gives & (num_q != count_i);
      if (gives && num_q != count_i) num_q <= num_q + 32'd1;
      if (beat_valid && beat_err && num_q != count_i) err_valid_o <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      insn_o <= whole;
      num_o <= num_q;
      last_o <= num_q + 32'd1 == count_i;
    end
  end
  assign err_num_o = num_q;

  logic unused;
  assign unused = ^{addr_i[BusShift-1:0]};

  `TSR_ASSERT_STREAM(ar, ar_valid_o, ar_ready_i, {ar_addr_o, ar_len_o})
  `TSR_ASSERT_STREAM(insn, insn_valid_o, insn_ready_i, {insn_o, num_o, last_o})
  `TSR_ASSERT_IF(burst_fits, ar_valid_o, 32'(ar_addr_o[11:0]) + (32'(ar_len_o) + 1) * BusBytes <= 4096)
  `TSR_ASSERT_IF(beats_have_room, r_valid_i, r_ready_o)
endmodule
`default_nettype wire
