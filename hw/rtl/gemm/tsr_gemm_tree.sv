// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_tree: adds signed 16-bit products in two registered steps.
//
//   Input   en_i: terms_i are here; en1_i: the same, one cycle later
//   Output  sum_o, in the second cycle after the terms
module tsr_gemm_tree #(
  parameter int Terms   = 16,  // products; a power of two, >= 2
  parameter int SumBits = 24   // 16 + log2(Terms) at least
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic                en1_i,
  input  logic [16*Terms-1:0] terms_i,
  output logic [SumBits-1:0]  sum_o
);
  localparam int Group = (Terms < 4) ? Terms : 4;
  localparam int Groups = Terms / Group;

  // Functions, so that a simulator adds only when there is something to add.
  function automatic [SumBits-1:0] add_terms(input [16*Group-1:0] terms);
    begin
      add_terms = '0;
      for (int i = 0; i < Group; i++) begin
        add_terms = add_terms + {{SumBits - 16{terms[16*i+15]}}, terms[16*i+:16]};
      end
    end
  endfunction
  function automatic [SumBits-1:0] add_parts(input [SumBits*Groups-1:0] parts);
    begin
      add_parts = '0;
      for (int g = 0; g < Groups; g++) add_parts = add_parts + parts[SumBits*g+:SumBits];
    end
  endfunction

  logic [SumBits*Groups-1:0] part_q;
  logic [SumBits-1:0] sum_q;
  for (genvar g = 0; g < Groups; g++) begin : g_group
    always_ff @(posedge clk_i) begin
      if (en_i) part_q[SumBits*g+:SumBits] <= add_terms(terms_i[16*Group*g+:16*Group]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (en1_i) sum_q <= add_parts(part_q);
  end
  assign sum_o = sum_q;
endmodule
