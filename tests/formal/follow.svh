// SPDX-License-Identifier: Apache-2.0
//
// follow: counts the beats inside a queue and follows one beat, any one, from its push to its pop. Proofs of queues
// include it.
module follow #(
  parameter int Width = 3,
  parameter int Bits  = 3   // of the count
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  input  logic             this_i,    // the prover's choice: follow the beat that is pushed now, if none is followed
  output logic [Bits-1:0]  count_o,   // beats inside
  output logic             inside_o,  // a beat is followed
  output logic [Bits-1:0]  ahead_o,   // beats in front of it
  output logic [Width-1:0] beat_o     // the followed beat
);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {count_o, inside_o} <= '0;
    end else begin
      count_o <= count_o + Bits'(push_i) - Bits'(pop_i);
      if (!inside_o) begin
        inside_o <= push_i && this_i;
        beat_o <= data_i;
        ahead_o <= count_o - Bits'(pop_i);
      end else if (pop_i) begin
        inside_o <= ahead_o != '0;
        ahead_o <= ahead_o - Bits'(1);
      end
    end
  end
endmodule
