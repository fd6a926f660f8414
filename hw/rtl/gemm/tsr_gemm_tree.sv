// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_tree: adds signed numbers in three registered steps. With Biased = 1 each number is one too
// small, and so is the sum: every adder in here has a carry of one.
//
//   Input   en_i: terms_i are here; en1_i, en2_i: the same, one and two cycles later (simulation only)
//           keep_i: with en2_i; 0: sum_o is the sum of no numbers: 0, or -1 with Biased
//   Output  sum_o, in the third cycle after the terms
`default_nettype none
module tsr_gemm_tree #(
  parameter int Terms   = 8,    // numbers; a power of two, >= 1
  parameter int Bits    = 17,   // of a number
  parameter bit Biased  = 1'b0,
  parameter int SumBits = 20    // Bits + log2(Terms) at least
) (
  input  logic                  clk_i,
  input  logic                  en_i,
  input  logic                  en1_i,
  input  logic                  en2_i,
  input  logic                  keep_i,
  input  logic [Bits*Terms-1:0] terms_i,
  output logic [SumBits-1:0]    sum_o
);
  // Two numbers per adder in the first two steps, all that are left in the third.
  localparam int Parts1 = Terms > 1 ? Terms / 2 : 1;
  localparam int Parts2 = Parts1 > 1 ? Parts1 / 2 : 1;
  localparam int Bits1 = Bits + (Terms > 1 && tsr_sim_pkg::Always ? 1 : 0);
  localparam int Bits2 = Bits1 + (Parts1 > 1 && tsr_sim_pkg::Always ? 1 : 0);
  localparam int More1 = Bits1 - Bits + 1, More2 = Bits2 - Bits1 + 1;  // sign bits
  localparam logic [SumBits-1:0] None = Biased ? '1 : '0;

  logic [Bits1*Parts1-1:0] part1_q;
  logic [Bits2*Parts2-1:0] part2_q;
  logic [SumBits-1:0] sum_q;
  for (genvar p = 0; p < Parts1; p++) begin : g_part1
    if (Terms > 1) begin : g_add
      logic [Bits-1:0] a, b;
      assign a = terms_i[Bits*(2*p)+:Bits];
      assign b = terms_i[Bits*(2*p+1)+:Bits];
      always_ff @(posedge clk_i) begin
        if (tsr_sim_pkg::Always || en_i)
          part1_q[Bits1*p+:Bits1] <= {{More1{a[Bits-1]}}, a[Bits-2:0]} + {{More1{b[Bits-1]}}, b[Bits-2:0]} + Bits1'(Biased);
      end
    end else begin : g_one
      always_ff @(posedge clk_i) if (tsr_sim_pkg::Always || en_i) part1_q <= terms_i;
    end
  end
  for (genvar p = 0; p < Parts2; p++) begin : g_part2
    if (Parts1 > 1) begin : g_add
      logic [Bits1-1:0] a, b;
      assign a = part1_q[Bits1*(2*p)+:Bits1];
      assign b = part1_q[Bits1*(2*p+1)+:Bits1];
      always_ff @(posedge clk_i) begin
        if (tsr_sim_pkg::Always || en1_i)
          part2_q[Bits2*p+:Bits2] <= {{More2{a[Bits1-1]}}, a[Bits1-2:0]} + {{More2{b[Bits1-1]}}, b[Bits1-2:0]} + Bits2'(Biased);
      end
    end else begin : g_one
      always_ff @(posedge clk_i) if (tsr_sim_pkg::Always || en1_i) part2_q <= part1_q;
    end
  end

  // A function, so that a simulator adds only when there is something to add.
  function automatic [SumBits-1:0] add(input [Bits2*Parts2-1:0] parts);
    begin
      add = {{SumBits - Bits2 + 1{parts[Bits2-1]}}, parts[Bits2-2:0]};
      for (int p = 1; p < Parts2; p++) begin
        add = add + {{SumBits - Bits2 + 1{parts[Bits2*p+Bits2-1]}}, parts[Bits2*p+:Bits2-1]} + SumBits'(Biased);
      end
    end
  endfunction
  always_ff @(posedge clk_i) begin
    if (tsr_sim_pkg::Always || en2_i) sum_q <= keep_i ? add(part2_q) : None;
  end
  assign sum_o = sum_q;
endmodule
`default_nettype wire
