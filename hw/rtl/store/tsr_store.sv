// SPDX-License-Identifier: Apache-2.0
//
// tsr_store: the STORE unit: scratchpad tiles to boxes of device memory.
//
//   Input   commands (hw/rtl/README.md, "A unit's command port"), both profiles
//   Output  tile reads (OUT, or the low bytes of ACC in profile vta)
//   Output  AXI write requests, words with byte enables, in the order of the requests
//   Cost    3 cycles from command to request; a word a cycle, also from command to command
//
//   command -> tsr_dma_front -+-> bursts -> write requests
//                             +-> queue -> tsr_store_read -> tile reads
//                             +-> queue -> tsr_dma_walk -> tsr_store_cut -> tsr_store_pack -> words
//                             +-> queue of commands, retired when their last response is in
//
// Invariant: a command retires after the responses of all its bursts; later ones run meanwhile.
`default_nettype none
`include "tsr_assert.svh"

module tsr_store #(
  parameter int MaxBurst  = 16,  // beats in a burst
  parameter int MaxBursts = 16   // outstanding bursts; a power of two
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               vta_i,
  // command
  input  logic                               cmd_valid_i,
  output logic                               cmd_ready_o,
  input  logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input  logic [31:0]                        cmd_num_i,
  output logic                               retire_valid_o,
  input  logic                               retire_ready_i,
  output logic [63:0]                        retire_digest_o,  // always 0: see hw/rtl/README.md, "Trace"
  output logic                               err_valid_o,
  output logic [3:0]                         err_code_o,
  output logic [31:0]                        err_num_o,
  output logic                               busy_o,
  output logic                               memwait_o,
  output logic                               hazard_o,
  // tile reads
  output logic                               st_rd_valid_o,
  input  logic                               st_rd_ready_i,
  output logic [19:0]                        st_rd_addr_o,
  output logic                               st_rd_acc_o,
  input  logic                               st_rd_data_valid_i,
  input  logic [8*tsr_pkg::OutTileBytes-1:0] st_rd_data_i,
  // write requests, words, responses
  output logic                               aw_valid_o,
  input  logic                               aw_ready_i,
  output logic [39:0]                        aw_addr_o,
  output logic [7:0]                         aw_len_o,
  output logic [31:0]                        aw_num_o,         // instruction the burst belongs to
  output logic                               w_valid_o,
  input  logic                               w_ready_i,
  output logic [tsr_pkg::BusBits-1:0]        w_data_o,
  output logic [tsr_pkg::BusBytes-1:0]       w_strb_o,
  input  logic                               b_valid_i,        // always taken
  input  logic                               b_err_i
);
  localparam int BusBytes = tsr_pkg::BusBytes;
  localparam int BusShift = $clog2(BusBytes);
  localparam int WalkBits = tsr_pkg::BoxTileBytesBits + 3 * tsr_pkg::BoxSizeBits + 7 + 4 * BusShift;
  localparam int Room = 8;
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int ByteBits = tsr_pkg::BoxTileBytesBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;

  logic box_valid, box_ready, box_err, run_valid, run_ready, run_last;
  logic [31:0] box_num;
  tsr_dma_pkg::checked_t box;
  logic [WalkBits-1:0] box_walk;
  logic [11:0] unused_pads;
  tsr_dma_front #(
    .MaxBurst(MaxBurst)
  ) u_front (
    .clk_i,
    .rst_ni,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_i,
    .cmd_num_i,
    .valid_o(box_valid),
    .ready_i(box_ready),
    .box_o(box),
    .num_o(box_num),
    .walk_o(box_walk),
    .pads_o(unused_pads),
    .err_o(box_err),
    .run_valid_o(run_valid),
    .run_ready_i(run_ready),
    .run_addr_o(aw_addr_o),
    .run_len_o(aw_len_o),
    .run_last_o(run_last),
    .run_num_o(aw_num_o)
  );

  // A box enters its queues all at once; a box without tiles enters only the queue of commands.
  logic cmds_ready, reads_ready, ctx_ready, box_moves, work_moves;
  assign box_ready = cmds_ready & (box.nop | (reads_ready & ctx_ready));
  assign box_moves = box_valid & box_ready;
  assign work_moves = box_moves & !box.nop;

  // Bursts that wait for their response: the command of each, and whether it is the command's last burst.
  logic bursts_ready, burst_valid, burst_last;
  logic [31:0] burst_num;
  assign aw_valid_o = run_valid & bursts_ready;
  assign run_ready = aw_ready_i & bursts_ready;
  tsr_fifo #(
    .Width(33),
    .Depth(MaxBursts)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .valid_i(aw_valid_o & aw_ready_i),
    .ready_o(bursts_ready),
    .data_i({aw_num_o, run_last}),
    .valid_o(burst_valid),
    .ready_i(b_valid_i),
    .data_o({burst_num, burst_last})
  );

  // Tile reads.
  logic rq_valid, rq_ready, tile_taken, blocked;
  logic [TileBits-1:0] rq_sram_base;
  logic [SizeBits-1:0] rq_tiles;
  tsr_fifo #(
    .Width(TileBits + SizeBits),
    .Depth(4)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .valid_i(work_moves),
    .ready_o(reads_ready),
    .data_i({box.sram_base[TileBits-1:0], box.tiles[SizeBits-1:0]}),
    .valid_o(rq_valid),
    .ready_i(rq_ready),
    .data_o({rq_sram_base, rq_tiles})
  );
  tsr_store_read #(
    .Room(Room)
  ) u_read (
    .clk_i,
    .rst_ni,
    .valid_i(rq_valid),
    .ready_o(rq_ready),
    .sram_base_i(rq_sram_base),
    .tiles_i(rq_tiles),
    .rd_valid_o(st_rd_valid_o),
    .rd_ready_i(st_rd_ready_i),
    .rd_addr_o(st_rd_addr_o),
    .blocked_o(blocked),
    .taken_i(tile_taken)
  );
  assign st_rd_acc_o = vta_i;

  // Words.
  logic ctx_valid, walk_ready;
  logic [WalkBits-1:0] ctx_walk;
  tsr_fifo #(
    .Width(WalkBits),
    .Depth(4)
  ) u_ctx (
    .clk_i,
    .rst_ni,
    .valid_i(work_moves),
    .ready_o(ctx_ready),
    .data_i(box_walk),
    .valid_o(ctx_valid),
    .ready_i(walk_ready),
    .data_o(ctx_walk)
  );
  logic op_valid, op_ready, op_eot, op_eor, op_full, op_spans, unused_write, unused_data, unused_fill, unused_op_last, unused_op_user;
  logic [TileBits-1:0] unused_tile;
  logic [ByteBits-1:0] op_chunk;
  logic [BusBytes-1:0] op_mask;
  logic [BusShift-1:0] op_off;
  tsr_dma_walk #(
    .Load(1'b0)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .valid_i(ctx_valid),
    .ready_o(walk_ready),
    .walk_i(ctx_walk),
    .nop_i(1'b0),
    .short_i(1'b0),
    .quarter_i(1'b0),
    .sram_base_i('0),
    .x_pad_0_i('0),
    .x_pad_1_i('0),
    .y_pad_0_i('0),
    .y_pad_1_i('0),
    .pads_i('0),
    .user_i(1'b0),
    .valid_o(op_valid),
    .ready_i(op_ready),
    .write_o(unused_write),
    .data_o(unused_data),
    .fill_o(unused_fill),
    .tile_o(unused_tile),
    .chunk_o(op_chunk),
    .mask_o(op_mask),
    .off_o(op_off),
    .eot_o(op_eot),
    .eor_o(op_eor),
    .full_o(op_full),
    .spans_o(op_spans),
    .last_o(unused_op_last),
    .user_o(unused_op_user)
  );
  logic chunk_valid, chunk_ready, chunk_eor, chunk_full, chunk_spans;
  logic [tsr_pkg::BusBits-1:0] chunk_data;
  logic [BusBytes-1:0] chunk_mask;
  logic [BusShift-1:0] chunk_off;
  tsr_store_cut #(
    .BusBytes(BusBytes),
    .BusShift(BusShift),
    .TileBytes(tsr_pkg::OutTileBytes),
    .Room(Room)
  ) u_cut (
    .clk_i,
    .rst_ni,
    .op_valid_i(op_valid),
    .op_ready_o(op_ready),
    .op_chunk_i(op_chunk),
    .op_mask_i(op_mask),
    .op_off_i(op_off),
    .op_eot_i(op_eot),
    .op_eor_i(op_eor),
    .op_full_i(op_full),
    .op_spans_i(op_spans),
    .rd_data_valid_i(st_rd_data_valid_i),
    .rd_data_i(st_rd_data_i),
    .taken_o(tile_taken),
    .chunk_valid_o(chunk_valid),
    .chunk_ready_i(chunk_ready),
    .chunk_data_o(chunk_data),
    .chunk_mask_o(chunk_mask),
    .chunk_off_o(chunk_off),
    .chunk_eor_o(chunk_eor),
    .chunk_full_o(chunk_full),
    .chunk_spans_o(chunk_spans)
  );
  tsr_store_pack #(
    .BusBytes(BusBytes),
    .BusShift(BusShift)
  ) u_pack (
    .clk_i,
    .rst_ni,
    .valid_i(chunk_valid),
    .ready_o(chunk_ready),
    .data_i(chunk_data),
    .mask_i(chunk_mask),
    .off_i(chunk_off),
    .eor_i(chunk_eor),
    .full_i(chunk_full),
    .spans_i(chunk_spans),
    .valid_o(w_valid_o),
    .ready_i(w_ready_i),
    .data_o(w_data_o),
    .strb_o(w_strb_o)
  );

  // Commands in order, and the number of them whose last response has come.
  logic cmd_head, cmd_empty, cmd_done, retires;
  logic [4:0] answered_q;  // commands answered in full and not retired
  logic some_answered_q;
  logic answered, bus_err, stopped;
  assign answered = b_valid_i & burst_valid & burst_last & !b_err_i & !stopped;
  assign cmd_done = cmd_empty | some_answered_q;
  assign retires = cmd_head & cmd_done;
  tsr_fifo #(
    .Width(1),
    .Depth(16)
  ) u_cmds (
    .clk_i,
    .rst_ni,
    .valid_i(box_moves),
    .ready_o(cmds_ready),
    .data_i(box.nop),
    .valid_o(cmd_head),
    .ready_i(retires),
    .data_o(cmd_empty)
  );
  logic retires_one;
  assign retires_one = retires & !cmd_empty;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      answered_q <= '0;
      some_answered_q <= 1'b0;
    end else if (answered && !retires_one) begin
      answered_q <= answered_q + 5'd1;
      some_answered_q <= 1'b1;
    end else if (retires_one && !answered) begin
      answered_q <= answered_q - 5'd1;
      some_answered_q <= answered_q != 5'd1;
    end
  end
  assign retire_valid_o = retires;
  assign retire_digest_o = '0;

  // A box in error has not moved, so a bus error belongs to a command before it.
  assign bus_err = b_valid_i & b_err_i & !stopped;
  tsr_dma_errors u_errors (
    .clk_i,
    .rst_ni,
    .bus_err_i(bus_err),
    .bus_num_i(burst_num),
    .box_err_i(box_err),
    .box_code_i(box.err),
    .box_num_i(box_num),
    .stopped_o(stopped),
    .err_valid_o,
    .err_code_o,
    .err_num_o
  );

  // Activity.
  logic holds, enters, starts_q;
  logic unused_full;
  logic [7:0] unused_behind;
  assign enters = cmd_valid_i & cmd_ready_o;
  tsr_tally #(.Bits(8), .Limit(200)) u_inside (
    .clk_i, .rst_ni, .vta_i(1'b0), .up_i(enters), .down_i(retires),
    .some_o(holds), .full_o(unused_full), .behind_o(unused_behind)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) starts_q <= 1'b0;
    else starts_q <= enters | (starts_q & !st_rd_valid_o & !retires);  // a command is in, its first read not out
  end
  logic asks, moves;
  assign asks = st_rd_valid_o & !blocked;
  assign moves = w_valid_o & w_ready_i;
  // |moves| is late: only busy_o waits for it. The others count in cycles that are not busy.
  assign busy_o = holds & (asks | moves | starts_q);
  assign memwait_o = holds & !blocked;
  assign hazard_o = blocked;

  logic unused;
  assign unused = ^{retire_ready_i, box, unused_write,
                    unused_data, unused_fill, unused_op_last, unused_op_user, unused_tile, unused_pads};

  `TSR_ASSERT_STREAM(cmd, cmd_valid_i, cmd_ready_o, {cmd_i, cmd_num_i})
  `TSR_ASSERT_STREAM(aw, aw_valid_o, aw_ready_i, {aw_addr_o, aw_len_o})
  `TSR_ASSERT_IF(answer_has_burst, b_valid_i, burst_valid)
  `TSR_ASSERT_IF(gate_has_room, retire_valid_o, retire_ready_i)
endmodule
`default_nettype wire
