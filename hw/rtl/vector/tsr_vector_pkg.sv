// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_pkg: the types that the stages of the VECTOR unit exchange.
`default_nettype none
package tsr_vector_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam logic [1:0] KIND_REQUANT = 2'd0;
  localparam logic [1:0] KIND_ADD = 2'd1;
  localparam logic [1:0] KIND_ALU = 2'd2;  // of both profiles

  // The constants of a command, the same in all of its steps.
  typedef struct packed {
    logic [1:0]  round;       // ROUND_*
    logic [7:0]  src_zero;
    logic [4:0]  src_shift;
    logic [7:0]  out_zero;
    logic [7:0]  lo;
    logic [7:0]  hi;
    logic        table_on;    // int8 results are looked up in TAB
    logic [30:0] multiplier;
    logic [5:0]  shift;
    logic [31:0] imm;
    logic [31:0] num;         // of the instruction
  } consts_t;
  localparam int ConstBits = 141;
  // The command in the loops and those in front of the lanes, one a slot.
  localparam int Tags = 4;
  localparam int TagBits = 2;
  // verilator lint_on UNUSEDPARAM

  // What a step does.
  typedef struct packed {
    logic [1:0]  kind;
    logic [2:0]  op;          // ALU_*
    logic [1:0]  src_mem;     // VMEM_*
    logic [1:0]  dst_mem;
    logic        clear;
    logic        per_tensor;
    logic [TagBits-1:0] tag;  // of its command's constants
    // ALU steps
    logic        first;       // the first operand comes from ACC; else it is the result of the step before
    logic        two;         // both operands come from ACC; the first one was read before
    logic        alias_acc;   // the second operand is the result of the step before
    logic        emit;        // the result leaves the pipeline
  } step_t;

  // What goes through the lanes beside a step's data.
  typedef struct packed {
    step_t   step;
    consts_t consts;
  } lane_t;

  // A step in the lanes' stage 3: decoded, and from flops, since much depends on it.
  typedef struct packed {
    logic        alu;
    logic        first;
    logic        alias_acc;
    logic        add;         // the sum; else one of the operands, or their shift or product
    logic        compare;     // MIN or MAX
    logic        max;
    logic        shr;
    logic        mul;
    logic [30:0] multiplier;
  } do_t;

  // Whether the memory |mem|, VMEM_*, has no such tile.
  function automatic out_of_range(input [1:0] mem, input [tsr_pkg::IndexBits-1:0] tile);
    case (mem)
      tsr_pkg::VMEM_ACC: out_of_range = tile >= tsr_pkg::IndexBits'(tsr_pkg::AccDepth);
      tsr_pkg::VMEM_OUT: out_of_range = tile >= tsr_pkg::IndexBits'(tsr_pkg::OutDepth);
      tsr_pkg::VMEM_INP: out_of_range = tile >= tsr_pkg::IndexBits'(tsr_pkg::InpDepth);
      default: out_of_range = 1'b0;
    endcase
  endfunction
endpackage
`default_nettype wire
