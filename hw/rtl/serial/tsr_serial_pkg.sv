// SPDX-License-Identifier: Apache-2.0
//
// tsr_serial_pkg: the frames on the serial line between a computer and tsr_serial. runtime/drivers/serial/frame.h has
// the same numbers for the other end. Characters have 8 bits, no parity, one stop bit.
//
// A frame: FLAG, a body, FLAG. A byte of the body that equals FLAG or ESCAPE is sent as ESCAPE and the byte xor ESCAPE_XOR,
// so FLAG is found wherever a receiver begins to listen. The last four bytes of a body are the CRC-32 of those before,
// low byte first. Numbers are little-endian.
//
//   request   sequence number, operation, address (4 bytes), value (4 bytes), data of OP_WRITE_MEMORY
//   answer    sequence number, status, data
//
//   OP_HELLO         address: any number. Begins a session. Data: that number, the word HELLO_MAGIC, bytes of memory, clock in Hz
//   OP_READ          address: a register. Data: its 4 bytes
//   OP_WRITE         address: a register, value: for it
//   OP_READ_MEMORY   address, value: the number of bytes, 1 to MAX_DATA. Data: these
//   OP_WRITE_MEMORY  address, value: the number of bytes that follow, 1 to MAX_DATA
//   OP_RESET         resets the machine and its bus
//
// A request with the sequence number of the one before is the same request again: it is answered, not done, again.
`default_nettype none
package tsr_serial_pkg;
  // Each end of the line uses some of them.
  // verilator lint_off UNUSEDPARAM
  localparam logic [7:0] FLAG = 8'h7e;
  localparam logic [7:0] ESCAPE = 8'h7d;
  localparam logic [7:0] ESCAPE_XOR = 8'h20;

  localparam logic [7:0] OP_HELLO = 8'd1;
  localparam logic [7:0] OP_READ = 8'd2;
  localparam logic [7:0] OP_WRITE = 8'd3;
  localparam logic [7:0] OP_READ_MEMORY = 8'd4;
  localparam logic [7:0] OP_WRITE_MEMORY = 8'd5;
  localparam logic [7:0] OP_RESET = 8'd6;

  localparam logic [7:0] STATUS_DONE = 8'd0;
  localparam logic [7:0] STATUS_NO_SESSION = 8'd1;  // no OP_HELLO since the part was configured
  localparam logic [7:0] STATUS_BAD = 8'd2;         // no such operation, or a range outside memory
  localparam logic [7:0] STATUS_NO_ANSWER = 8'd3;   // the machine's registers do not answer

  localparam logic [31:0] HELLO_MAGIC = 32'h31525354;  // "TSR1": the version of these frames is its last character
  localparam int HEADER = 10;                          // bytes of a request before its data
  localparam int CRC = 4;
  localparam int MAX_DATA = 512;

  localparam logic [31:0] CRC_START = 32'hffffffff;
  localparam logic [31:0] CRC_GOOD = 32'hdebb20e3;  // crc() over a body with its CRC
  // verilator lint_on UNUSEDPARAM

  // One byte more of a CRC-32 (polynomial 04c11db7, reflected), without the final inversion.
  function automatic [31:0] crc(input [31:0] old, input [7:0] data);
    crc = old ^ {24'd0, data};
    for (int i = 0; i < 8; i++) crc = {1'b0, crc[31:1]} ^ (crc[0] ? 32'hedb88320 : 32'd0);
  endfunction
endpackage
`default_nettype wire
