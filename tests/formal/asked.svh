// SPDX-License-Identifier: Apache-2.0
//
// Follows a unit's requests to device memory, from the grant to an AXI address channel behind a tsr_skid. The including
// file also includes cut.svh and has the two packages.

// in_order: the requests at the channel are the granted requests, in order, each once, unchanged, in an aligned block
// of MaxBurst words. The outputs count the unit's own requests among those granted since the unit's reset.
module in_order #(
  parameter int MaxBurst = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,       // reset of the bus
  input  logic        unit_rst_ni,
  input  logic        grant_i,
  input  logic        mine_i,       // the request granted is the unit's
  input  logic [47:0] request_i,    // address, beats - 1
  input  logic        taken_i,      // the channel takes a request
  input  logic [1:0]  held_i,       // requests in the skid: bit 0 the next, bit 1 the one behind it
  input  logic [47:0] next_i,
  input  logic [47:0] behind_i,
  output logic [1:0]  counts_o,     // requests in the skid that count, in the same order
  output logic [11:0] waiting_o,    // words of the requests that count
  output logic [11:0] taken_o       // words of a request that counts and that the channel takes now
);
  localparam int BusShift = $clog2(tsr_pkg::BusBytes);
  logic [1:0] held, held_q, mine_q;
  logic [47:0] next_q, behind_q;
  assign held = held_q >> taken_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= '0;
    else held_q <= {held[0] & (held[1] | grant_i), held[0] | grant_i};
    next_q <= !held[0] ? request_i : taken_i ? behind_q : next_q;
    if (!held[1]) behind_q <= request_i;
    mine_q[0] <= unit_rst_ni && (!held[0] ? mine_i : taken_i ? mine_q[1] : mine_q[0]);
    mine_q[1] <= unit_rst_ni && (held[1] ? mine_q[1] : mine_i);
  end
  assign counts_o = held_q & mine_q;
  function automatic [11:0] words(input [7:0] len);
    words = 12'(len) + 12'd1;
  endfunction
  assign waiting_o = (counts_o[0] ? words(next_q[7:0]) : 12'd0) + (counts_o[1] ? words(behind_q[7:0]) : 12'd0);
  assign taken_o = taken_i && counts_o[0] ? words(next_q[7:0]) : 12'd0;
  function automatic in_a_block(input [47:0] request);
    in_a_block = 32'(request[8+BusShift+:$clog2(MaxBurst)]) + 32'(request[7:0]) < MaxBurst && request[8+:BusShift] == '0 &&
                 32'(request[19:8]) + (32'(request[7:0]) + 1) * tsr_pkg::BusBytes <= 4096;
  endfunction
  `TSR_ASSERT(requests_once, held_i == held_q)
  `TSR_ASSERT_IF(requests_same, held_q[0], next_i == next_q && (!held_q[1] || behind_i == behind_q))
  `TSR_ASSERT_IF(requests_in_a_block, held_q[0], in_a_block(next_i) && (!held_q[1] || in_a_block(behind_i)))
endmodule

// asked: the requests of LOAD or STORE. tsr_runs receives the commands with data, each once, unchanged. The words of
// the bursts that the channel has taken, and of those that wait there, add up to the words of the bursts that tsr_runs
// (cut.svh) put out.
module asked #(
  parameter int MaxBurst = 16,
  localparam int GivenBits = 40 + tsr_pkg::BoxBytesBits + 3 + 3 * tsr_pkg::BoxSizeBits + 24 + 2 * 32 + 32
) (
  input logic                                clk_i,
  input logic                                rst_ni,       // reset of the bus
  input logic                                unit_rst_ni,  // reset of the unit
  input logic                                cmd_valid_i,
  input logic                                cmd_ready_i,
  input logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input logic [31:0]                         cmd_num_i,
  input logic                                runs_valid_i,
  input logic                                runs_ready_i,
  input logic [GivenBits-1:0]                given_i,
  input logic                                grant_i,
  input logic                                mine_i,       // the request granted is the unit's
  input logic [47:0]                         request_i,    // address, beats - 1
  input logic                                taken_i,      // requests in the skid: bit 0 next, bit 1 behind it
  input logic [1:0]                          held_i,       // requests in the skid: bit 0 the next, bit 1 the one behind it
  input logic [47:0]                         next_i,
  input logic [47:0]                         behind_i,
  input logic [11:0]                         put_i         // words of all bursts of tsr_runs, modulo 4 Ki
);
  localparam int PackedBits = tsr_dma_pkg::FixedBits + tsr_pkg::BoxBits;
  // The command that is offered, unpacked from the form of tsr_dma_check. given_q is what tsr_runs should receive next.
  tsr_dma_pkg::checked_t box;
  logic [tsr_pkg::BoxTileBits-1:0] sram_base;
  logic [tsr_pkg::BoxTileBytesBits-1:0] x_bytes;
  logic [tsr_pkg::BoxSizeBits-1:0] x_size, y_size, z_size, tiles;
  logic [tsr_pkg::BoxBytesBits-1:0] run_last;
  assign {box.mem, box.pad_value, box.is_short, box.x_pad_0, box.x_pad_1, box.y_pad_0, box.y_pad_1, box.err, box.nop, box.no_data,
          box.addr, run_last, box.runs, sram_base, x_bytes, x_size, y_size, z_size, box.x_step, box.y_step, box.z_step,
          tiles} = cmd_i[PackedBits-1:0];
  logic has_data, stood_q, due_q;
  logic [tsr_dma_pkg::CommandBits+31:0] command_q;
  logic [GivenBits-1:0] given_q;
  assign has_data = box.err == tsr_pkg::ERR_NONE[3:0] && !box.no_data;
  logic [1:0] unused_counts;
  logic [11:0] asked_q, waiting, taken;
  in_order #(.MaxBurst(MaxBurst)) u_order (
    .clk_i, .rst_ni, .unit_rst_ni, .grant_i, .mine_i, .request_i, .taken_i, .held_i, .next_i, .behind_i,
    .counts_o(unused_counts), .waiting_o(waiting), .taken_o(taken)
  );
  always_ff @(posedge clk_i) begin
    command_q <= {cmd_i, cmd_num_i};
    stood_q <= unit_rst_ni && cmd_valid_i && !cmd_ready_i;
    if (!unit_rst_ni) due_q <= 1'b0;
    else if (cmd_valid_i && cmd_ready_i) begin
      due_q <= has_data;
      given_q <= {box.addr, run_last, box.runs, x_size, y_size, z_size, box.x_step, box.y_step, box.z_step, cmd_num_i};
    end else if (runs_ready_i) due_q <= 1'b0;
    if (!unit_rst_ni) asked_q <= '0;
    else asked_q <= asked_q + taken;
  end
  always_comb if (unit_rst_ni) begin
    stands: assume (!stood_q || (cmd_valid_i && {cmd_i, cmd_num_i} == command_q));
    not_empty: assume (!has_data || (x_size != '0 && y_size != '0 && z_size != '0));
  end
  `TSR_ASSERT_IF(each_command_once, unit_rst_ni, runs_valid_i == due_q)
  `TSR_ASSERT_IF(each_command_same, unit_rst_ni && due_q, given_i == given_q)
  `TSR_ASSERT_IF(all_words, unit_rst_ni, put_i == asked_q + waiting)
endmodule
