// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_pkg: the types in which the stages of LOAD and STORE pass on a box of device memory: tiles in
// columns (x), rows (y) and planes (z), each level with its own step.
`default_nettype none
package tsr_dma_pkg;
  // As the instruction gives it.
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

  // A LOAD or STORE, decoded and checked. Without an error its box fits in the scratchpad, so the high bits of the sizes
  // are 0. The sizes of a box without tiles mean nothing.
  typedef struct packed {
    // of LOAD only
    logic [2:0]  mem;        // as the instruction names it (MEM_ACC8 too)
    logic [7:0]  pad_value;
    logic        is_short;   // tiles are shorter in device memory than in the scratchpad
    logic [7:0]  x_pad_0;
    logic [7:0]  x_pad_1;
    logic [7:0]  y_pad_0;
    logic [7:0]  y_pad_1;
    // of both
    logic [3:0]  err;        // tsr_pkg::ERR_*
    logic        nop;        // no tile
    logic        no_data;    // no byte of device memory: pads only, or nothing
    logic [39:0] addr;       // of tile (0, 0, 0)
    logic [31:0] run_last;   // bytes of a contiguous run - 1
    runs_t       runs;
    logic [19:0] sram_base;
    logic [15:0] x_bytes;
    logic [15:0] x_size;
    logic [15:0] y_size;
    logic [15:0] z_size;
    logic [23:0] x_step;
    logic [31:0] y_step;
    logic [31:0] z_step;
    logic [15:0] tiles;      // of the box
  } checked_t;

  // The command of a unit: an instruction, or a checked_t without the bits that are always 0. tsr_dma_check packs it and
  // tsr_dma_front unpacks it; the fields of LOAD only are the high ones. Queues keep no more than these bits.
  // verilator lint_off UNUSEDPARAM
  localparam int CommandBits = 320;
  localparam int LoadOnlyBits = 3 + 8 + 1 + 4 * 8;
  localparam int FixedBits = LoadOnlyBits + 4 + 2 + 40 + 3 + 24 + 2 * 32;  // beside tsr_pkg::BoxBits
  // verilator lint_on UNUSEDPARAM
  typedef struct packed {
    logic [319:0] to_load;
    logic [255:0] to_gemm;
    logic [255:0] to_vector;
    logic [319:0] to_store;
  } commands_t;
endpackage
`default_nettype wire
