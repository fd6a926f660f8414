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
    logic [31:0] y_step;     // fits YStepBits of tsr_dma_front
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

  // What tsr_dma_walk needs of every box.
  typedef struct packed {
    logic [15:0] x_bytes;
    logic [15:0] x_size;
    logic [15:0] y_size;
    logic [15:0] z_size;
    runs_t       runs;
  } walk_t;
endpackage
