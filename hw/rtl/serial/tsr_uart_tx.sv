// SPDX-License-Identifier: Apache-2.0
//
// tsr_uart_tx: sends characters on a serial line: a start bit, 8 bits from the lowest on, a stop bit.
//
//   Input   stream of bytes
//   Output  tx_o: the line, from a flop; high when idle
//   Cost    10 * ClocksPerBit cycles a byte
`default_nettype none
`include "tsr_assert.svh"

module tsr_uart_tx #(
  parameter int ClocksPerBit = 25  // >= 2
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o
);
  localparam int CountBits = $clog2(ClocksPerBit) + 1;
  localparam logic [CountBits-1:0] Whole = CountBits'(ClocksPerBit - 1);

  logic [9:0] shift_q;  // what follows on the line; ones when idle
  logic [3:0] left_q;   // bits of the character that are not over
  logic [CountBits-1:0] count_q;
  initial shift_q = '1;
  assign ready_o = left_q == '0;
  assign tx_o = shift_q[0];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      shift_q <= '1;
      left_q <= '0;
      count_q <= '0;
    end else if (ready_o) begin
      count_q <= Whole;
      if (valid_i) begin
        shift_q <= {1'b1, data_i, 1'b0};
        left_q <= 4'd10;
      end
    end else if (count_q == '0) begin
      shift_q <= {1'b1, shift_q[9:1]};
      left_q <= left_q - 4'd1;
      count_q <= Whole;
    end else begin
      count_q <= count_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  initial if (ClocksPerBit < 2) $fatal(1, "tsr_uart_tx: ClocksPerBit is %0d, must be >= 2", ClocksPerBit);
`endif
  `TSR_REQUIRE_STREAM(in, valid_i, ready_o, data_i)
endmodule
`default_nettype wire
