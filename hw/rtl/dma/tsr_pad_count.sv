// SPDX-License-Identifier: Apache-2.0
//
// tsr_pad_count: the columns or the rows of a padded box: pads, data, pads. What it says comes from flops.
//
//   Input   step_i: this one is over; after the last one it is at the first again
//           start_i: with step_i, the next is the first of a box of so many; when all three are 0, what it says
//           means nothing
//   Output  data_o: this one is data; data_last_o: the last of them; last_o: the last of all
//   Output  data_next_o, not from a flop: with step_i, the next one is data
module tsr_pad_count #(
  parameter int Bits = 16  // >= 8
) (
  input  logic            clk_i,
  input  logic            start_i,
  input  logic [7:0]      pad_0_i,
  input  logic [Bits-1:0] size_i,
  input  logic [7:0]      pad_1_i,
  input  logic            step_i,
  output logic            data_next_o,
  output logic            data_o,
  output logic            data_last_o,
  output logic            last_o
);
  // The box: counts, which of them are there, which are one.
  logic [7:0] pad_0_q, pad_1_q, pad_0, pad_1;
  logic [Bits-1:0] size_q, size;
  logic [2:0] has_q, has, one_q, one;
  always_ff @(posedge clk_i) begin
    if (step_i && start_i) begin
      {pad_0_q, size_q, pad_1_q} <= {pad_0_i, size_i, pad_1_i};
      {has_q, one_q} <= {has, one};
    end
  end
  assign {pad_0, size, pad_1} = start_i ? {pad_0_i, size_i, pad_1_i} : {pad_0_q, size_q, pad_1_q};
  assign has = start_i ? {pad_1_i != '0, size_i != '0, pad_0_i != '0} : has_q;
  assign one = start_i ? {pad_1_i == 8'd1, size_i == Bits'(1), pad_0_i == 8'd1} : one_q;

  // Where it stands: in pads, data or pads, one hot; with this one so many are left there; ends_q: this one is its last.
  logic [2:0] at_q, at;
  logic [Bits-1:0] left_q;
  logic ends_q, begins, ends;
  assign begins = start_i | ends_q;
  always_comb begin
    at = 3'b100;
    if (!begins) at = at_q;
    else if (has[0] && (start_i || at_q[2] || (at_q[1] && !has[2]) || !(has[1] | has[2]))) at = 3'b001;
    else if (has[1] && !(at_q[1] && has[2] && !start_i)) at = 3'b010;
  end
  assign ends = begins ? (at & one) != '0 : left_q == Bits'(2);
  always_ff @(posedge clk_i) begin
    if (step_i) begin
      at_q <= at;
      left_q <= !begins ? left_q - Bits'(1) : at[0] ? Bits'(pad_0) : at[1] ? size : Bits'(pad_1);
      ends_q <= ends;
      data_last_o <= at[1] & ends;
      last_o <= ends & (at[2] | (at[1] & !has[2]) | (at[0] & has[2:1] == '0));
    end
  end
  assign data_o = at_q[1];
  assign data_next_o = at[1];
endmodule
