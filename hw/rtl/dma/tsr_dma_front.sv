// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_front: the front of LOAD and of STORE: holds checked commands, cuts them into bursts (tsr_runs) and
// hands them to the unit.
//
//   Input   commands that tsr_dma_check has checked
//   Output  boxes in order, to the unit and, if they have data, to tsr_runs; each takes a box when it is ready
//   Output  bursts in order, with their command's number
//   Output  err_o while a command that cannot be done is in front; it never moves
//   Cost    3 cycles from command to burst; 1 box in 2 cycles and 1 burst a cycle
`default_nettype none
`include "tsr_assert.svh"

module tsr_dma_front #(
  parameter int MaxBurst  = 16,  // beats in a burst
  localparam int BusShift = $clog2(tsr_pkg::BusBytes),
  localparam int WalkBits = tsr_pkg::BoxTileBytesBits + 3 * tsr_pkg::BoxSizeBits + 7 + 4 * BusShift
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // command; cmd_ready_o depends only on flops of this module
  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input  logic [31:0]           cmd_num_i,
  // box
  output logic                  valid_o,
  input  logic                  ready_i,
  output tsr_dma_pkg::checked_t box_o,
  output logic [31:0]           num_o,       // also of the error
  output logic [WalkBits-1:0]   walk_o,      // the fields for tsr_dma_walk
  output logic [11:0]           pads_o,      // LOAD: for columns, then rows: {any, just one} of {pads behind, data, pads before}
  output logic                  err_o,       // box_o.err is the error
  // burst
  output logic                  run_valid_o,
  input  logic                  run_ready_i,
  output logic [39:0]           run_addr_o,
  output logic [7:0]            run_len_o,   // beats - 1
  output logic                  run_last_o,  // last burst of the box
  output logic [31:0]           run_num_o
);
  // takes: the place of the command is free. It enables all that holds the command; stands_q says the same to the gate.
  logic full_q, takes_q, stands_q, takes, takes_next;
  assign takes = takes_q;
  assign cmd_ready_o = !stands_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {full_q, takes_q, stands_q} <= 3'b010;
    else begin
      if (takes) full_q <= cmd_valid_i;
      {takes_q, stands_q} <= {takes_next, !takes_next};
    end
  end
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;
  localparam int RunBits = tsr_pkg::BoxBytesBits;
  localparam int PackedBits = tsr_dma_pkg::FixedBits + tsr_pkg::BoxBits;
  logic [PackedBits-1:0] cmd_q;
  always_ff @(posedge clk_i) begin
    if (takes) begin
      cmd_q <= cmd_i[PackedBits-1:0];
      num_o <= cmd_num_i;
    end
  end
  logic [TileBits-1:0] sram_base;
  logic [tsr_pkg::BoxTileBytesBits-1:0] x_bytes;
  logic [SizeBits-1:0] x_size, y_size, z_size, tiles;
  logic [RunBits-1:0] run_last;
  assign {box_o.mem, box_o.pad_value, box_o.is_short, box_o.x_pad_0, box_o.x_pad_1, box_o.y_pad_0, box_o.y_pad_1,
          box_o.err, box_o.nop, box_o.no_data, box_o.addr, run_last, box_o.runs, sram_base,
          x_bytes, x_size, y_size, z_size, box_o.x_step, box_o.y_step, box_o.z_step, tiles} = cmd_q;
  assign box_o.run_last = 32'(run_last);
  assign box_o.sram_base = 20'(sram_base);
  assign {box_o.x_bytes, box_o.x_size, box_o.y_size, box_o.z_size} = {16'(x_bytes), 16'(x_size), 16'(y_size), 16'(z_size)};
  assign box_o.tiles = 16'(tiles);

  // The unit and tsr_runs take the box each in its own time; in the cycle after the later one the next command is taken.
  logic good, runs_ready, runs_valid, box_gone, runs_gone, box_gone_q, runs_gone_q;
  assign good = full_q & (box_o.err == tsr_pkg::ERR_NONE[3:0]);
  assign err_o = full_q & (box_o.err != tsr_pkg::ERR_NONE[3:0]);
  assign valid_o = good & !box_gone_q;
  assign runs_valid = good & !box_o.no_data & !runs_gone_q;
  assign box_gone = box_gone_q | (good & ready_i);
  assign runs_gone = runs_gone_q | (good & runs_ready);
  assign takes_next = takes ? !cmd_valid_i : box_gone & (runs_gone | box_o.no_data);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || takes) {box_gone_q, runs_gone_q} <= '0;
    else {box_gone_q, runs_gone_q} <= {box_gone, runs_gone};
  end

  // Comparisons are made here, where the box stands in flops, not behind the queues.
  localparam int ByteBits = tsr_pkg::BoxTileBytesBits;
  localparam int BusBytes = tsr_pkg::BusBytes;
  logic x_one, y_one, z_one, one_chunk;
  assign x_one = x_size == SizeBits'(1);
  assign y_one = y_size == SizeBits'(1);
  assign z_one = z_size == SizeBits'(1);
  assign one_chunk = x_bytes <= (box_o.mem == tsr_pkg::MEM_ACC8 ? ByteBits'(BusBytes / 4) : ByteBits'(BusBytes));
  assign walk_o = {x_bytes, x_size, y_size, z_size, x_one, y_one, z_one, one_chunk, box_o.runs, box_o.addr[BusShift-1:0],
                   box_o.x_step[BusShift-1:0], box_o.y_step[BusShift-1:0], box_o.z_step[BusShift-1:0]};
  assign pads_o = {box_o.x_pad_1 != '0, x_size != '0, box_o.x_pad_0 != '0,
                   box_o.x_pad_1 == 8'd1, x_one, box_o.x_pad_0 == 8'd1,
                   box_o.y_pad_1 != '0, y_size != '0, box_o.y_pad_0 != '0,
                   box_o.y_pad_1 == 8'd1, y_one, box_o.y_pad_0 == 8'd1};

  tsr_runs #(
    .BusBytes(tsr_pkg::BusBytes),
    .MaxBeats(MaxBurst),
    .RunBits(RunBits),
    .SizeBits(SizeBits),
    .UserBits(32)
  ) u_runs (
    .clk_i,
    .rst_ni,
    .valid_i(runs_valid),
    .ready_o(runs_ready),
    .addr_i(box_o.addr),
    .run_last_i(run_last),
    .row_run_i(box_o.runs.row),
    .plane_run_i(box_o.runs.plane),
    .box_run_i(box_o.runs.box),
    .x_size_i(x_size),
    .y_size_i(y_size),
    .z_size_i(z_size),
    .x_step_i(box_o.x_step),
    .y_step_i(box_o.y_step),
    .z_step_i(box_o.z_step),
    .user_i(num_o),
    .valid_o(run_valid_o),
    .ready_i(run_ready_i),
    .addr_o(run_addr_o),
    .len_o(run_len_o),
    .last_o(run_last_o),
    .user_o(run_num_o)
  );

  `TSR_ASSERT_STREAM(cmd, cmd_valid_i, cmd_ready_o, {cmd_i, cmd_num_i})
  `TSR_ASSERT(takes_exact, takes_q == (!full_q || (box_gone_q && (runs_gone_q || box_o.no_data))) && stands_q == !takes_q)
endmodule
`default_nettype wire
