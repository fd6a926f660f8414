// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_flight: holds the results between issue and write, in order: where they go, and whether a read
// would miss one of them.
//
//   Input   push_*: a step with a result to come is issued; result_*: the next result is here
//           ask_i: src_* and acc_* are the tiles that the next step to issue will read; late
//   Output  ok_o: there is room, and no result in flight will write a tile that was asked for
//   Output  tab_index_o: the oldest result's int8 values; tab_byte_i: their bytes of TAB, in the same cycle
//   Writes  ACC, OUT and INP from flops, as the results come; ACC may make them wait. A tile to clear is
//           cleared before the result is written
//   Output  done_*: a result is written in this cycle
//   Cost    2 cycles from a result to its write; 1 result a cycle; 2 for an ACC result that also clears
//           another tile
`default_nettype none
`include "tsr_assert.svh"

module tsr_vector_flight #(
  parameter int TileBits = 11  // of a tile index in ACC, OUT or INP, the largest of the three
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // issue
  input  logic                               push_i,
  input  logic                               push_work_i,  // 0: nothing is written
  input  logic                               push_last_i,  // of its command
  input  logic                               push_bad_i,   // no result, but an error
  input  logic                               push_table_i, // OUT or INP gets TAB's bytes in place of the results
  input  logic [1:0]                         push_mem_i,   // VMEM_*
  input  logic [TileBits-1:0]                push_tile_i,
  input  logic                               push_clear_i,
  input  logic [tsr_pkg::AccIdxBits-1:0]     push_clear_tile_i,
  // hazards
  input  logic                               ask_i,
  input  logic                               src_acc_i,    // src_mem_i is VMEM_ACC
  input  logic [1:0]                         src_mem_i,    // VMEM_IMM: nothing, since no result goes there
  input  logic [TileBits-1:0]                src_tile_i,
  input  logic                               acc_read_i,
  input  logic [tsr_pkg::AccIdxBits-1:0]     acc_tile_i,
  output logic                               ok_o,
  // results
  input  logic                               result_valid_i,
  input  logic [32*tsr_pkg::Lanes-1:0]       result_data_i,
  output logic [8*tsr_pkg::Lanes-1:0]        tab_index_o,
  input  logic [8*tsr_pkg::Lanes-1:0]        tab_byte_i,
  // writes
  output logic                               acc_wr_valid_o,
  input  logic                               acc_wr_ready_i,
  output logic [tsr_pkg::AccIdxBits-1:0]     acc_wr_addr_o,
  output logic [32*tsr_pkg::Lanes-1:0]       acc_wr_data_o,
  output logic                               out_wr_en_o,
  output logic [tsr_pkg::OutIdxBits-1:0]     out_wr_addr_o,
  output logic [8*tsr_pkg::OutTileBytes-1:0] out_wr_data_o,
  output logic                               inp_wr_en_o,
  output logic [tsr_pkg::InpIdxBits-1:0]     inp_wr_addr_o,
  output logic [8*tsr_pkg::InpTileBytes-1:0] inp_wr_data_o,
  // ends
  output logic                               done_last_o,
  output logic                               done_bad_o,
  output logic                               empty_o
);
  localparam int Depth = 16;  // the stages from issue to the write register, so that all of them can be in use
  localparam int Bits = 4;
  localparam int Lanes = tsr_pkg::Lanes;
  localparam int AccBits = tsr_pkg::AccIdxBits;

  // Entries: a ring, and behind it the write register. Fields that are compared are in flops, one entry
  // beside the other; all fields that the write needs are in LUT RAM.
  logic [Depth-1:0] valid_q, push_hot_q, head_hot_q, next_hot;
  logic [Bits-1:0] push_at_q, result_at_q, head_q;
  logic some, no_room, filled, unused_full;  // some: an entry has its result; no_room, filled: the ring is full, not empty
  logic take, part, move, written;

  localparam int InfoBits = 6 + TileBits + AccBits;
  logic head_work, head_last, head_bad, head_table, to_acc;
  // It clears a tile; it also writes ACC. Long paths begin here, so flops have both answers, and |move|, which is late,
  // chooses in the cycle after it.
  logic head_clear, head_both, here_clear_q, here_both_q, next_clear_q, next_both_q, moved_q;
  assign {head_clear, head_both} = moved_q ? {next_clear_q, next_both_q} : {here_clear_q, here_both_q};
  logic [1:0] head_mem;
  logic [TileBits-1:0] head_tile;
  logic [AccBits-1:0] head_clear_tile;
  logic [32*Lanes-1:0] head_data;
  tsr_lutram #(.Depth(Depth), .Width(InfoBits), .AddrBits(Bits)) u_info (
    .clk_i, .we_i(push_i), .waddr_i(push_at_q),
    .wdata_i({push_work_i, push_last_i, push_bad_i, push_table_i, push_mem_i, push_tile_i, push_clear_tile_i}),
    .raddr_i(head_q),
    .rdata_o({head_work, head_last, head_bad, head_table, head_mem, head_tile, head_clear_tile})
  );
  tsr_lutram #(.Depth(Depth), .Width(32 * Lanes), .AddrBits(Bits)) u_results (
    .clk_i, .we_i(result_valid_i), .waddr_i(result_at_q), .wdata_i(result_data_i), .raddr_i(head_q),
    .rdata_o(head_data)
  );
  assign to_acc = head_work && head_mem == tsr_pkg::VMEM_ACC;

  // The tiles that may be read next are compared with each entry, with the entry pushed now and with the one
  // that waits in the write register.
  logic [Depth-1:0] hit, clear_bits, both_bits;  // clears; clears and writes ACC
  logic hit_push, hit_write;
  // Only Alu, which clears nothing, reads two tiles of ACC at a time: it waits for every entry that clears.
  logic [AccBits-1:0] one_tile;
  logic both_read;
  assign both_read = acc_read_i && src_acc_i;
  assign one_tile = acc_read_i ? acc_tile_i : src_tile_i[AccBits-1:0];
  function automatic meets(input work, input [1:0] mem, input [TileBits-1:0] tile, input clear,
                           input [AccBits-1:0] clear_tile, input [1:0] src_mem,
                           input [TileBits-1:0] src_tile, input acc_read, input [AccBits-1:0] acc_tile,
                           input one_read, input any, input [AccBits-1:0] one);
    meets = (work && {mem, tile} == {src_mem, src_tile}) ||
            (work && acc_read && mem == tsr_pkg::VMEM_ACC && tile[AccBits-1:0] == acc_tile) ||
            (clear && (any || (one_read && clear_tile == one)));
  endfunction
  for (genvar e = 0; e < Depth; e++) begin : g_entry
    logic work_q, clear_q;
    logic [1:0] mem_q;
    logic [TileBits-1:0] tile_q;
    logic [AccBits-1:0] clear_tile_q;
    always_ff @(posedge clk_i) begin
      if (push_hot_q[e] && !valid_q[e]) begin  // until it is pushed, the next entry may hold anything
        {work_q, mem_q, tile_q} <= {push_work_i, push_mem_i, push_tile_i};
        {clear_q, clear_tile_q} <= {push_clear_i, push_clear_tile_i};
      end
    end
    assign clear_bits[e] = clear_q;
    assign both_bits[e] = clear_q && work_q && mem_q == tsr_pkg::VMEM_ACC;
    assign hit[e] = meets(work_q, mem_q, tile_q, clear_q, clear_tile_q, src_mem_i, src_tile_i, acc_read_i,
                          acc_tile_i, acc_read_i || src_acc_i, both_read, one_tile);
  end
  assign hit_push = meets(push_work_i, push_mem_i, push_tile_i, push_clear_i, push_clear_tile_i, src_mem_i,
                          src_tile_i, acc_read_i, acc_tile_i, acc_read_i || src_acc_i, both_read, one_tile);
  logic write_valid_q, write_work_q, write_last_q, write_bad_q, write_clear_q;
  logic [1:0] write_mem_q;
  logic [TileBits-1:0] write_tile_q;
  logic [AccBits-1:0] write_clear_tile_q;
  assign hit_write = meets(write_work_q, write_mem_q, write_tile_q, write_clear_q, write_clear_tile_q, src_mem_i,
                           src_tile_i, acc_read_i, acc_tile_i, acc_read_i || src_acc_i, both_read, one_tile);

  // The entries that the step asked for last must wait for: bit e, entry e; the last bit, the write register. ask_i and push_i
  // are late, so the old and the new answer are both kept, and the next cycle chooses. It also adds the entry that was pushed.
  // blocked_q: there is any. Long paths begin with it, so it is chosen before its flop.
  logic [Depth:0] asked_q, kept_q, either, wait_now;
  logic [Depth-1:0] leaves, left_q, pushed_hot;  // left: in the cycle before, into the write register; pushed: in the cycle before
  logic ask_q, asked_some, kept_some, push_hit, push_hit_q, blocked_q;
  assign leaves = head_hot_q & {Depth{move}};
  assign pushed_hot = {push_hot_q[0], push_hot_q[Depth-1:1]};
  assign either = ask_q ? asked_q | {1'b0, pushed_hot & {Depth{push_hit_q}}} : kept_q;
  assign wait_now = {either[Depth] || (either[Depth-1:0] & left_q) != '0, either[Depth-1:0] & ~left_q};
  // An entry that leaves the ring in this cycle, which is known late, makes no difference.
  assign asked_some = (valid_q & hit) != '0 || (write_valid_q && !written && hit_write);
  assign kept_some = wait_now[Depth-1:0] != '0 || (wait_now[Depth] && !written);
  assign push_hit = push_i && hit_push;
  always_ff @(posedge clk_i) begin
    asked_q <= {write_valid_q && !written && hit_write, valid_q & hit};
    left_q <= leaves;
    push_hit_q <= push_hit;
    if (!rst_ni) begin
      {ask_q, kept_q, blocked_q} <= '0;
    end else begin
      ask_q <= ask_i;
      kept_q <= {wait_now[Depth] && !written, wait_now[Depth-1:0]};
      blocked_q <= ask_i ? asked_some || push_hit : kept_some;
    end
  end
  assign ok_o = !no_room && !blocked_q;
  assign empty_o = !filled && !write_valid_q;

  // From the head into the write register: at once, or after the clearing of its tile in ACC.
  logic acc_valid_q, out_valid_q, inp_valid_q, cleared_q, clears;
  logic [AccBits-1:0] acc_addr_q;
  logic [32*Lanes-1:0] acc_data_q;
  logic [8*Lanes-1:0] byte_q;
  assign clears = head_clear && !cleared_q;
  assign part = head_both && !cleared_q;
  assign take = some && (!acc_valid_q || acc_wr_ready_i);
  assign move = take && !part;
  assign written = write_valid_q && (!acc_valid_q || acc_wr_ready_i);

  assign next_hot = {head_hot_q[Depth-2:0], head_hot_q[Depth-1]};
  logic [2*Bits+1:0] unused_count;
  tsr_tally #(.Bits(Bits + 1), .Limit(Depth)) u_filled (
    .clk_i, .rst_ni, .vta_i(1'b0), .up_i(push_i), .down_i(move), .some_o(filled), .full_o(no_room),
    .behind_o(unused_count[Bits:0])
  );
  tsr_tally #(.Bits(Bits + 1), .Limit(Depth)) u_results_left (
    .clk_i, .rst_ni, .vta_i(1'b0), .up_i(result_valid_i), .down_i(move), .some_o(some), .full_o(unused_full),
    .behind_o(unused_count[2*Bits+1:Bits+1])
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      push_hot_q <= Depth'(1);
      head_hot_q <= Depth'(1);
      push_at_q <= '0;
      result_at_q <= '0;
      head_q <= '0;
      {write_valid_q, acc_valid_q, out_valid_q, inp_valid_q, cleared_q} <= '0;
    end else begin
      valid_q <= (valid_q & ~leaves) | (push_hot_q & {Depth{push_i}});
      if (push_i) begin
        push_at_q <= push_at_q + Bits'(1);
        push_hot_q <= {push_hot_q[Depth-2:0], push_hot_q[Depth-1]};
      end
      if (result_valid_i) result_at_q <= result_at_q + Bits'(1);
      if (move) begin
        head_q <= head_q + Bits'(1);
      end
      if (move) head_hot_q <= next_hot;
      if (take) cleared_q <= part;
      moved_q <= move;
      {here_clear_q, here_both_q} <= {(clear_bits & head_hot_q) != '0, (both_bits & head_hot_q) != '0};
      {next_clear_q, next_both_q} <= {(clear_bits & next_hot) != '0, (both_bits & next_hot) != '0};
      write_valid_q <= move || (write_valid_q && !written);
      acc_valid_q <= take ? clears || to_acc : acc_valid_q && !acc_wr_ready_i;
      out_valid_q <= move && head_work && head_mem == tsr_pkg::VMEM_OUT;
      inp_valid_q <= move && head_work && head_mem == tsr_pkg::VMEM_INP;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      acc_addr_q <= clears ? head_clear_tile : head_tile[AccBits-1:0];
      {write_work_q, write_last_q, write_bad_q, write_clear_q} <= {head_work, head_last, head_bad, clears};
      {write_mem_q, write_tile_q, write_clear_tile_q} <= {head_mem, head_tile, head_clear_tile};
      acc_data_q <= clears ? '0 : head_data;
    end
    // OUT and INP never make a write wait, so their bytes need no hold: |take| comes late, and has many loads.
    if (tsr_sim_pkg::Always || take) byte_q <= head_table && tsr_pkg::TabDepth != 0 ? tab_byte_i : tab_index_o;
  end
  for (genvar l = 0; l < Lanes; l++) begin : g_low
    assign tab_index_o[8*l+:8] = head_data[32*l+:8];
  end

  assign acc_wr_valid_o = acc_valid_q;
  assign acc_wr_addr_o = acc_addr_q;
  assign acc_wr_data_o = acc_data_q;
  assign out_wr_en_o = out_valid_q;
  assign out_wr_addr_o = write_tile_q[tsr_pkg::OutIdxBits-1:0];
  assign out_wr_data_o = byte_q;
  assign inp_wr_en_o = inp_valid_q;
  assign inp_wr_addr_o = write_tile_q[tsr_pkg::InpIdxBits-1:0];
  assign inp_wr_data_o = byte_q;
  assign done_last_o = written && write_last_q;
  assign done_bad_o = written && write_bad_q;

  logic unused;
  assign unused = ^{unused_count, unused_full};
  `TSR_ASSERT_IF(pushed_with_room, push_i, ok_o)
  `TSR_ASSERT_IF(result_of_an_entry, result_valid_i, valid_q[result_at_q])
  `TSR_ASSERT(one_place_each, push_hot_q == Depth'(1) << push_at_q && head_hot_q == Depth'(1) << head_q)
  `TSR_COVER(full, valid_q == '1)
endmodule
`default_nettype wire
