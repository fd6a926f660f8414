// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_flight: the results between issue and write, in order: where they go, and whether a read
// would miss them.
//
//   Input   push_*: a step is issued whose result will come; result_*: the next result is here
//   Output  room_o; hit_src_o, hit_acc_o: a result in flight will write the tile asked for
//   Writes  ACC, OUT and INP, as the results come; ACC may make them wait. A tile to clear is cleared
//           before the result is written
//   Output  done_*: a result is written in this cycle
//   Cost    1 result a cycle; 2 for an ACC result that also clears another tile
`include "tsr_assert.svh"

module tsr_vector_flight (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // issue
  input  logic                               push_i,
  output logic                               room_o,
  input  logic                               push_work_i,  // 0: nothing is written
  input  logic                               push_last_i,  // of its command
  input  logic                               push_bad_i,   // no result, but an error
  input  logic [1:0]                         push_mem_i,   // VMEM_*
  input  logic [19:0]                        push_tile_i,
  input  logic                               push_clear_i,
  input  logic [tsr_pkg::AccIdxBits-1:0]     push_clear_tile_i,
  // hazards
  input  logic [1:0]                         src_mem_i,
  input  logic [19:0]                        src_tile_i,
  output logic                               hit_src_o,
  input  logic [19:0]                        acc_tile_i,
  output logic                               hit_acc_o,
  // results
  input  logic                               result_valid_i,
  input  logic [32*tsr_pkg::Lanes-1:0]       result_data_i,
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
  output logic                               done_o,
  output logic                               done_last_o,
  output logic                               done_bad_o,
  output logic                               empty_o
);
  localparam int Depth = 16;  // more than the stages from issue to write, so that they never run dry
  localparam int Bits = 4;
  localparam int Lanes = tsr_pkg::Lanes;

  // Entries: a ring. What a comparison needs is in flops.
  logic [Depth-1:0] valid_q, work_q, last_q, bad_q, clear_q;
  logic [2*Depth-1:0] mem_q;
  logic [20*Depth-1:0] tile_q;
  logic [tsr_pkg::AccIdxBits*Depth-1:0] clear_tile_q;
  logic [Bits-1:0] push_at_q, result_at_q, head_q;
  logic [Bits:0] results_q;  // here and not written

  localparam int AccBits = tsr_pkg::AccIdxBits;
  assign room_o = !valid_q[push_at_q];
  assign empty_o = valid_q == '0;

  function automatic [Depth-1:0] same_tile(input [20*Depth-1:0] tiles, input [19:0] tile);
    for (int e = 0; e < Depth; e++) same_tile[e] = tiles[20*e+:20] == tile;
  endfunction
  function automatic [Depth-1:0] same_mem(input [2*Depth-1:0] mems, input [1:0] mem);
    for (int e = 0; e < Depth; e++) same_mem[e] = mems[2*e+:2] == mem;
  endfunction
  function automatic [Depth-1:0] same_clear(input [AccBits*Depth-1:0] tiles,
                                                    input [AccBits-1:0] tile);
    for (int e = 0; e < Depth; e++) same_clear[e] = tiles[AccBits*e+:AccBits] == tile;
  endfunction
  logic [Depth-1:0] writes, clears;
  assign writes = valid_q & work_q;
  assign clears = valid_q & clear_q;
  assign hit_src_o = (writes & same_mem(mem_q, src_mem_i) & same_tile(tile_q, src_tile_i)) != '0 ||
                     (src_mem_i == tsr_pkg::VMEM_ACC && (clears & same_clear(clear_tile_q, src_tile_i[AccBits-1:0])) != '0);
  assign hit_acc_o = (writes & same_mem(mem_q, tsr_pkg::VMEM_ACC) & same_tile(tile_q, acc_tile_i)) != '0 ||
                     (clears & same_clear(clear_tile_q, acc_tile_i[AccBits-1:0])) != '0;

  // The head.
  logic some, head_work, head_clear, cleared_q, to_acc, written;
  logic [1:0] head_mem;
  logic [19:0] head_tile;
  logic [AccBits-1:0] head_clear_tile;
  logic [32*Lanes-1:0] data;
  assign some = results_q != '0;
  assign head_work = work_q[head_q];
  assign head_clear = clear_q[head_q] && !cleared_q;
  assign head_mem = mem_q[2*head_q+:2];
  assign head_tile = tile_q[20*head_q+:20];
  assign head_clear_tile = clear_tile_q[AccBits*head_q+:AccBits];
  assign to_acc = head_work && head_mem == tsr_pkg::VMEM_ACC;

  assign acc_wr_valid_o = some && (head_clear || to_acc);
  assign acc_wr_addr_o = head_clear ? head_clear_tile : head_tile[AccBits-1:0];
  assign acc_wr_data_o = head_clear ? '0 : data;
  assign written = some && (to_acc ? !head_clear && acc_wr_ready_i : !head_clear || acc_wr_ready_i);
  assign out_wr_en_o = written && head_work && head_mem == tsr_pkg::VMEM_OUT;
  assign inp_wr_en_o = written && head_work && head_mem == tsr_pkg::VMEM_INP;
  assign out_wr_addr_o = head_tile[tsr_pkg::OutIdxBits-1:0];
  assign inp_wr_addr_o = head_tile[tsr_pkg::InpIdxBits-1:0];
  for (genvar l = 0; l < Lanes; l++) begin : g_byte
    assign out_wr_data_o[8*l+:8] = data[32*l+:8];
  end
  assign inp_wr_data_o = out_wr_data_o;
  assign done_o = written;
  assign done_last_o = written && last_q[head_q];
  assign done_bad_o = written && bad_q[head_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      push_at_q <= '0;
      result_at_q <= '0;
      head_q <= '0;
      results_q <= '0;
      cleared_q <= 1'b0;
    end else begin
      if (push_i) push_at_q <= push_at_q + Bits'(1);
      if (result_valid_i) result_at_q <= result_at_q + Bits'(1);
      if (written) head_q <= head_q + Bits'(1);
      results_q <= results_q + (Bits + 1)'(result_valid_i) - (Bits + 1)'(written);
      cleared_q <= some && !written && (cleared_q || (head_clear && acc_wr_ready_i));
      if (push_i) valid_q[push_at_q] <= 1'b1;
      if (written) valid_q[head_q] <= 1'b0;
    end
  end
  logic unused;
  assign unused = ^head_tile;

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      work_q[push_at_q] <= push_work_i;
      last_q[push_at_q] <= push_last_i;
      bad_q[push_at_q] <= push_bad_i;
      clear_q[push_at_q] <= push_clear_i;
      mem_q[2*push_at_q+:2] <= push_mem_i;
      tile_q[20*push_at_q+:20] <= push_tile_i;
      clear_tile_q[AccBits*push_at_q+:AccBits] <= push_clear_tile_i;
    end
  end

  tsr_lutram #(.Depth(Depth), .Width(32 * Lanes), .AddrBits(Bits)) u_results (
    .clk_i, .we_i(result_valid_i), .waddr_i(result_at_q), .wdata_i(result_data_i), .raddr_i(head_q), .rdata_o(data)
  );

  `TSR_ASSERT(pushed_with_room, push_i |-> room_o)
  `TSR_ASSERT(result_of_an_entry, result_valid_i |-> valid_q[result_at_q])
  `TSR_COVER(full, valid_q == '1)
endmodule
