// SPDX-License-Identifier: Apache-2.0
//
// tsr_load: the LOAD unit: boxes of device memory to scratchpad chunks.
//
//   Input   commands (hw/rtl/README.md, "A unit's command port"), both profiles
//   Output  AXI read requests and their beats; LOAD's write port
//   Cost    8 cycles from command to request, 3 from beat to write; a beat a cycle and a chunk a cycle,
//           also from command to command: the next ones' requests go out while this one's beats come
//
//   command -> decode -> tsr_box -+-> tsr_runs -> credits -> read requests
//                                 +-> queue -> tsr_load_walk -> tsr_load_align <- queue <- beats
//
// Invariant: at most MaxBursts bursts and about MaxBeatsOut beats are outstanding, so that fetch, which
// shares the bus, never waits long. Nothing is requested for a box that is in error.
`include "tsr_assert.svh"

module tsr_load #(
  parameter int MaxBurst    = 16,   // beats in a burst
  parameter int MaxBursts   = 32,   // outstanding bursts; a power of two
  parameter int MaxBeatsOut = 128   // no request is made while more beats are outstanding
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            vta_i,
  input  logic                            trace_en_i,
  input  logic [8*40-1:0]                 seg_base_i,
  input  logic [8*40-1:0]                 seg_size_i,
  // command
  input  logic                            cmd_valid_i,
  output logic                            cmd_ready_o,
  input  logic [255:0]                    cmd_insn_i,
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
  // Rows of profile vta step by 16 bits of tiles.
  localparam int TileShift = tsr_pkg::HasVta ? $clog2(tsr_pkg::WgtTileBytes > tsr_pkg::AccTileBytes
                                                      ? tsr_pkg::WgtTileBytes : tsr_pkg::AccTileBytes) : 8;
  localparam int YStepBits = (16 + TileShift > 24) ? 16 + TileShift : 24;
  localparam int UserBits = 32 + 3 + 8 + 1;

  // Decode and check.
  logic box_valid, box_ready, box_nop, box_no_data, box_row_run, box_plane_run, box_box_run;
  logic [7:0] box_err, box_x_pad_0, box_x_pad_1, box_y_pad_0, box_y_pad_1;
  logic [39:0] box_addr;
  logic [31:0] box_run_bytes, box_z_step;
  logic [19:0] box_sram_base;
  logic [15:0] box_x_bytes, box_x_size, box_y_size, box_z_size;
  logic [23:0] box_x_step;
  logic [YStepBits-1:0] box_y_step;
  logic [UserBits-1:0] box_user;
  tsr_load_front #(
    .YStepBits(YStepBits),
    .UserBits(UserBits)
  ) u_front (
    .clk_i,
    .rst_ni,
    .vta_i,
    .seg_base_i,
    .seg_size_i,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_insn_i,
    .cmd_num_i,
    .valid_o(box_valid),
    .ready_i(box_ready),
    .err_o(box_err),
    .nop_o(box_nop),
    .no_data_o(box_no_data),
    .addr_o(box_addr),
    .run_bytes_o(box_run_bytes),
    .row_run_o(box_row_run),
    .plane_run_o(box_plane_run),
    .box_run_o(box_box_run),
    .sram_base_o(box_sram_base),
    .x_bytes_o(box_x_bytes),
    .x_size_o(box_x_size),
    .y_size_o(box_y_size),
    .z_size_o(box_z_size),
    .x_step_o(box_x_step),
    .y_step_o(box_y_step),
    .z_step_o(box_z_step),
    .x_pad_0_o(box_x_pad_0),
    .x_pad_1_o(box_x_pad_1),
    .y_pad_0_o(box_y_pad_0),
    .y_pad_1_o(box_y_pad_1),
    .user_o(box_user)
  );

  // A good box goes to the requests and to the writes at once.
  logic box_good, ctx_ready, runs_ready;
  assign box_good = box_valid & (box_err == tsr_pkg::ERR_NONE);
  assign box_ready = box_good & ctx_ready & (box_no_data | runs_ready);

  logic run_valid, run_ready;
  logic [39:0] run_addr;
  logic [7:0] run_len;
  logic unused_last, unused_user;
  tsr_runs #(
    .YStepBits(YStepBits),
    .BusBytes(BusBytes),
    .MaxBeats(MaxBurst),
    .UserBits(1)
  ) u_runs (
    .clk_i,
    .rst_ni,
    .valid_i(box_good & ctx_ready & !box_no_data),
    .ready_o(runs_ready),
    .addr_i(box_addr),
    .run_bytes_i(box_run_bytes),
    .row_run_i(box_row_run),
    .plane_run_i(box_plane_run),
    .box_run_i(box_box_run),
    .x_size_i(box_x_size),
    .y_size_i(box_y_size),
    .z_size_i(box_z_size),
    .x_step_i(box_x_step),
    .y_step_i(box_y_step),
    .z_step_i(box_z_step),
    .user_i(1'b0),
    .valid_o(run_valid),
    .ready_i(run_ready),
    .addr_o(run_addr),
    .len_o(run_len),
    .last_o(unused_last),
    .user_o(unused_user)
  );

  // Credits.
  localparam int BurstBits = $clog2(MaxBursts) + 1;
  logic [BurstBits-1:0] bursts_q;
  logic [15:0] beats_q;
  logic credit, ask, beat, burst_ends;
  assign credit = (bursts_q != BurstBits'(MaxBursts)) & (beats_q < 16'(MaxBeatsOut));
  assign ar_valid_o = run_valid & credit;
  assign run_ready = ar_ready_i & credit;
  assign ar_addr_o = run_addr;
  assign ar_len_o = run_len;
  assign ask = ar_valid_o & ar_ready_i;
  assign beat = r_valid_i & r_ready_o;
  assign burst_ends = beat & r_last_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bursts_q <= '0;
      beats_q <= '0;
    end else begin
      bursts_q <= bursts_q + BurstBits'(ask) - BurstBits'(burst_ends);
      beats_q <= beats_q + (ask ? 16'(run_len) + 16'd1 : 16'd0) - 16'(beat);
    end
  end

  // Boxes on their way to the scratchpad side.
  localparam int CtxBits = 1 + UserBits + 20 + 4 * 16 + 4 * BusShift + 4 * 8 + 3;
  logic ctx_valid, walk_ready, ctx_nop, ctx_short, ctx_row_run, ctx_plane_run, ctx_box_run;
  logic [31:0] ctx_num;
  logic [2:0] ctx_mem;
  logic [7:0] ctx_pad_value, ctx_x_pad_0, ctx_x_pad_1, ctx_y_pad_0, ctx_y_pad_1;
  logic [19:0] ctx_sram_base;
  logic [15:0] ctx_x_bytes, ctx_x_size, ctx_y_size, ctx_z_size;
  logic [BusShift-1:0] ctx_addr, ctx_x_step, ctx_y_step, ctx_z_step;
  logic [4:0] unused_ctx_count;
  tsr_fifo #(
    .Width(CtxBits),
    .Depth(16),
    .CountBits(5)
  ) u_ctx (
    .clk_i,
    .rst_ni,
    .valid_i(box_good & (box_no_data | runs_ready)),
    .ready_o(ctx_ready),
    .data_i({box_nop, box_user, box_sram_base, box_x_bytes, box_x_size, box_y_size, box_z_size,
             box_addr[BusShift-1:0], box_x_step[BusShift-1:0], box_y_step[BusShift-1:0], box_z_step[BusShift-1:0],
             box_x_pad_0, box_x_pad_1, box_y_pad_0, box_y_pad_1, box_row_run, box_plane_run, box_box_run}),
    .valid_o(ctx_valid),
    .ready_i(walk_ready),
    .data_o({ctx_nop, ctx_num, ctx_mem, ctx_pad_value, ctx_short, ctx_sram_base, ctx_x_bytes, ctx_x_size,
             ctx_y_size, ctx_z_size, ctx_addr, ctx_x_step, ctx_y_step, ctx_z_step, ctx_x_pad_0, ctx_x_pad_1,
             ctx_y_pad_0, ctx_y_pad_1, ctx_row_run, ctx_plane_run, ctx_box_run}),
    .count_o(unused_ctx_count)
  );

  logic op_valid, op_ready, op_write, op_data, op_fill, op_eor, op_last;
  logic [2:0] op_mem;
  logic [19:0] op_tile;
  logic [15:0] op_chunk;
  logic [BusShift:0] op_bytes;
  logic [BusShift-1:0] op_off;
  logic [7:0] op_pad_value;
  logic [31:0] op_num;
  tsr_load_walk #(
    .BusBytes(BusBytes),
    .BusShift(BusShift)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .vta_i,
    .valid_i(ctx_valid),
    .ready_o(walk_ready),
    .nop_i(ctx_nop),
    .num_i(ctx_num),
    .mem_i(ctx_mem),
    .pad_value_i(ctx_pad_value),
    .sram_base_i(ctx_sram_base),
    .x_bytes_i(ctx_x_bytes),
    .short_i(ctx_short),
    .x_size_i(ctx_x_size),
    .y_size_i(ctx_y_size),
    .z_size_i(ctx_z_size),
    .addr_i(ctx_addr),
    .x_step_i(ctx_x_step),
    .y_step_i(ctx_y_step),
    .z_step_i(ctx_z_step),
    .x_pad_0_i(ctx_x_pad_0),
    .x_pad_1_i(ctx_x_pad_1),
    .y_pad_0_i(ctx_y_pad_0),
    .y_pad_1_i(ctx_y_pad_1),
    .row_run_i(ctx_row_run),
    .plane_run_i(ctx_plane_run),
    .box_run_i(ctx_box_run),
    .valid_o(op_valid),
    .ready_i(op_ready),
    .write_o(op_write),
    .data_o(op_data),
    .fill_o(op_fill),
    .mem_o(op_mem),
    .tile_o(op_tile),
    .chunk_o(op_chunk),
    .bytes_o(op_bytes),
    .off_o(op_off),
    .eor_o(op_eor),
    .pad_value_o(op_pad_value),
    .last_o(op_last),
    .num_o(op_num)
  );

  logic beat_valid, beat_ready, beat_err;
  logic [tsr_pkg::BusBits-1:0] beat_data;
  logic [5:0] unused_beat_count;
  tsr_fifo #(
    .Width(tsr_pkg::BusBits + 1),
    .Depth(32),
    .CountBits(6)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(r_valid_i),
    .ready_o(r_ready_o),
    .data_i({r_err_i, r_data_i}),
    .valid_o(beat_valid),
    .ready_i(beat_ready),
    .data_o({beat_err, beat_data}),
    .count_o(unused_beat_count)
  );

  logic done, bus_err, starved;
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
    .op_bytes_i(op_bytes),
    .op_off_i(op_off),
    .op_eor_i(op_eor),
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
    .starved_o(starved)
  );

  // Retire one cycle after the last write, when its digest is known.
  logic done_q, retire_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q <= 1'b0;
      retire_q <= 1'b0;
    end else begin
      done_q <= done;
      retire_q <= done_q;
    end
  end
  assign retire_valid_o = retire_q;
`ifdef SYNTHESIS
  assign retire_digest_o = '0;
  logic unused_trace;
  assign unused_trace = ^{trace_en_i, ld_wr_digest_i};
`else
  logic [63:0] sum_q, digest_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !trace_en_i) begin
      sum_q <= '0;
      digest_q <= '0;
    end else begin
      sum_q <= done_q ? '0 : sum_q + ld_wr_digest_i;
      digest_q <= sum_q + ld_wr_digest_i;
    end
  end
  assign retire_digest_o = digest_q;
`endif

  // The first error stays.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      err_valid_o <= 1'b0;
    end else if (!err_valid_o) begin
      err_valid_o <= bus_err | (box_valid & (box_err != tsr_pkg::ERR_NONE));
    end
  end
  always_ff @(posedge clk_i) begin
    if (!err_valid_o) begin
      err_code_o <= bus_err ? tsr_pkg::ERR_BUS[3:0] : box_err[3:0];
      err_num_o <= bus_err ? op_num : box_user[UserBits-1-:32];
    end
  end

  // What it does.
  logic holds, enters;
  logic [7:0] inside_count_q;
  assign holds = inside_count_q != '0;
  assign enters = cmd_valid_i & cmd_ready_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) inside_count_q <= '0;
    else inside_count_q <= inside_count_q + 8'(enters) - 8'(done_q);
  end
  assign busy_o = (ld_wr_valid_o & ld_wr_ready_i) | (holds & !starved & !hazard_o);
  assign memwait_o = holds & starved;
  assign hazard_o = ld_wr_valid_o & !ld_wr_ready_i;

  logic unused;
  assign unused = ^{retire_ready_i, box_err[7:4], unused_last, unused_user, unused_ctx_count, unused_beat_count};

  `TSR_ASSERT_STREAM(cmd, cmd_valid_i, cmd_ready_o, {cmd_insn_i, cmd_num_i})
  `TSR_ASSERT_STREAM(ar, ar_valid_o, ar_ready_i, {ar_addr_o, ar_len_o})
  `TSR_ASSERT(gate_has_room, retire_valid_o |-> retire_ready_i)
  `TSR_ASSERT(in_range, inside_count_q < 8'd200)
endmodule
