// SPDX-License-Identifier: Apache-2.0
//
// tsr_frame_tx: answers to the bytes of a line (tsr_serial_pkg): adds the CRC, both FLAGs and the escapes.
//
//   Input   stream of the body's bytes, last_i with the last one
//   Output  stream of bytes for the line
//   Cost    1 cycle a byte; idle_o: nothing of a frame is left here
`default_nettype none
`include "tsr_assert.svh"

module tsr_frame_tx (
  input  logic       clk_i,
  input  logic       rst_ni,
  // body
  input  logic       valid_i,
  output logic       ready_o,
  input  logic       last_i,
  input  logic [7:0] data_i,
  output logic       idle_o,
  // line
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o
);
  localparam logic [1:0] Idle = 2'd0, Body = 2'd1, Crc = 2'd2, End = 2'd3;
  logic [1:0] state_q, left_q;  // left_q: bytes of the CRC after the one shown
  logic [31:0] crc_q;
  logic escaped_q;  // ESCAPE was sent for the byte shown
  logic [7:0] value;
  logic special, sent;  // the line takes the byte itself
  assign value = state_q == Crc ? ~crc_q[7:0] : data_i;
  assign special = (value == tsr_serial_pkg::FLAG) | (value == tsr_serial_pkg::ESCAPE);
  always_comb begin
    unique case (state_q)
      Idle: {valid_o, data_o} = {valid_i, tsr_serial_pkg::FLAG};
      End: {valid_o, data_o} = {1'b1, tsr_serial_pkg::FLAG};
      default: begin
        valid_o = valid_i | (state_q == Crc);
        data_o = !special ? value : escaped_q ? value ^ tsr_serial_pkg::ESCAPE_XOR : tsr_serial_pkg::ESCAPE;
      end
    endcase
  end
  assign sent = valid_o & ready_i & (!special | escaped_q);
  assign ready_o = (state_q == Body) & ready_i & (!special | escaped_q);
  assign idle_o = state_q == Idle;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      escaped_q <= 1'b0;
    end else if (valid_o && ready_i) begin
      escaped_q <= 1'b0;
      unique case (state_q)
        Idle: begin
          state_q <= Body;
          crc_q <= tsr_serial_pkg::CRC_START;
        end
        Body: begin
          escaped_q <= !sent;
          if (sent) begin
            crc_q <= tsr_serial_pkg::crc(crc_q, data_i);
            left_q <= 2'd3;
            if (last_i) state_q <= Crc;
          end
        end
        Crc: begin
          escaped_q <= !sent;
          if (sent) begin
            crc_q <= {8'd0, crc_q[31:8]};
            left_q <= left_q - 2'd1;
            if (left_q == '0) state_q <= End;
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

  `TSR_REQUIRE_STREAM(body, valid_i, ready_o, {last_i, data_i})
  `TSR_ASSERT_STREAM(line, valid_o, ready_i, data_o)
endmodule
`default_nettype wire
