// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_errors: the error that LOAD or STORE reports: the first bus error, or the error of the box in front.
//
//   Input   bus_err_i: a beat or a response of command bus_num_i is in error
//   Input   box_err_i: the command in front, which never moves, has box_code_i
//   Output  the error, one cycle later; it stays. stopped_o: a bus error has come before
//
// Invariant: a bus error goes before a box error, whose command is later.
`default_nettype none
module tsr_dma_errors (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        bus_err_i,
  input  logic [31:0] bus_num_i,
  input  logic        box_err_i,
  input  logic [3:0]  box_code_i,
  input  logic [31:0] box_num_i,
  output logic        stopped_o,
  output logic        err_valid_o,
  output logic [3:0]  err_code_o,
  output logic [31:0] err_num_o
);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stopped_o <= 1'b0;
      err_valid_o <= 1'b0;
    end else begin
      stopped_o <= bus_err_i | stopped_o;
      err_valid_o <= bus_err_i | stopped_o | box_err_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!stopped_o) begin
      err_code_o <= bus_err_i ? tsr_pkg::ERR_BUS[3:0] : box_code_i;
      err_num_o <= bus_err_i ? bus_num_i : box_num_i;
    end
  end
endmodule
`default_nettype wire
