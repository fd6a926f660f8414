// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_pkg: what the stages of the VECTOR unit tell each other.
package tsr_vector_pkg;
  localparam logic [1:0] KIND_REQUANT = 2'd0;
  localparam logic [1:0] KIND_ADD = 2'd1;
  localparam logic [1:0] KIND_ALU = 2'd2;  // of both profiles

  // A command's constants, and how one step uses them.
  typedef struct packed {
    logic [1:0]  kind;
    logic [2:0]  op;          // ALU_*
    logic [1:0]  src_mem;     // VMEM_*
    logic [1:0]  dst_mem;
    logic [1:0]  round;       // ROUND_*
    logic        clear;
    logic        per_tensor;
    logic [7:0]  src_zero;
    logic [4:0]  src_shift;
    logic [7:0]  out_zero;
    logic [7:0]  lo;
    logic [7:0]  hi;
    logic [30:0] multiplier;
    logic [5:0]  shift;
    logic [31:0] imm;
    // ALU steps
    logic        first;       // the first operand comes from ACC; else it is the step before's result
    logic        two;         // it was read from ACC before the second operand was
    logic        alias_acc;   // the second operand is the step before's result
    logic        emit;        // the result leaves the pipeline
  } step_t;
endpackage
