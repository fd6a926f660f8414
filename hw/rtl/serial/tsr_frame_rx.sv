// SPDX-License-Identifier: Apache-2.0
//
// tsr_frame_rx: requests from the bytes of a line (tsr_serial_pkg).
//
//   Input   bytes; bad_i: one was lost
//   Output  valid_o with the fields of a whole request, until ready_i; its data are read by number in the cycle after
//   Cost    2 cycles after the FLAG
//
// Invariant: valid_o only for a body whose CRC is good and whose length is that of its operation. While it is shown, bytes
// are dropped, and after it what remains of the frame that they belong to.
`default_nettype none
module tsr_frame_rx (
  input  logic        clk_i,
  input  logic        rst_ni,
  // line
  input  logic        valid_i,
  input  logic        bad_i,
  input  logic [7:0]  data_i,
  // request
  output logic        valid_o,
  input  logic        ready_i,
  output logic [7:0]  seq_o,
  output logic [7:0]  op_o,
  output logic [31:0] addr_o,
  output logic [31:0] value_o,
  output logic        dropped_o,  // for one cycle: a body was no request
  // data of the request
  input  logic [9:0]  index_i,
  output logic [7:0]  byte_o
);
  localparam int AddrBits = 10;
  localparam int Longest = tsr_serial_pkg::HEADER + tsr_serial_pkg::MAX_DATA + tsr_serial_pkg::CRC;

  logic skip_q;    // the body under way is lost
  logic escape_q;  // the byte before was ESCAPE
  logic [AddrBits-1:0] length_q;  // bytes of the body so far
  logic [31:0] crc_q;
  logic flag, byte_in;
  logic [7:0] value;
  assign flag = valid_i & (data_i == tsr_serial_pkg::FLAG);
  assign byte_in = valid_i & !flag & (data_i != tsr_serial_pkg::ESCAPE) & !skip_q & !valid_o;
  assign value = escape_q ? data_i ^ tsr_serial_pkg::ESCAPE_XOR : data_i;

  // Bytes 0 to 9 are the header: it shifts through 80 bits.
  logic [79:0] head_q;
  logic whole, fits;
  assign whole = crc_q == tsr_serial_pkg::CRC_GOOD;
  assign {value_o, addr_o, op_o, seq_o} = head_q;
  assign fits = op_o == tsr_serial_pkg::OP_WRITE_MEMORY ?
      32'(length_q) == value_o + 32'(tsr_serial_pkg::HEADER + tsr_serial_pkg::CRC) :
      length_q == AddrBits'(tsr_serial_pkg::HEADER + tsr_serial_pkg::CRC);

  logic ended_q, lost_q;  // a body has ended; it was lost
  always_ff @(posedge clk_i) begin
    ended_q <= 1'b0;
    lost_q <= 1'b0;
    dropped_o <= 1'b0;
    if (!rst_ni) begin
      valid_o <= 1'b0;
      skip_q <= 1'b1;
      escape_q <= 1'b0;
      length_q <= '0;
      crc_q <= tsr_serial_pkg::CRC_START;
    end else begin
      if (valid_i) escape_q <= !flag & (data_i == tsr_serial_pkg::ESCAPE);
      if (bad_i || (valid_i && !flag && (valid_o || ended_q))) skip_q <= 1'b1;
      if (byte_in) begin
        length_q <= length_q + 1'b1;
        crc_q <= tsr_serial_pkg::crc(crc_q, value);
        if (length_q == AddrBits'(Longest)) skip_q <= 1'b1;
      end
      if (flag && !valid_o) begin
        ended_q <= length_q != '0 || skip_q;
        lost_q <= skip_q | escape_q;
        skip_q <= 1'b0;
        if (length_q == '0) crc_q <= tsr_serial_pkg::CRC_START;
      end
      if (ended_q) begin
        valid_o <= whole & fits & !lost_q;
        dropped_o <= !(whole & fits & !lost_q) & (length_q != '0);
      end
      if (ended_q || (valid_o && ready_i)) begin
        length_q <= '0;
        crc_q <= tsr_serial_pkg::CRC_START;
      end
      if (valid_o && ready_i) valid_o <= 1'b0;
    end
    if (byte_in && length_q < AddrBits'(tsr_serial_pkg::HEADER)) head_q <= {value, head_q[79:8]};
  end

  logic [9:0] at;
  assign at = length_q - AddrBits'(tsr_serial_pkg::HEADER);
`ifndef SYNTHESIS
  logic [7:0] unused_old;
`endif
  tsr_ram #(
    .Depth(1 << AddrBits),
    .Bytes(1),
    .AddrBits(AddrBits)
  ) u_data (
    .clk_i,
    .we_i(byte_in),
    .waddr_i(at),
    .be_i(1'b1),
    .wdata_i(value),
    .re_i(1'b1),
    .raddr_i(index_i),
    .rdata_o(byte_o)
`ifndef SYNTHESIS
    ,
    .look_i(1'b0),
    .old_o(unused_old)
`endif
  );
`ifndef SYNTHESIS
  logic unused;
  assign unused = ^unused_old;
`endif
endmodule
`default_nettype wire
