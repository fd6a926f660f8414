// SPDX-License-Identifier: Apache-2.0
//
// tsr_uart_rx: characters of a serial line: a start bit, 8 bits from the lowest on, a stop bit.
//
//   Input   rx_i: the line, asynchronous
//   Output  valid_o for one cycle with data_o; bad_o for one cycle: the stop bit was low, the character is lost
//   Cost    the middle of the stop bit, and 3 cycles
`default_nettype none
module tsr_uart_rx #(
  parameter int ClocksPerBit = 25  // >= 2
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       valid_o,
  output logic       bad_o,
  output logic [7:0] data_o
);
  localparam int CountBits = $clog2(ClocksPerBit) + 1;
  localparam logic [CountBits-1:0] Whole = CountBits'(ClocksPerBit - 1);
  localparam logic [CountBits-1:0] Half = CountBits'((ClocksPerBit - 2) / 2);

  logic [1:0] sync_q;
  logic line;
  initial sync_q = '1;
  always_ff @(posedge clk_i) sync_q <= {sync_q[0], rx_i};
  assign line = sync_q[1];

  logic busy_q, sample;
  logic [CountBits-1:0] count_q;
  logic [3:0] bit_q;  // 0: the start bit, 9: the stop bit
  assign sample = busy_q & (count_q == '0);
  always_ff @(posedge clk_i) begin
    valid_o <= 1'b0;
    bad_o <= 1'b0;
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= !line;
      bit_q <= '0;
      count_q <= Half;
      // The first sample is due in this cycle, and the start bit is the line.
      if (!line && Half == '0) begin
        bit_q <= 4'd1;
        count_q <= Whole;
      end
    end else if (sample) begin
      bit_q <= bit_q + 4'd1;
      count_q <= Whole;
      if (bit_q == 4'd0) busy_q <= !line;  // a start bit that has gone was noise
      if (bit_q == 4'd9) begin
        busy_q <= 1'b0;
        valid_o <= line;
        bad_o <= !line;
      end
    end else begin
      count_q <= count_q - 1'b1;
    end
    if (sample && bit_q != 4'd0 && bit_q != 4'd9) data_o <= {line, data_o[7:1]};
  end

`ifndef SYNTHESIS
  initial if (ClocksPerBit < 2) $fatal(1, "tsr_uart_rx: ClocksPerBit is %0d, must be >= 2", ClocksPerBit);
`endif
endmodule
`default_nettype wire
