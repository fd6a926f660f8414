// SPDX-License-Identifier: Apache-2.0
//
// toy: a module to build and change (../incremental.cmake).
module toy (
  input  logic [7:0] a_i,
  output logic [7:0] sum_o
);
  assign sum_o = a_i + 8'd1;
endmodule
