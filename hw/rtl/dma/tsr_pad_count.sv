// SPDX-License-Identifier: Apache-2.0
//
// tsr_pad_count: counts the columns or the rows of a padded box: pads, data, pads.
//
//   Input   en_i: start_i or step_i counts in this cycle; it may come late
//           start_i: the next one is the first of a box with these counts; when all three are 0, outputs mean nothing.
//           has_i, one_i: for {pads behind, data, pads before}: there are any, there is just one
//           step_i: ends this one; after the last one the first follows again. start_i steps too
//   Output  data_o: this one is data; data_last_o: the last of the data; last_o: the last of all; all from flops
//   Output  data_next_o, last_next_o, not from flops: data_o and last_o after this cycle, if en_i
`default_nettype none
module tsr_pad_count #(
  parameter int Bits = 16  // >= 8
) (
  input  logic            clk_i,
  input  logic            en_i,
  input  logic            start_i,
  input  logic [7:0]      pad_0_i,
  input  logic [Bits-1:0] size_i,
  input  logic [7:0]      pad_1_i,
  input  logic [2:0]      has_i,
  input  logic [2:0]      one_i,
  input  logic            step_i,
  output logic            data_next_o,
  output logic            last_next_o,
  output logic            data_o,
  output logic            data_last_o,
  output logic            last_o
);
  // The box: the counts of its three parts, which are not 0, and whether the part that follows each, around, has just one.
  logic [7:0] pad_0_q, pad_1_q;
  logic [Bits-1:0] size_q;
  logic [2:0] has_q, after_one, after_one_q;
  assign after_one = {has_i[0] ? one_i[0] : has_i[1] ? one_i[1] : one_i[2],
                      has_i[2] ? one_i[2] : has_i[0] ? one_i[0] : one_i[1],
                      has_i[1] ? one_i[1] : has_i[2] ? one_i[2] : one_i[0]};
  always_ff @(posedge clk_i) begin
    if (en_i && start_i) begin
      {pad_0_q, size_q, pad_1_q} <= {pad_0_i, size_i, pad_1_i};
      {has_q, after_one_q} <= {has_i, after_one};
    end
  end

  // at_q: the part, pads, data or pads, one hot; left_q: columns or rows left there, with this one; ends_q: this one is its
  // last. The next state is computed twice, for a box that starts and for this one, and then chosen: start_i comes late.
  logic [2:0] at_q, at_start, at_on, at;
  logic [Bits-1:0] left_q, left_start, left_on;
  logic ends_q, ends_start, ends_on, last_start, last_on, moves;
  // Whether |where| is the last part of the box.
  function automatic is_end(input [2:0] where, input [2:1] has);
    is_end = where[2] | (where[1] & !has[2]) | (where[0] & has == '0);
  endfunction
  assign at_start = {!has_i[0] & !has_i[1], !has_i[0] & has_i[1], has_i[0]};
  assign ends_start = (at_start & one_i) != '0;
  assign last_start = ends_start & is_end(at_start, has_i[2:1]);
  assign left_start = has_i[0] ? Bits'(pad_0_i) : has_i[1] ? size_i : Bits'(pad_1_i);
  always_comb begin
    at_on = 3'b100;
    if (!ends_q) at_on = at_q;
    else if (has_q[0] && is_end(at_q, has_q[2:1])) at_on = 3'b001;
    else if (has_q[1] && !(at_q[1] && has_q[2])) at_on = 3'b010;
  end
  assign ends_on = ends_q ? (at_q & after_one_q) != '0 : left_q == Bits'(2);
  assign last_on = ends_on & is_end(at_on, has_q[2:1]);
  assign left_on = !ends_q ? left_q - Bits'(1) : at_on[0] ? Bits'(pad_0_q) : at_on[1] ? size_q : Bits'(pad_1_q);
  assign at = start_i ? at_start : at_on;
  assign moves = start_i | step_i;
  always_ff @(posedge clk_i) begin
    if (en_i && moves) begin
      at_q <= at;
      left_q <= start_i ? left_start : left_on;
      ends_q <= start_i ? ends_start : ends_on;
      data_last_o <= start_i ? at_start[1] & ends_start : at_on[1] & ends_on;
      last_o <= start_i ? last_start : last_on;
    end
  end
  assign data_o = at_q[1];
  assign data_next_o = moves ? at[1] : at_q[1];
  assign last_next_o = start_i ? last_start : step_i ? last_on : last_o;
endmodule
`default_nettype wire
