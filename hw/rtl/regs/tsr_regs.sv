// SPDX-License-Identifier: Apache-2.0
//
// tsr_regs: the control registers of isa/regs.def behind AXI4-Lite.
//
//   Input   AXI4-Lite, 12-bit addresses, 32-bit words
//   Output  start_o, soft_reset_o for one cycle; configuration, which is constant while a program runs
//   Cost    a write 2 cycles, a read 4 cycles; one of each at a time; none in the 32 cycles after reset
//
// Invariant: while locked_i, writes change only CONTROL and the IRQ registers; other writes are accepted and
// ignored. Reserved addresses read as zero; every access is answered with OKAY. CYCLES_HI belongs to the last
// read of CYCLES_LO.
`default_nettype none
`include "tsr_assert.svh"

module tsr_regs (
  input  logic            clk_i,
  input  logic            rst_ni,
  // AXI4-Lite
  input  logic            s_awvalid_i,
  output logic            s_awready_o,
  input  logic [11:0]     s_awaddr_i,
  input  logic            s_wvalid_i,
  output logic            s_wready_o,
  input  logic [31:0]     s_wdata_i,
  input  logic [3:0]      s_wstrb_i,
  output logic            s_bvalid_o,
  input  logic            s_bready_i,
  output logic [1:0]      s_bresp_o,
  input  logic            s_arvalid_i,
  output logic            s_arready_o,
  input  logic [11:0]     s_araddr_i,
  output logic            s_rvalid_o,
  input  logic            s_rready_i,
  output logic [31:0]     s_rdata_o,
  output logic [1:0]      s_rresp_o,
  // to the machine
  output logic            irq_o,         // a level
  output logic            start_o,
  output logic            soft_reset_o,
  output logic            profile_o,
  output logic [39:0]     insn_addr_o,
  output logic [31:0]     insn_count_o,
  output tsr_dma_pkg::seg_write_t seg_write_o,  // for tsr_segments
  // from the machine (tsr_control)
  input  logic [2:0]      irq_set_i,     // bits of IRQ_STATUS
  input  logic            locked_i,
  input  logic            busy_i,
  input  logic            refused_i,
  input  logic            done_i,
  input  logic            error_i,
  input  logic            leftover_i,
  input  logic [7:0]      err_code_i,
  input  logic [7:0]      err_unit_i,
  input  logic [31:0]     err_num_i,
  input  logic [31:0]     retired_i,
  input  logic [63:0]     cycles_i,
  input  logic [127:0]    busy_count_i,
  input  logic [127:0]    token_count_i,
  input  logic [127:0]    memory_count_i,
  input  logic [127:0]    hazard_count_i,
  input  logic [127:0]    unit_state_i,
  input  logic [127:0]    unit_num_i
);
  // Segments are in LUT RAM, which has no reset: one word is zeroed per cycle before any access is answered.
  logic [5:0] zero_q;
  logic ready;
  assign ready = zero_q[5];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) zero_q <= '0;
    else if (!ready) zero_q <= zero_q + 6'd1;
  end

  logic reading_q;  // a read's address is in raddr_q, its value not yet in s_rdata_o
  logic [6:2] raddr_q;

  // Writes: address and data are taken in one cycle, after the previous response is taken.
  logic write;
  assign write = s_awvalid_i & s_wvalid_i & !s_bvalid_o & ready & !reading_q;
  assign s_awready_o = write;
  assign s_wready_o = write;
  assign s_bresp_o = 2'b00;

  logic [11:0] waddr;
  logic control;
  assign waddr = {s_awaddr_i[11:2], 2'd0};
  assign control = write & (waddr == tsr_pkg::REG_CONTROL);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_bvalid_o <= 1'b0;
      start_o <= 1'b0;
      soft_reset_o <= 1'b0;
      profile_o <= 1'b0;
    end else begin
      s_bvalid_o <= write | (s_bvalid_o & !s_bready_i);
      start_o <= control & s_wstrb_i[0] & s_wdata_i[tsr_pkg::REG_CONTROL_START_LSB];
      soft_reset_o <= control & s_wstrb_i[0] & s_wdata_i[tsr_pkg::REG_CONTROL_SOFT_RESET_LSB];
      if (control && s_wstrb_i[1]) profile_o <= s_wdata_i[tsr_pkg::REG_CONTROL_PROFILE_LSB];
    end
  end

  // Interrupts: an event in the cycle of a clearing write stays set.
  logic irq_global_q;
  logic [2:0] irq_enable_q, irq_status_q, irq_clear;
  assign irq_clear = (write && waddr == tsr_pkg::REG_IRQ_STATUS && s_wstrb_i[0]) ? s_wdata_i[2:0] : '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      irq_global_q <= 1'b0;
      irq_enable_q <= '0;
      irq_status_q <= '0;
      irq_o <= 1'b0;
    end else begin
      if (write && s_wstrb_i[0]) begin
        if (waddr == tsr_pkg::REG_IRQ_GLOBAL) irq_global_q <= s_wdata_i[tsr_pkg::REG_IRQ_GLOBAL_ENABLE_LSB];
        if (waddr == tsr_pkg::REG_IRQ_ENABLE) irq_enable_q <= s_wdata_i[2:0];
      end
      irq_status_q <= (irq_status_q & ~irq_clear) | irq_set_i;
      irq_o <= irq_global_q & ((irq_status_q & ~irq_clear & irq_enable_q) != '0);
    end
  end

  // Plain registers.
  logic [31:0] addr_lo_q, addr_hi_q, count_q;
  logic set;
  assign set = write & !locked_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      addr_lo_q <= '0;
      addr_hi_q <= '0;
      count_q <= '0;
    end else if (set) begin
      for (int b = 0; b < 4; b++) begin
        if (s_wstrb_i[b]) begin
          if (waddr == tsr_pkg::REG_INSN_ADDR_LO) addr_lo_q[8*b+:8] <= s_wdata_i[8*b+:8];
          if (waddr == tsr_pkg::REG_INSN_ADDR_HI) addr_hi_q[8*b+:8] <= s_wdata_i[8*b+:8];
          if (waddr == tsr_pkg::REG_INSN_COUNT) count_q[8*b+:8] <= s_wdata_i[8*b+:8];
        end
      end
    end
  end
  assign insn_addr_o = {addr_hi_q[7:0], addr_lo_q[31:6], 6'd0};
  assign insn_count_o = count_q;

  // Segments: four words each. A write replaces the whole word, so the RAM is read for the bytes that stay;
  // tsr_segments gets the word a cycle later.
  logic seg_hit, seg_we;
  logic [4:0] seg_addr;
  logic [31:0] seg_word, seg_new;
  assign seg_hit = set & (waddr[11:7] == tsr_pkg::REG_SEGMENT_BASE_LO[11:7]);
  assign seg_we = seg_hit | !ready;
  assign seg_addr = ready ? waddr[6:2] : zero_q[4:0];
  for (genvar b = 0; b < 4; b++) begin : g_byte
    assign seg_new[8*b+:8] = !ready ? '0 : s_wstrb_i[b] ? s_wdata_i[8*b+:8] : seg_word[8*b+:8];
  end
  tsr_lutram #(
    .Depth(32),
    .Width(32),
    .AddrBits(5)
  ) u_segments (
    .clk_i,
    .we_i(seg_we),
    .waddr_i(seg_addr),
    .wdata_i(seg_new),
    .raddr_i(reading_q ? raddr_q[6:2] : waddr[6:2]),
    .rdata_o(seg_word)
  );
  always_ff @(posedge clk_i) seg_write_o <= {seg_we, seg_addr, seg_new};

  // Reads take a cycle each for the address, the word of each block, and the choice among these words. While the blocks are read
  // (reading_q) nothing is written: the RAM of segments has one read port.
  // in_block_q: the block of 64 bytes that answers (segments have two blocks).
  localparam int PlainBlock = 0, CounterBlock = 1, StateBlock = 2, IdBlock = 3, SegmentBlock = 4, Blocks = 5;
  logic [Blocks-1:0] in_block, in_block_q;
  assign in_block[PlainBlock] = s_araddr_i[11:6] == tsr_pkg::REG_CONTROL[11:6];
  assign in_block[CounterBlock] = s_araddr_i[11:6] == tsr_pkg::REG_BUSY[11:6];
  assign in_block[StateBlock] = s_araddr_i[11:6] == tsr_pkg::REG_UNIT_STATE[11:6];
  assign in_block[IdBlock] = s_araddr_i[11:6] == tsr_pkg::REG_ID[11:6];
  assign in_block[SegmentBlock] = s_araddr_i[11:7] == tsr_pkg::REG_SEGMENT_BASE_LO[11:7];

  logic [31:0] plain, counter, state, id, cycles_hi_q;
  logic [1:0] by16, by8;   // which unit, in arrays with a stride of 16 or 8 bytes
  logic [5:0] word;        // in its block
  assign word = {raddr_q[5:2], 2'd0};
  assign by16 = raddr_q[5:4];
  assign by8 = raddr_q[4:3];
  always_comb begin
    plain = '0;
    unique case (word)
      tsr_pkg::REG_IRQ_GLOBAL[5:0]: plain[tsr_pkg::REG_IRQ_GLOBAL_ENABLE_LSB] = irq_global_q;
      tsr_pkg::REG_IRQ_ENABLE[5:0]: plain[2:0] = irq_enable_q;
      tsr_pkg::REG_IRQ_STATUS[5:0]: plain[2:0] = irq_status_q;
      tsr_pkg::REG_CONTROL[5:0]: plain[tsr_pkg::REG_CONTROL_PROFILE_LSB] = profile_o;
      tsr_pkg::REG_STATUS[5:0]: begin
        plain[tsr_pkg::REG_STATUS_BUSY_LSB] = busy_i | start_o;
        plain[tsr_pkg::REG_STATUS_DONE_LSB] = done_i & !start_o;
        plain[tsr_pkg::REG_STATUS_ERROR_LSB] = error_i;
        plain[tsr_pkg::REG_STATUS_LEFTOVER_LSB] = leftover_i;
        plain[tsr_pkg::REG_STATUS_REFUSED_LSB] = refused_i;
      end
      tsr_pkg::REG_ERROR[5:0]: begin
        plain[tsr_pkg::REG_ERROR_CODE_LSB+:8] = err_code_i;
        plain[tsr_pkg::REG_ERROR_UNIT_LSB+:8] = err_unit_i;
      end
      tsr_pkg::REG_ERROR_INSN[5:0]: plain = err_num_i;
      tsr_pkg::REG_INSN_ADDR_LO[5:0]: plain = addr_lo_q;
      tsr_pkg::REG_INSN_ADDR_HI[5:0]: plain = addr_hi_q;
      tsr_pkg::REG_INSN_COUNT[5:0]: plain = count_q;
      tsr_pkg::REG_RETIRED[5:0]: plain = retired_i;
      tsr_pkg::REG_CYCLES_LO[5:0]: plain = cycles_i[31:0];
      tsr_pkg::REG_CYCLES_HI[5:0]: plain = cycles_hi_q;
      default: plain = '0;
    endcase
    unique case (word[3:0])
      tsr_pkg::REG_BUSY[3:0]: counter = busy_count_i[32*by16+:32];
      tsr_pkg::REG_TOKEN_WAIT[3:0]: counter = token_count_i[32*by16+:32];
      tsr_pkg::REG_MEMORY_WAIT[3:0]: counter = memory_count_i[32*by16+:32];
      default: counter = hazard_count_i[32*by16+:32];
    endcase
    state = word[5] ? '0 : word[2] ? unit_num_i[32*by8+:32] : unit_state_i[32*by8+:32];
    unique case (word)
      tsr_pkg::REG_ID[5:0]: id = tsr_pkg::REG_ID_VALUE;
      tsr_pkg::REG_VERSION[5:0]: id = tsr_pkg::REG_VERSION_VALUE;
      tsr_pkg::REG_CONFIG_HASH_LO[5:0]: id = tsr_pkg::ConfigHash[31:0];
      tsr_pkg::REG_CONFIG_HASH_HI[5:0]: id = tsr_pkg::ConfigHash[63:32];
      default: id = '0;
    endcase
  end
  function automatic [31:0] when(input here, input [31:0] value);
    when = value & {32{here}};
  endfunction
  logic read, chosen_q;
  logic [31:0] plain_q, counter_q, state_q, other_q;  // the words of the blocks
  assign read = s_arvalid_i & !s_rvalid_o & ready & !reading_q & !chosen_q;
  assign s_arready_o = read;
  assign s_rresp_o = 2'b00;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {reading_q, chosen_q, s_rvalid_o} <= '0;
    else {reading_q, chosen_q, s_rvalid_o} <= {read, reading_q, chosen_q | (s_rvalid_o & !s_rready_i)};
  end
  always_ff @(posedge clk_i) begin
    if (read) {raddr_q, in_block_q} <= {s_araddr_i[6:2], in_block};
    {plain_q, counter_q, state_q} <= {plain, counter, state};
    other_q <= when(in_block_q[IdBlock], id) | when(in_block_q[SegmentBlock], seg_word);
    if (chosen_q) begin
      s_rdata_o <= when(in_block_q[PlainBlock], plain_q) | when(in_block_q[CounterBlock], counter_q) |
                   when(in_block_q[StateBlock], state_q) | other_q;
    end
    if (!rst_ni) cycles_hi_q <= '0;
    else if (reading_q && in_block_q[PlainBlock] && word == tsr_pkg::REG_CYCLES_LO[5:0]) cycles_hi_q <= cycles_i[63:32];
  end

  logic unused;
  assign unused = ^{s_awaddr_i[1:0], s_araddr_i[1:0], addr_hi_q[31:8], addr_lo_q[5:0]};

  `TSR_ASSERT_STREAM(b, s_bvalid_o, s_bready_i, s_bresp_o)
  `TSR_ASSERT_STREAM(r, s_rvalid_o, s_rready_i, s_rdata_o)
endmodule
`default_nettype wire
