// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_pkg: what the stages of LOAD and STORE tell each other about a box of device memory: tiles in
// columns (x), rows (y) and planes (z), each level with its own step.
package tsr_dma_pkg;
  typedef struct packed {
    logic [19:0] sram_base;  // first tile in the scratchpad
    logic [15:0] x_bytes;    // bytes of a tile in device memory
    logic [15:0] x_size;     // tiles
    logic [15:0] y_size;
    logic [15:0] z_size;
    logic [23:0] x_step;     // bytes
    logic [31:0] y_step;
    logic [31:0] z_step;
    logic [7:0]  x_pad_0;    // tiles, scratchpad only
    logic [7:0]  x_pad_1;
    logic [7:0]  y_pad_0;
    logic [7:0]  y_pad_1;
  } box_t;

  // A word of the segment registers, as tsr_regs writes it: segment in bits 4:2 of the address; base low and
  // high, size low and high in bits 1:0.
  typedef struct packed {
    logic        valid;
    logic [4:0]  addr;
    logic [31:0] data;
  } seg_write_t;

  // Which levels are contiguous in device memory.
  typedef struct packed {
    logic row;    // the tiles of a row follow each other
    logic plane;  // and the rows of a plane
    logic box;    // and the planes
  } runs_t;

  // A LOAD or STORE, decoded and checked: what its unit is commanded with.
  typedef struct packed {
    logic [3:0]  err;        // tsr_pkg::ERR_*
    logic        nop;        // no tile
    logic        no_data;    // no byte of device memory: pads only, or nothing
    logic [39:0] addr;       // of tile (0, 0, 0)
    logic [31:0] run_bytes;  // bytes of a contiguous run
    runs_t       runs;
    box_t        box;
    logic [2:0]  mem;        // of LOAD, as the instruction names it (MEM_ACC8 too)
    logic [7:0]  pad_value;
    logic        is_short;   // the tiles of device memory are short of the scratchpad's
  } checked_t;
  // verilator lint_off UNUSEDPARAM
  localparam int CheckedBits = 297;  // of checked_t (yosys has no $bits of a type); tsr_dma_check checks it
  // verilator lint_on UNUSEDPARAM

  // What the four units are commanded with: instructions, or boxes.
  typedef struct packed {
    checked_t     to_load;
    logic [255:0] to_gemm;
    logic [255:0] to_vector;
    checked_t     to_store;
  } commands_t;

  // What tsr_dma_walk needs of every box.
  typedef struct packed {
    logic [15:0] x_bytes;
    logic [15:0] x_size;
    logic [15:0] y_size;
    logic [15:0] z_size;
    runs_t       runs;
  } walk_t;
endpackage
