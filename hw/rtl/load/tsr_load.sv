// SPDX-License-Identifier: Apache-2.0
//
// tsr_load: the LOAD unit: boxes of device memory to scratchpad chunks.
//
//   Input   commands (hw/rtl/README.md, "A unit's command port"), both profiles
//   Output  AXI read requests and their beats; LOAD's write port
//   Cost    3 cycles from command to request, 3 from beat to write; a beat a cycle and a chunk a cycle,
//           also from command to command: requests of the next commands go out while beats of this one come
//
//   command -> tsr_dma_front -+-> bursts -> credits -> read requests
//                             +-> queue -> tsr_dma_walk -> tsr_load_align <- queue <- beats
//
// Invariant: at most MaxBursts bursts, and MaxBeatsOut beats plus two bursts, are outstanding, so that fetch, which
// shares the bus, never waits long. A box in error requests nothing.
`default_nettype none
`include "tsr_assert.svh"

module tsr_load #(
  parameter int MaxBurst    = 16,   // beats in a burst
  parameter int MaxBursts   = 32,   // outstanding bursts; a power of two
  parameter int MaxBeatsOut = 128   // no new request while so many beats are outstanding
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            vta_i,
  input  logic                            trace_en_i,
  // command
  input  logic                            cmd_valid_i,
  output logic                            cmd_ready_o,
  input  logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input  logic [31:0]                     cmd_num_i,
  output logic                            retire_valid_o,
  input  logic                            retire_ready_i,
  output logic [63:0]                     retire_digest_o,
  output logic                            err_valid_o,
  output logic [3:0]                      err_code_o,
  output logic [31:0]                     err_num_o,
  output logic                            busy_o,
  output logic                            memwait_o,
  output logic                            hazard_o,
  // read requests and beats
  output logic                            ar_valid_o,
  input  logic                            ar_ready_i,
  output logic [39:0]                     ar_addr_o,
  output logic [7:0]                      ar_len_o,
  input  logic                            r_valid_i,
  output logic                            r_ready_o,
  input  logic [tsr_pkg::BusBits-1:0]     r_data_i,
  input  logic                            r_err_i,
  input  logic                            r_last_i,
  // scratchpad write
  output logic                            ld_wr_valid_o,
  input  logic                            ld_wr_ready_i,
  output logic [2:0]                      ld_wr_mem_o,
  output logic [19:0]                     ld_wr_tile_o,
  output logic [15:0]                     ld_wr_off_o,
  output logic [tsr_pkg::BusBits-1:0]     ld_wr_data_o,
  output logic [tsr_pkg::BusBytes-1:0]    ld_wr_be_o,
  output logic                            ld_wr_fill_o,
  output logic [31:0]                     ld_wr_pad_o,
  input  logic [63:0]                     ld_wr_digest_i
);
  localparam int BusBytes = tsr_pkg::BusBytes;
  localparam int BusShift = $clog2(BusBytes);
  localparam int WalkBits = tsr_pkg::BoxTileBytesBits + 3 * tsr_pkg::BoxSizeBits + 7 + 4 * BusShift;

  logic box_valid, box_ready, box_err, run_valid, run_ready, unused_last;
  tsr_dma_pkg::checked_t box;
  logic [WalkBits-1:0] box_walk;
  logic [11:0] box_pads;
  logic [31:0] box_num, unused_num;
  logic [39:0] run_addr;
  logic [7:0] run_len;
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
    .pads_o(box_pads),
    .err_o(box_err),
    .run_valid_o(run_valid),
    .run_ready_i(run_ready),
    .run_addr_o(run_addr),
    .run_len_o(run_len),
    .run_last_o(unused_last),
    .run_num_o(unused_num)
  );

  // Credits. The comparison sees outstanding bursts and beats one cycle late: one burst more may go out.
  localparam int BurstBits = $clog2(MaxBursts) + 1;
  localparam int BeatBits = $clog2(MaxBeatsOut + 2 * MaxBurst) + 1;
  logic [BurstBits-1:0] bursts_q;
  logic [BeatBits-1:0] beats_q;
  logic credit_q, ask, beat, burst_ends;
  assign ar_valid_o = run_valid & credit_q;
  assign run_ready = ar_ready_i & credit_q;
  assign ar_addr_o = run_addr;
  assign ar_len_o = run_len;
  assign ask = ar_valid_o & ar_ready_i;
  assign beat = r_valid_i & r_ready_o;
  assign burst_ends = beat & r_last_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bursts_q <= '0;
      beats_q <= '0;
      credit_q <= 1'b0;
    end else begin
      // A request once offered is held.
      credit_q <= (bursts_q < BurstBits'(MaxBursts - 1) && beats_q < BeatBits'(MaxBeatsOut)) ||
                  (credit_q && !ask);
      bursts_q <= bursts_q + BurstBits'(ask) - BurstBits'(burst_ends);
      beats_q <= beats_q + (ask ? BeatBits'(run_len) + BeatBits'(1) : '0) - BeatBits'(beat);
    end
  end

  // Boxes on their way to the scratchpad side.
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int ByteBits = tsr_pkg::BoxTileBytesBits;
  logic ctx_valid, walk_ready, ctx_nop, ctx_short;
  logic [2:0] ctx_mem;
  logic [7:0] ctx_pad_value, ctx_x_pad_0, ctx_x_pad_1, ctx_y_pad_0, ctx_y_pad_1;
  logic [TileBits-1:0] ctx_sram_base;
  logic [WalkBits-1:0] ctx_walk;
  logic [11:0] ctx_pads;
  tsr_fifo #(
    .Width(1 + 3 + 8 + 1 + TileBits + WalkBits + 4 * 8 + 12),
    .Depth(16)
  ) u_ctx (
    .clk_i,
    .rst_ni,
    .valid_i(box_valid),
    .ready_o(box_ready),
    .data_i({box.nop, box.mem, box.pad_value, box.is_short, box.sram_base[TileBits-1:0], box_walk,
             box.x_pad_0, box.x_pad_1, box.y_pad_0, box.y_pad_1, box_pads}),
    .valid_o(ctx_valid),
    .ready_i(walk_ready),
    .data_o({ctx_nop, ctx_mem, ctx_pad_value, ctx_short, ctx_sram_base, ctx_walk, ctx_x_pad_0,
             ctx_x_pad_1, ctx_y_pad_0, ctx_y_pad_1, ctx_pads})
  );

  logic op_valid, op_ready, op_write, op_data, op_fill, op_eor, op_full, op_spans, op_last, unused_eot;
  logic [2:0] op_mem;
  logic [TileBits-1:0] op_tile;
  logic [ByteBits-1:0] op_chunk;
  logic [BusBytes-1:0] op_mask;
  logic [BusShift-1:0] op_off;
  logic [7:0] op_pad_value;
  tsr_dma_walk #(
    .UserBits(3 + 8)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .valid_i(ctx_valid),
    .ready_o(walk_ready),
    .walk_i(ctx_walk),
    .nop_i(ctx_nop),
    .short_i(ctx_short),
    .quarter_i(ctx_mem == tsr_pkg::MEM_ACC8),
    .sram_base_i(ctx_sram_base),
    .x_pad_0_i(ctx_x_pad_0),
    .x_pad_1_i(ctx_x_pad_1),
    .y_pad_0_i(ctx_y_pad_0),
    .y_pad_1_i(ctx_y_pad_1),
    .pads_i(ctx_pads),
    .user_i({ctx_mem, ctx_pad_value}),
    .valid_o(op_valid),
    .ready_i(op_ready),
    .write_o(op_write),
    .data_o(op_data),
    .fill_o(op_fill),
    .tile_o(op_tile),
    .chunk_o(op_chunk),
    .mask_o(op_mask),
    .off_o(op_off),
    .eot_o(unused_eot),
    .eor_o(op_eor),
    .full_o(op_full),
    .spans_o(op_spans),
    .last_o(op_last),
    .user_o({op_mem, op_pad_value})
  );

  logic queue_valid, queue_ready, queue_err, beat_valid, beat_ready, beat_err;
  logic [tsr_pkg::BusBits-1:0] queue_data, beat_data;
  tsr_fifo #(
    .Width(tsr_pkg::BusBits + 1),
    .Depth(32)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(r_valid_i),
    .ready_o(r_ready_o),
    .data_i({r_err_i, r_data_i}),
    .valid_o(queue_valid),
    .ready_i(queue_ready),
    .data_o({queue_err, queue_data})
  );
  // Flops before the alignment: it is a long path, and so is the read of the queue.
  tsr_skid #(
    .Width(tsr_pkg::BusBits + 1)
  ) u_beat (
    .clk_i,
    .rst_ni,
    .valid_i(queue_valid),
    .ready_o(queue_ready),
    .data_i({queue_err, queue_data}),
    .valid_o(beat_valid),
    .ready_i(beat_ready),
    .data_o({beat_err, beat_data})
  );

  logic done, bus_err, starved, blocked;
  tsr_load_align #(
    .BusBytes(BusBytes),
    .BusShift(BusShift)
  ) u_align (
    .clk_i,
    .rst_ni,
    .vta_i,
    .op_valid_i(op_valid),
    .op_ready_o(op_ready),
    .op_write_i(op_write),
    .op_data_i(op_data),
    .op_fill_i(op_fill),
    .op_mem_i(op_mem),
    .op_tile_i(op_tile),
    .op_chunk_i(op_chunk),
    .op_mask_i(op_mask),
    .op_off_i(op_off),
    .op_eor_i(op_eor),
    .op_full_i(op_full),
    .op_spans_i(op_spans),
    .op_pad_value_i(op_pad_value),
    .op_last_i(op_last),
    .beat_valid_i(beat_valid),
    .beat_ready_o(beat_ready),
    .beat_data_i(beat_data),
    .beat_err_i(beat_err),
    .wr_valid_o(ld_wr_valid_o),
    .wr_ready_i(ld_wr_ready_i),
    .wr_mem_o(ld_wr_mem_o),
    .wr_tile_o(ld_wr_tile_o),
    .wr_off_o(ld_wr_off_o),
    .wr_data_o(ld_wr_data_o),
    .wr_be_o(ld_wr_be_o),
    .wr_fill_o(ld_wr_fill_o),
    .wr_pad_o(ld_wr_pad_o),
    .done_o(done),
    .err_o(bus_err),
    .starved_o(starved),
    .blocked_o(blocked)
  );

  // Retire in the cycle after the last write, when its digest is known.
  logic done_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_q <= 1'b0;
    else done_q <= done;
  end
  assign retire_valid_o = done_q;
`ifdef SYNTHESIS
  assign retire_digest_o = '0;
  logic unused_trace;
  assign unused_trace = ^{trace_en_i, ld_wr_digest_i};
`else
  logic [63:0] sum_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !trace_en_i || done_q) sum_q <= '0;
    else sum_q <= sum_q + ld_wr_digest_i;
  end
  assign retire_digest_o = trace_en_i ? sum_q + ld_wr_digest_i : '0;
`endif

  // Numbers of the boxes in u_ctx, u_walk and in front of u_align.
  logic nums_ready, num_valid;
  logic [31:0] op_num;
  tsr_fifo #(
    .Width(32),
    .Depth(32)
  ) u_nums (
    .clk_i,
    .rst_ni,
    .valid_i(box_valid & box_ready),
    .ready_o(nums_ready),
    .data_i(box_num),
    .valid_o(num_valid),
    .ready_i(op_valid & op_ready & op_last),
    .data_o(op_num)
  );
  // A box in error has not moved, so a bus error belongs to a command before it.
  logic unused_stopped;
  tsr_dma_errors u_errors (
    .clk_i,
    .rst_ni,
    .bus_err_i(bus_err),
    .bus_num_i(op_num),
    .box_err_i(box_err),
    .box_code_i(box.err),
    .box_num_i(box_num),
    .stopped_o(unused_stopped),
    .err_valid_o,
    .err_code_o,
    .err_num_o
  );

  // Activity.
  logic holds, some, enters_q;
  logic unused_full;
  logic [7:0] unused_behind;
  // Commands come late, through tsr_route, so they are counted a cycle later.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) enters_q <= 1'b0;
    else enters_q <= cmd_valid_i & cmd_ready_o;
  end
  assign holds = some | enters_q;
  tsr_tally #(.Bits(8), .Limit(200)) u_inside (
    .clk_i, .rst_ni, .vta_i(1'b0), .up_i(enters_q), .down_i(done_q),
    .some_o(some), .full_o(unused_full), .behind_o(unused_behind)
  );
  assign busy_o = holds & !starved & !blocked;
  assign memwait_o = holds & starved;
  assign hazard_o = blocked;

  logic unused;
  assign unused = ^{retire_ready_i, box, unused_last, unused_num, unused_eot, unused_stopped};

  `TSR_ASSERT_STREAM(cmd, cmd_valid_i, cmd_ready_o, {cmd_i, cmd_num_i})
  `TSR_ASSERT_STREAM(ar, ar_valid_o, ar_ready_i, {ar_addr_o, ar_len_o})
  `TSR_ASSERT_IF(gate_has_room, retire_valid_o, retire_ready_i)
  `TSR_ASSERT_IF(nums_have_room, box_valid && box_ready, nums_ready)
  `TSR_ASSERT_IF(op_has_number, op_valid, num_valid)
endmodule
`default_nettype wire
