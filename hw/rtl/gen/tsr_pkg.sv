// SPDX-License-Identifier: Apache-2.0
// Printed by isa_gen from isa/*.def for configuration default; do not edit.
// Field functions of an instruction take all its bits, and use some.
/* verilator lint_off UNUSED */
package tsr_pkg;
  // Configuration.
  localparam int Batch = 1;  // rows of an activation tile
  localparam int BlockIn = 16;  // input channels of a tile
  localparam int BlockOut = 16;  // output channels of a tile; equals BlockIn
  localparam int Lanes = 16;  // elements of an ACC or OUT tile: Batch x BlockOut
  localparam int ArrayPasses = 1;  // of a micro-op through GEMM's array
  localparam int VectorPasses = 1;  // of a tile through VECTOR's lanes
  localparam int Depthwise = 1;  // 1: the machine has Depthwise
  localparam int DepthwiseTaps = 16;  // window taps in a WGT tile of Depthwise
  localparam int BusBits = 64;  // AXI data width
  localparam int BusBytes = 8;
  localparam int QueueDepth = 32;  // instructions waiting in front of a unit
  localparam int VtaQueueDepth = 512;  // the same in profile vta
  localparam int TokenDepth = 255;  // tokens a counter holds
  localparam int TokenBits = 8;  // width of a token counter
  localparam int VtaTokenDepth = 1024;  // tokens a counter holds in profile vta
  localparam int VtaTokenBits = 11;  // width of a counter that profile vta has too
  localparam logic [63:0] ConfigHash = 64'hef3bf06e243caa8c;
  localparam bit HasVta = 1'b1;  // whether VTA's encoding fits; else the vta_ functions give 0

  localparam int IndexBits = 12;  // of a tile of the deepest scratchpad but UOP, and one for past it
  // Scratchpads: tiles, bits of a tile index, bytes of a tile.
  localparam int UopDepth = 4096;  // micro-ops
  localparam int UopIdxBits = 12;
  localparam int UopTileBytes = 8;
  localparam int WgtDepth = 1024;  // weights, one output channel a row
  localparam int WgtIdxBits = 10;
  localparam int WgtTileBytes = 256;
  localparam int InpDepth = 2048;  // activations
  localparam int InpIdxBits = 11;
  localparam int InpTileBytes = 16;
  localparam int InpBanks = 4;  // by the low bits of the tile index
  localparam int AccDepth = 2048;  // accumulators
  localparam int AccIdxBits = 11;
  localparam int AccTileBytes = 64;
  localparam int AccBanks = 4;  // by the high bits of the tile index
  localparam int OutDepth = 2048;  // results
  localparam int OutIdxBits = 11;
  localparam int OutTileBytes = 16;
  localparam int OutBanks = 4;  // by the high bits of the tile index
  localparam int PrmDepth = 64;  // requantise parameters, a record for block_out channels (tessera)
  localparam int PrmIdxBits = 6;
  localparam int PrmTileBytes = 144;  // a record in device memory: its bytes rounded up to the bus
  localparam int PrmBytes = 144;  // of a record
  localparam int PrmBiasOffset = 0;  // byte in a record of the first channel's
  localparam int PrmBiasBytes = 4;  // of a channel in device memory
  localparam int PrmBiasBits = 32;  // kept of it, signed
  localparam int PrmMultiplierOffset = 64;  // byte in a record of the first channel's
  localparam int PrmMultiplierBytes = 4;  // of a channel in device memory
  localparam int PrmMultiplierBits = 31;  // kept of it
  localparam int PrmShiftOffset = 128;  // byte in a record of the first channel's
  localparam int PrmShiftBytes = 1;  // of a channel in device memory
  localparam int PrmShiftBits = 6;  // kept of it, signed
  localparam int TabDepth = 64;  // the table of VECTOR's results, four of its 256 bytes a tile (tessera)
  localparam int TabIdxBits = 6;
  localparam int TabTileBytes = 4;
  localparam int VtaUopDepth = 8192;  // micro-ops of profile vta
  localparam int VtaUopIdxBits = 13;
  localparam int VtaUopTileBytes = 4;
  // Bits of what a LOAD or STORE says, in any scratchpad.
  localparam int BoxSizeBits = 14;  // a number of tiles
  localparam int BoxTileBits = 13;  // a tile's index
  localparam int BoxTileBytesBits = 9;  // the bytes of a tile in device memory
  localparam int BoxBytesBits = 18;  // a byte of all; more than 4 KiB have
  localparam int BoxBits = BoxBytesBits + BoxTileBits + BoxTileBytesBits + 4 * BoxSizeBits;

  localparam logic [2:0] MEM_UOP = 3'd0;  // micro-ops
  localparam logic [2:0] MEM_WGT = 3'd1;  // weights, one output channel a row
  localparam logic [2:0] MEM_INP = 3'd2;  // activations
  localparam logic [2:0] MEM_ACC = 3'd3;  // accumulators
  localparam logic [2:0] MEM_OUT = 3'd4;  // results
  localparam logic [2:0] MEM_ACC8 = 3'd5;  // accumulators loaded from int8 in device memory (vta)
  localparam logic [2:0] MEM_PRM = 3'd6;  // requantise parameters, a record for block_out channels (tessera)
  localparam logic [2:0] MEM_TAB = 3'd7;  // the table of VECTOR's results, four of its 256 bytes a tile (tessera)

  localparam logic [1:0] UNIT_LOAD = 2'd0;  // device memory to scratchpads
  localparam logic [1:0] UNIT_GEMM = 2'd1;  // the multiplier array: tile products and depthwise windows
  localparam logic [1:0] UNIT_VECTOR = 2'd2;  // requantise, residual add, pooling and ALU
  localparam logic [1:0] UNIT_STORE = 2'd3;  // OUT to device memory

  localparam logic [1:0] VMEM_ACC = 2'd0;  // ACC tile, int32
  localparam logic [1:0] VMEM_OUT = 2'd1;  // OUT tile, int8
  localparam logic [1:0] VMEM_INP = 2'd2;  // INP tile, int8
  localparam logic [1:0] VMEM_IMM = 2'd3;  // the immediate (Alu source only)

  localparam logic [2:0] ALU_MIN = 3'd0;  // the smaller
  localparam logic [2:0] ALU_MAX = 3'd1;  // the greater
  localparam logic [2:0] ALU_ADD = 3'd2;  // sum modulo 2^32
  localparam logic [2:0] ALU_SHR = 3'd3;  // arithmetic shift right by b; b < 0 shifts left; past 31: sign fill, or zero to the left
  localparam logic [2:0] ALU_MUL = 3'd4;  // product modulo 2^32
  localparam logic [2:0] ALU_MOV = 3'd5;  // the second operand (tessera)

  localparam logic [1:0] ROUND_TFLITE = 2'd0;  // twice: half up at bit 31, then half away from zero at the shift
  localparam logic [1:0] ROUND_EVEN = 2'd1;  // once, half to even, on the exact product
  localparam logic [1:0] ROUND_HALF_UP = 2'd2;  // once, half towards plus infinity

  localparam logic [0:0] PROFILE_VTA = 1'd0;  // VTA's published encoding
  localparam logic [0:0] PROFILE_TESSERA = 1'd1;  // this project's encoding

  localparam logic [7:0] ERR_NONE = 8'd0;  // no error
  localparam logic [7:0] ERR_ILLEGAL_OPCODE = 8'd1;  // no such opcode, or not in this profile
  localparam logic [7:0] ERR_ILLEGAL_FIELD = 8'd2;  // a field's value has no meaning, or an unnamed bit is set
  localparam logic [7:0] ERR_SRAM_RANGE = 8'd3;  // a tile index is past the end of its scratchpad
  localparam logic [7:0] ERR_DRAM_RANGE = 8'd4;  // an access is past the segment's limit
  localparam logic [7:0] ERR_BUS = 8'd5;  // the memory answered with an error
  localparam logic [7:0] ERR_NO_FINISH = 8'd6;  // the instruction stream ended without FINISH
  localparam logic [7:0] ERR_DEADLOCK = 8'd7;  // units wait for tokens, or for room to push them, that nothing will give

  localparam logic [2:0] SEGMENT_UOPS = 3'd0;  // micro-ops
  localparam logic [2:0] SEGMENT_CONSTANTS = 3'd1;  // weights and tables
  localparam logic [2:0] SEGMENT_ARENA = 3'd2;  // what one layer leaves for another
  localparam logic [2:0] SEGMENT_INPUT = 3'd3;  // the program's inputs
  localparam logic [2:0] SEGMENT_OUTPUT = 3'd4;  // the program's outputs
  // Masks over MEM_*.
  localparam logic [7:0] MemWhole = 8'd201;  // LOAD takes whole tiles only
  localparam logic [7:0] MemPads = 8'd62;  // LOAD can pad

  // Profile tessera: 256-bit instructions.
  localparam int InsnBits = 256;
  localparam int InsnBytes = 32;
  localparam logic [3:0] OP_LOAD = 4'd1;
  localparam logic [3:0] OP_STORE = 4'd2;
  localparam logic [3:0] OP_GEMM = 4'd3;
  localparam logic [3:0] OP_DEPTHWISE = 4'd4;
  localparam logic [3:0] OP_REQUANT = 4'd5;
  localparam logic [3:0] OP_ADD = 4'd6;
  localparam logic [3:0] OP_ALU = 4'd7;
  localparam logic [3:0] OP_SYNC = 4'd8;
  localparam logic [3:0] OP_FINISH = 4'd9;
  // Bits that have a name; another one set is ERR_ILLEGAL_FIELD.
  localparam logic [255:0] NAMED_BITS_LOAD = 256'hffffffffffffffff_ffffffffffffffff_ffffffffffffffff_3fffffffffffffff;
  localparam logic [255:0] NAMED_BITS_STORE = 256'h00ffffffffffffff_000000ffffffffff_ffffffffffffffff_3ffffffffc038fff;
  localparam logic [255:0] NAMED_BITS_GEMM = 256'h0fffffffffffffff_ffffffffffffffff_ffffffffffffffff_0000ffffffff0fff;
  localparam logic [255:0] NAMED_BITS_DEPTHWISE = 256'hffffffffffffffff_ffffffffffffffff_ffffffffffffffff_ffffffff1fffffff;
  localparam logic [255:0] NAMED_BITS_REQUANT = 256'hffffffffffffffff_ffffffffffffffff_ffffffffffffffff_ffffffffffffffff;
  localparam logic [255:0] NAMED_BITS_ADD = 256'h3fffffffffffffff_ffffffffffffffff_ffffffffffffffff_800ffffffff7ffff;
  localparam logic [255:0] NAMED_BITS_ALU = 256'hffffffffffffffff_ffffffffffffffff_ffffffffffffffff_000ffffffff3ffff;
  localparam logic [255:0] NAMED_BITS_SYNC = 256'h0000000000000000_0000000000000000_0000000000000000_0000000000003fff;
  localparam logic [255:0] NAMED_BITS_FINISH = 256'h0000000000000000_0000000000000000_0000000000000000_0000000000000fff;
  // the same bits in every instruction
  function automatic [3:0] insn_opcode(input [255:0] insn);
    insn_opcode = insn[3:0];
  endfunction
  // wait for a token from each
  function automatic [3:0] insn_pop(input [255:0] insn);
    insn_pop = insn[7:4];
  endfunction
  // give a token to each at the end
  function automatic [3:0] insn_push(input [255:0] insn);
    insn_push = insn[11:8];
  endfunction
  // Whether the opcode exists.
  function automatic [0:0] insn_known(input [255:0] insn);
    case (insn[3:0])
      OP_LOAD: insn_known = 1'b1;
      OP_STORE: insn_known = 1'b1;
      OP_GEMM: insn_known = 1'b1;
      OP_DEPTHWISE: insn_known = 1'b1;
      OP_REQUANT: insn_known = 1'b1;
      OP_ADD: insn_known = 1'b1;
      OP_ALU: insn_known = 1'b1;
      OP_SYNC: insn_known = 1'b1;
      OP_FINISH: insn_known = 1'b1;
      default: insn_known = 1'b0;
    endcase
  endfunction
  // Named bits by opcode; of an unknown opcode, all.
  function automatic [255:0] insn_named_bits(input [255:0] insn);
    case (insn[3:0])
      OP_LOAD: insn_named_bits = NAMED_BITS_LOAD;
      OP_STORE: insn_named_bits = NAMED_BITS_STORE;
      OP_GEMM: insn_named_bits = NAMED_BITS_GEMM;
      OP_DEPTHWISE: insn_named_bits = NAMED_BITS_DEPTHWISE;
      OP_REQUANT: insn_named_bits = NAMED_BITS_REQUANT;
      OP_ADD: insn_named_bits = NAMED_BITS_ADD;
      OP_ALU: insn_named_bits = NAMED_BITS_ALU;
      OP_SYNC: insn_named_bits = NAMED_BITS_SYNC;
      OP_FINISH: insn_named_bits = NAMED_BITS_FINISH;
      default: insn_named_bits = {256{1'b1}};
    endcase
  endfunction
  // The unit whose queue takes it; means nothing for OP_FINISH and unknown opcodes.
  function automatic [1:0] insn_unit(input [255:0] insn);
    case (insn[3:0])
      OP_LOAD: insn_unit = UNIT_LOAD;
      OP_STORE: insn_unit = UNIT_STORE;
      OP_GEMM: insn_unit = UNIT_GEMM;
      OP_DEPTHWISE: insn_unit = UNIT_GEMM;
      OP_REQUANT: insn_unit = UNIT_VECTOR;
      OP_ADD: insn_unit = UNIT_VECTOR;
      OP_ALU: insn_unit = UNIT_VECTOR;
      OP_SYNC: insn_unit = sync_unit(insn);
      default: insn_unit = UNIT_LOAD;
    endcase
  endfunction
  // the destination
  function automatic [2:0] load_memory(input [255:0] insn);
    load_memory = insn[14:12];
  endfunction
  // segment that dram_base counts from
  function automatic [2:0] load_segment(input [255:0] insn);
    load_segment = insn[17:15];
  endfunction
  // value of every padded element, and of a tile's elements past x_bytes
  function automatic signed [7:0] load_pad_value(input [255:0] insn);
    load_pad_value = insn[25:18];
  endfunction
  // bytes of each tile that come from memory
  function automatic [15:0] load_x_bytes(input [255:0] insn);
    load_x_bytes = insn[41:26];
  endfunction
  // first tile written
  function automatic [19:0] load_sram_base(input [255:0] insn);
    load_sram_base = insn[61:42];
  endfunction
  // byte offset of tile (0,0,0) in the segment
  function automatic [31:0] load_dram_base(input [255:0] insn);
    load_dram_base = insn[95:64];
  endfunction
  // tiles read in a row
  function automatic [15:0] load_x_size(input [255:0] insn);
    load_x_size = insn[111:96];
  endfunction
  // rows read in a plane
  function automatic [15:0] load_y_size(input [255:0] insn);
    load_y_size = insn[127:112];
  endfunction
  // bytes from one tile to the next
  function automatic [23:0] load_x_step(input [255:0] insn);
    load_x_step = insn[151:128];
  endfunction
  // planes
  function automatic [15:0] load_z_size(input [255:0] insn);
    load_z_size = insn[167:152];
  endfunction
  // padded tiles before each row
  function automatic [7:0] load_x_pad_0(input [255:0] insn);
    load_x_pad_0 = insn[175:168];
  endfunction
  // padded tiles after each row
  function automatic [7:0] load_x_pad_1(input [255:0] insn);
    load_x_pad_1 = insn[183:176];
  endfunction
  // padded rows before each plane
  function automatic [7:0] load_y_pad_0(input [255:0] insn);
    load_y_pad_0 = insn[191:184];
  endfunction
  // bytes from one row to the next
  function automatic [23:0] load_y_step(input [255:0] insn);
    load_y_step = insn[215:192];
  endfunction
  // bytes from one plane to the next
  function automatic [31:0] load_z_step(input [255:0] insn);
    load_z_step = insn[247:216];
  endfunction
  // padded rows after each plane
  function automatic [7:0] load_y_pad_1(input [255:0] insn);
    load_y_pad_1 = insn[255:248];
  endfunction
  // segment that dram_base counts from
  function automatic [2:0] store_segment(input [255:0] insn);
    store_segment = insn[17:15];
  endfunction
  // bytes of each tile that are written
  function automatic [15:0] store_x_bytes(input [255:0] insn);
    store_x_bytes = insn[41:26];
  endfunction
  // first OUT tile read
  function automatic [19:0] store_sram_base(input [255:0] insn);
    store_sram_base = insn[61:42];
  endfunction
  // byte offset of tile (0,0,0) in the segment
  function automatic [31:0] store_dram_base(input [255:0] insn);
    store_dram_base = insn[95:64];
  endfunction
  // tiles in a row
  function automatic [15:0] store_x_size(input [255:0] insn);
    store_x_size = insn[111:96];
  endfunction
  // rows in a plane
  function automatic [15:0] store_y_size(input [255:0] insn);
    store_y_size = insn[127:112];
  endfunction
  // bytes from one tile to the next
  function automatic [23:0] store_x_step(input [255:0] insn);
    store_x_step = insn[151:128];
  endfunction
  // planes
  function automatic [15:0] store_z_size(input [255:0] insn);
    store_z_size = insn[167:152];
  endfunction
  // bytes from one row to the next
  function automatic [23:0] store_y_step(input [255:0] insn);
    store_y_step = insn[215:192];
  endfunction
  // bytes from one plane to the next
  function automatic [31:0] store_z_step(input [255:0] insn);
    store_z_step = insn[247:216];
  endfunction
  // first micro-op
  function automatic [15:0] gemm_uop_begin(input [255:0] insn);
    gemm_uop_begin = insn[31:16];
  endfunction
  // micro-ops in an iteration
  function automatic [15:0] gemm_uop_count(input [255:0] insn);
    gemm_uop_count = insn[47:32];
  endfunction
  // outer iterations
  function automatic [15:0] gemm_iter_out(input [255:0] insn);
    gemm_iter_out = insn[79:64];
  endfunction
  // inner iterations
  function automatic [15:0] gemm_iter_in(input [255:0] insn);
    gemm_iter_in = insn[95:80];
  endfunction
  // ACC tiles an outer iteration
  function automatic [15:0] gemm_dst_out(input [255:0] insn);
    gemm_dst_out = insn[111:96];
  endfunction
  // ACC tiles an inner iteration
  function automatic [15:0] gemm_dst_in(input [255:0] insn);
    gemm_dst_in = insn[127:112];
  endfunction
  // INP tiles an outer iteration
  function automatic [15:0] gemm_src_out(input [255:0] insn);
    gemm_src_out = insn[143:128];
  endfunction
  // INP tiles an inner iteration
  function automatic [15:0] gemm_src_in(input [255:0] insn);
    gemm_src_in = insn[159:144];
  endfunction
  // WGT tiles an outer iteration
  function automatic [15:0] gemm_wgt_out(input [255:0] insn);
    gemm_wgt_out = insn[175:160];
  endfunction
  // WGT tiles an inner iteration
  function automatic [15:0] gemm_wgt_in(input [255:0] insn);
    gemm_wgt_in = insn[191:176];
  endfunction
  // ACC tile added to every micro-op's dst
  function automatic [19:0] gemm_dst_base(input [255:0] insn);
    gemm_dst_base = insn[211:192];
  endfunction
  // INP tile added to every micro-op's src
  function automatic [19:0] gemm_src_base(input [255:0] insn);
    gemm_src_base = insn[231:212];
  endfunction
  // WGT tile added to every micro-op's wgt
  function automatic [19:0] gemm_wgt_base(input [255:0] insn);
    gemm_wgt_base = insn[251:232];
  endfunction
  // window rows
  function automatic [1:0] depthwise_kh(input [255:0] insn);
    depthwise_kh = insn[13:12];
  endfunction
  // window columns
  function automatic [1:0] depthwise_kw(input [255:0] insn);
    depthwise_kw = insn[15:14];
  endfunction
  // 1: the accumulator starts from zero
  function automatic [0:0] depthwise_init(input [255:0] insn);
    depthwise_init = insn[16:16];
  endfunction
  // channel blocks
  function automatic [11:0] depthwise_iter_z(input [255:0] insn);
    depthwise_iter_z = insn[28:17];
  endfunction
  // outer iterations (output rows)
  function automatic [15:0] depthwise_iter_out(input [255:0] insn);
    depthwise_iter_out = insn[47:32];
  endfunction
  // inner iterations (output columns)
  function automatic [15:0] depthwise_iter_in(input [255:0] insn);
    depthwise_iter_in = insn[63:48];
  endfunction
  // first ACC tile
  function automatic [19:0] depthwise_dst_base(input [255:0] insn);
    depthwise_dst_base = insn[83:64];
  endfunction
  // first INP tile
  function automatic [19:0] depthwise_src_base(input [255:0] insn);
    depthwise_src_base = insn[103:84];
  endfunction
  // first WGT tile
  function automatic [19:0] depthwise_wgt_base(input [255:0] insn);
    depthwise_wgt_base = insn[123:104];
  endfunction
  // WGT tiles a channel block
  function automatic [3:0] depthwise_wgt_z(input [255:0] insn);
    depthwise_wgt_z = insn[127:124];
  endfunction
  // ACC tiles an outer iteration
  function automatic [15:0] depthwise_dst_out(input [255:0] insn);
    depthwise_dst_out = insn[143:128];
  endfunction
  // ACC tiles an inner iteration
  function automatic [15:0] depthwise_dst_in(input [255:0] insn);
    depthwise_dst_in = insn[159:144];
  endfunction
  // INP tiles an outer iteration
  function automatic [15:0] depthwise_src_out(input [255:0] insn);
    depthwise_src_out = insn[175:160];
  endfunction
  // INP tiles an inner iteration
  function automatic [15:0] depthwise_src_in(input [255:0] insn);
    depthwise_src_in = insn[191:176];
  endfunction
  // INP tiles between window rows
  function automatic [15:0] depthwise_win_y(input [255:0] insn);
    depthwise_win_y = insn[207:192];
  endfunction
  // INP tiles between window columns
  function automatic [15:0] depthwise_win_x(input [255:0] insn);
    depthwise_win_x = insn[223:208];
  endfunction
  // ACC tiles a channel block
  function automatic [15:0] depthwise_dst_z(input [255:0] insn);
    depthwise_dst_z = insn[239:224];
  endfunction
  // INP tiles a channel block
  function automatic [15:0] depthwise_src_z(input [255:0] insn);
    depthwise_src_z = insn[255:240];
  endfunction
  // where the tiles are
  function automatic [1:0] requant_src_mem(input [255:0] insn);
    requant_src_mem = insn[13:12];
  endfunction
  // where the tiles are
  function automatic [1:0] requant_dst_mem(input [255:0] insn);
    requant_dst_mem = insn[15:14];
  endfunction
  // rounding
  function automatic [1:0] requant_round(input [255:0] insn);
    requant_round = insn[17:16];
  endfunction
  // 1: an ACC source tile is left at zero
  function automatic [0:0] requant_clear(input [255:0] insn);
    requant_clear = insn[18:18];
  endfunction
  // 1: multiplier and shift from here and no bias; 0: all three from PRM
  function automatic [0:0] requant_per_tensor(input [255:0] insn);
    requant_per_tensor = insn[19:19];
  endfunction
  // zero point of an int8 source
  function automatic signed [7:0] requant_src_zero(input [255:0] insn);
    requant_src_zero = insn[27:20];
  endfunction
  // zero point of an int8 destination
  function automatic signed [7:0] requant_out_zero(input [255:0] insn);
    requant_out_zero = insn[35:28];
  endfunction
  // least int8 result
  function automatic signed [7:0] requant_lo(input [255:0] insn);
    requant_lo = insn[43:36];
  endfunction
  // greatest int8 result
  function automatic signed [7:0] requant_hi(input [255:0] insn);
    requant_hi = insn[51:44];
  endfunction
  // first PRM record
  function automatic [10:0] requant_prm_base(input [255:0] insn);
    requant_prm_base = insn[62:52];
  endfunction
  // 1: byte t + 128 of TAB takes the place of each int8 result t
  function automatic [0:0] requant_table(input [255:0] insn);
    requant_table = insn[63:63];
  endfunction
  // first destination tile
  function automatic [19:0] requant_dst_base(input [255:0] insn);
    requant_dst_base = insn[83:64];
  endfunction
  // first source tile
  function automatic [19:0] requant_src_base(input [255:0] insn);
    requant_src_base = insn[103:84];
  endfunction
  // outer iterations
  function automatic [11:0] requant_iter_out(input [255:0] insn);
    requant_iter_out = insn[115:104];
  endfunction
  // inner iterations
  function automatic [11:0] requant_iter_in(input [255:0] insn);
    requant_iter_in = insn[127:116];
  endfunction
  // destination tiles an outer iteration
  function automatic [15:0] requant_dst_out(input [255:0] insn);
    requant_dst_out = insn[143:128];
  endfunction
  // destination tiles an inner iteration
  function automatic [15:0] requant_dst_in(input [255:0] insn);
    requant_dst_in = insn[159:144];
  endfunction
  // source tiles an outer iteration
  function automatic [15:0] requant_src_out(input [255:0] insn);
    requant_src_out = insn[175:160];
  endfunction
  // source tiles an inner iteration
  function automatic [15:0] requant_src_in(input [255:0] insn);
    requant_src_in = insn[191:176];
  endfunction
  // per-tensor multiplier
  function automatic [30:0] requant_multiplier(input [255:0] insn);
    requant_multiplier = insn[222:192];
  endfunction
  // per-tensor shift: left if positive, right if negative
  function automatic signed [5:0] requant_shift(input [255:0] insn);
    requant_shift = insn[228:223];
  endfunction
  // left shift of an int8 source after its zero point
  function automatic [4:0] requant_src_shift(input [255:0] insn);
    requant_src_shift = insn[233:229];
  endfunction
  // PRM records an outer iteration
  function automatic [10:0] requant_prm_out(input [255:0] insn);
    requant_prm_out = insn[244:234];
  endfunction
  // PRM records an inner iteration
  function automatic [10:0] requant_prm_in(input [255:0] insn);
    requant_prm_in = insn[255:245];
  endfunction
  // where the tiles are
  function automatic [1:0] add_src_mem(input [255:0] insn);
    add_src_mem = insn[13:12];
  endfunction
  // where the tiles are
  function automatic [1:0] add_dst_mem(input [255:0] insn);
    add_dst_mem = insn[15:14];
  endfunction
  // rounding
  function automatic [1:0] add_round(input [255:0] insn);
    add_round = insn[17:16];
  endfunction
  // 1: the ACC tile is left at zero
  function automatic [0:0] add_clear(input [255:0] insn);
    add_clear = insn[18:18];
  endfunction
  // zero point of the int8 source
  function automatic signed [7:0] add_src_zero(input [255:0] insn);
    add_src_zero = insn[27:20];
  endfunction
  // zero point of an int8 destination
  function automatic signed [7:0] add_out_zero(input [255:0] insn);
    add_out_zero = insn[35:28];
  endfunction
  // least int8 result
  function automatic signed [7:0] add_lo(input [255:0] insn);
    add_lo = insn[43:36];
  endfunction
  // greatest int8 result
  function automatic signed [7:0] add_hi(input [255:0] insn);
    add_hi = insn[51:44];
  endfunction
  // 1: byte t + 128 of TAB takes the place of each int8 result t
  function automatic [0:0] add_table(input [255:0] insn);
    add_table = insn[63:63];
  endfunction
  // first destination tile
  function automatic [19:0] add_dst_base(input [255:0] insn);
    add_dst_base = insn[83:64];
  endfunction
  // first source tile
  function automatic [19:0] add_src_base(input [255:0] insn);
    add_src_base = insn[103:84];
  endfunction
  // outer iterations
  function automatic [11:0] add_iter_out(input [255:0] insn);
    add_iter_out = insn[115:104];
  endfunction
  // inner iterations
  function automatic [11:0] add_iter_in(input [255:0] insn);
    add_iter_in = insn[127:116];
  endfunction
  // destination tiles an outer iteration
  function automatic [15:0] add_dst_out(input [255:0] insn);
    add_dst_out = insn[143:128];
  endfunction
  // destination tiles an inner iteration
  function automatic [15:0] add_dst_in(input [255:0] insn);
    add_dst_in = insn[159:144];
  endfunction
  // source tiles an outer iteration
  function automatic [15:0] add_src_out(input [255:0] insn);
    add_src_out = insn[175:160];
  endfunction
  // source tiles an inner iteration
  function automatic [15:0] add_src_in(input [255:0] insn);
    add_src_in = insn[191:176];
  endfunction
  // multiplier
  function automatic [30:0] add_multiplier(input [255:0] insn);
    add_multiplier = insn[222:192];
  endfunction
  // shift, as Requant
  function automatic signed [5:0] add_shift(input [255:0] insn);
    add_shift = insn[228:223];
  endfunction
  // left shift of the int8 source after its zero point
  function automatic [4:0] add_src_shift(input [255:0] insn);
    add_src_shift = insn[233:229];
  endfunction
  // first ACC tile of the addend
  function automatic [19:0] add_acc_base(input [255:0] insn);
    add_acc_base = insn[253:234];
  endfunction
  // operation
  function automatic [2:0] alu_alu_op(input [255:0] insn);
    alu_alu_op = insn[14:12];
  endfunction
  // where the tiles are; imm: the immediate
  function automatic [1:0] alu_src_mem(input [255:0] insn);
    alu_src_mem = insn[16:15];
  endfunction
  // 1: the first reduction step moves the operand instead of combining it
  function automatic [0:0] alu_init(input [255:0] insn);
    alu_init = insn[17:17];
  endfunction
  // zero point of an int8 source
  function automatic signed [7:0] alu_src_zero(input [255:0] insn);
    alu_src_zero = insn[27:20];
  endfunction
  // outer iterations
  function automatic [11:0] alu_iter_out(input [255:0] insn);
    alu_iter_out = insn[39:28];
  endfunction
  // inner iterations
  function automatic [11:0] alu_iter_in(input [255:0] insn);
    alu_iter_in = insn[51:40];
  endfunction
  // first ACC tile
  function automatic [19:0] alu_dst_base(input [255:0] insn);
    alu_dst_base = insn[83:64];
  endfunction
  // first source tile
  function automatic [19:0] alu_src_base(input [255:0] insn);
    alu_src_base = insn[103:84];
  endfunction
  // outer reduction steps
  function automatic [11:0] alu_red_out(input [255:0] insn);
    alu_red_out = insn[115:104];
  endfunction
  // inner reduction steps
  function automatic [11:0] alu_red_in(input [255:0] insn);
    alu_red_in = insn[127:116];
  endfunction
  // ACC tiles an outer iteration
  function automatic [15:0] alu_dst_out(input [255:0] insn);
    alu_dst_out = insn[143:128];
  endfunction
  // ACC tiles an inner iteration
  function automatic [15:0] alu_dst_in(input [255:0] insn);
    alu_dst_in = insn[159:144];
  endfunction
  // source tiles an outer iteration
  function automatic [15:0] alu_src_out(input [255:0] insn);
    alu_src_out = insn[175:160];
  endfunction
  // source tiles an inner iteration
  function automatic [15:0] alu_src_in(input [255:0] insn);
    alu_src_in = insn[191:176];
  endfunction
  // source tiles an outer reduction step
  function automatic [15:0] alu_red_out_step(input [255:0] insn);
    alu_red_out_step = insn[207:192];
  endfunction
  // source tiles an inner reduction step
  function automatic [15:0] alu_red_in_step(input [255:0] insn);
    alu_red_in_step = insn[223:208];
  endfunction
  // immediate operand
  function automatic signed [31:0] alu_imm(input [255:0] insn);
    alu_imm = insn[255:224];
  endfunction
  // whose queue takes it
  function automatic [1:0] sync_unit(input [255:0] insn);
    sync_unit = insn[13:12];
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] load_legal(input [255:0] insn);
    load_legal = (load_memory(insn) == 3'd0 || load_memory(insn) == 3'd1 || load_memory(insn) == 3'd2 || load_memory(insn) == 3'd3 || load_memory(insn) == 3'd4 || load_memory(insn) == 3'd6 || load_memory(insn) == 3'd7);
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] depthwise_legal(input [255:0] insn);
    depthwise_legal = depthwise_kh(insn) >= 2'd1 &&
      depthwise_kw(insn) >= 2'd1;
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] requant_legal(input [255:0] insn);
    requant_legal = requant_src_mem(insn) <= 2'd2 &&
      requant_dst_mem(insn) <= 2'd2 &&
      requant_round(insn) <= 2'd2 &&
      (requant_dst_mem(insn) != 2'd0 || requant_table(insn) <= 1'd0) &&
      $signed(requant_shift(insn)) >= -6'sd31;
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] add_legal(input [255:0] insn);
    add_legal = (add_src_mem(insn) == 2'd1 || add_src_mem(insn) == 2'd2) &&
      add_dst_mem(insn) <= 2'd2 &&
      add_round(insn) <= 2'd2 &&
      (add_dst_mem(insn) != 2'd0 || add_table(insn) <= 1'd0) &&
      $signed(add_shift(insn)) >= -6'sd31;
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] alu_legal(input [255:0] insn);
    alu_legal = alu_alu_op(insn) <= 3'd5 &&
      alu_red_out(insn) >= 12'd1 &&
      alu_red_in(insn) >= 12'd1;
  endfunction

  // Profile tessera: micro-ops.
  localparam logic [63:0] UOP_NAMED_BITS = 64'h1fffffffffffffff;
  // ACC tile
  function automatic [19:0] uop_dst(input [63:0] uop);
    uop_dst = uop[19:0];
  endfunction
  // INP tile
  function automatic [19:0] uop_src(input [63:0] uop);
    uop_src = uop[39:20];
  endfunction
  // WGT tile
  function automatic [19:0] uop_wgt(input [63:0] uop);
    uop_wgt = uop[59:40];
  endfunction
  // 1: the accumulator starts from zero at this micro-op
  function automatic [0:0] uop_init(input [63:0] uop);
    uop_init = uop[60:60];
  endfunction

  // Profile vta: 128-bit instructions and 32-bit micro-ops of this configuration.
  localparam int VtaInsnBits = 128;
  localparam int VtaInsnBytes = 16;
  localparam logic [2:0] VTA_OP_LOAD = 3'd0;
  localparam logic [2:0] VTA_OP_STORE = 3'd1;
  localparam logic [2:0] VTA_OP_GEMM = 3'd2;
  localparam logic [2:0] VTA_OP_FINISH = 3'd3;
  localparam logic [2:0] VTA_OP_ALU = 3'd4;
  // the same bits in every instruction
  function automatic [2:0] vta_insn_opcode(input [127:0] insn);
    vta_insn_opcode = insn[2:0];
  endfunction
  // wait for a token from the stage before
  function automatic [0:0] vta_insn_pop_prev(input [127:0] insn);
    vta_insn_pop_prev = insn[3:3];
  endfunction
  // wait for a token from the stage after
  function automatic [0:0] vta_insn_pop_next(input [127:0] insn);
    vta_insn_pop_next = insn[4:4];
  endfunction
  // give a token to the stage before
  function automatic [0:0] vta_insn_push_prev(input [127:0] insn);
    vta_insn_push_prev = insn[5:5];
  endfunction
  // give a token to the stage after
  function automatic [0:0] vta_insn_push_next(input [127:0] insn);
    vta_insn_push_next = insn[6:6];
  endfunction
  // the scratchpad
  function automatic [2:0] vta_load_memory_type(input [127:0] insn);
    vta_load_memory_type = insn[9:7];
  endfunction
  // first tile
  function automatic [15:0] vta_load_sram_base(input [127:0] insn);
    vta_load_sram_base = insn[25:10];
  endfunction
  // tiles from the memory's base register
  function automatic [31:0] vta_load_dram_base(input [127:0] insn);
    vta_load_dram_base = insn[57:26];
  endfunction
  // rows
  function automatic [15:0] vta_load_y_size(input [127:0] insn);
    vta_load_y_size = insn[79:64];
  endfunction
  // tiles in a row; 0 moves tokens only
  function automatic [15:0] vta_load_x_size(input [127:0] insn);
    vta_load_x_size = insn[95:80];
  endfunction
  // tiles in memory from row to row
  function automatic [15:0] vta_load_x_stride(input [127:0] insn);
    vta_load_x_stride = insn[111:96];
  endfunction
  // rows of zero before
  function automatic [3:0] vta_load_y_pad_0(input [127:0] insn);
    vta_load_y_pad_0 = insn[115:112];
  endfunction
  // rows of zero after
  function automatic [3:0] vta_load_y_pad_1(input [127:0] insn);
    vta_load_y_pad_1 = insn[119:116];
  endfunction
  // tiles of zero before each row
  function automatic [3:0] vta_load_x_pad_0(input [127:0] insn);
    vta_load_x_pad_0 = insn[123:120];
  endfunction
  // tiles of zero after each row
  function automatic [3:0] vta_load_x_pad_1(input [127:0] insn);
    vta_load_x_pad_1 = insn[127:124];
  endfunction
  // the scratchpad
  function automatic [2:0] vta_store_memory_type(input [127:0] insn);
    vta_store_memory_type = insn[9:7];
  endfunction
  // first tile
  function automatic [15:0] vta_store_sram_base(input [127:0] insn);
    vta_store_sram_base = insn[25:10];
  endfunction
  // tiles from the memory's base register
  function automatic [31:0] vta_store_dram_base(input [127:0] insn);
    vta_store_dram_base = insn[57:26];
  endfunction
  // rows
  function automatic [15:0] vta_store_y_size(input [127:0] insn);
    vta_store_y_size = insn[79:64];
  endfunction
  // tiles in a row; 0 moves tokens only
  function automatic [15:0] vta_store_x_size(input [127:0] insn);
    vta_store_x_size = insn[95:80];
  endfunction
  // tiles in memory from row to row
  function automatic [15:0] vta_store_x_stride(input [127:0] insn);
    vta_store_x_stride = insn[111:96];
  endfunction
  // rows of zero before
  function automatic [3:0] vta_store_y_pad_0(input [127:0] insn);
    vta_store_y_pad_0 = insn[115:112];
  endfunction
  // rows of zero after
  function automatic [3:0] vta_store_y_pad_1(input [127:0] insn);
    vta_store_y_pad_1 = insn[119:116];
  endfunction
  // tiles of zero before each row
  function automatic [3:0] vta_store_x_pad_0(input [127:0] insn);
    vta_store_x_pad_0 = insn[123:120];
  endfunction
  // tiles of zero after each row
  function automatic [3:0] vta_store_x_pad_1(input [127:0] insn);
    vta_store_x_pad_1 = insn[127:124];
  endfunction
  // 1: write zeros (Gemm); ignored (Alu)
  function automatic [0:0] vta_gemm_reset_reg(input [127:0] insn);
    vta_gemm_reset_reg = insn[7:7];
  endfunction
  // first micro-op
  function automatic [12:0] vta_gemm_uop_bgn(input [127:0] insn);
    vta_gemm_uop_bgn = insn[20:8];
  endfunction
  // one past the last micro-op
  function automatic [13:0] vta_gemm_uop_end(input [127:0] insn);
    vta_gemm_uop_end = insn[34:21];
  endfunction
  // outer iterations
  function automatic [13:0] vta_gemm_iter_out(input [127:0] insn);
    vta_gemm_iter_out = insn[48:35];
  endfunction
  // inner iterations
  function automatic [13:0] vta_gemm_iter_in(input [127:0] insn);
    vta_gemm_iter_in = insn[62:49];
  endfunction
  // ACC tiles an outer iteration
  function automatic [10:0] vta_gemm_dst_factor_out(input [127:0] insn);
    vta_gemm_dst_factor_out = insn[74:64];
  endfunction
  // ACC tiles an inner iteration
  function automatic [10:0] vta_gemm_dst_factor_in(input [127:0] insn);
    vta_gemm_dst_factor_in = insn[85:75];
  endfunction
  // INP tiles an outer iteration
  function automatic [10:0] vta_gemm_src_factor_out(input [127:0] insn);
    vta_gemm_src_factor_out = insn[96:86];
  endfunction
  // INP tiles an inner iteration
  function automatic [10:0] vta_gemm_src_factor_in(input [127:0] insn);
    vta_gemm_src_factor_in = insn[107:97];
  endfunction
  // WGT tiles an outer iteration
  function automatic [9:0] vta_gemm_wgt_factor_out(input [127:0] insn);
    vta_gemm_wgt_factor_out = insn[117:108];
  endfunction
  // WGT tiles an inner iteration
  function automatic [9:0] vta_gemm_wgt_factor_in(input [127:0] insn);
    vta_gemm_wgt_factor_in = insn[127:118];
  endfunction
  // 1: write zeros (Gemm); ignored (Alu)
  function automatic [0:0] vta_alu_reset_reg(input [127:0] insn);
    vta_alu_reset_reg = insn[7:7];
  endfunction
  // first micro-op
  function automatic [12:0] vta_alu_uop_bgn(input [127:0] insn);
    vta_alu_uop_bgn = insn[20:8];
  endfunction
  // one past the last micro-op
  function automatic [13:0] vta_alu_uop_end(input [127:0] insn);
    vta_alu_uop_end = insn[34:21];
  endfunction
  // outer iterations
  function automatic [13:0] vta_alu_iter_out(input [127:0] insn);
    vta_alu_iter_out = insn[48:35];
  endfunction
  // inner iterations
  function automatic [13:0] vta_alu_iter_in(input [127:0] insn);
    vta_alu_iter_in = insn[62:49];
  endfunction
  // ACC tiles an outer iteration
  function automatic [10:0] vta_alu_dst_factor_out(input [127:0] insn);
    vta_alu_dst_factor_out = insn[74:64];
  endfunction
  // ACC tiles an inner iteration
  function automatic [10:0] vta_alu_dst_factor_in(input [127:0] insn);
    vta_alu_dst_factor_in = insn[85:75];
  endfunction
  // ACC tiles an outer iteration
  function automatic [10:0] vta_alu_src_factor_out(input [127:0] insn);
    vta_alu_src_factor_out = insn[96:86];
  endfunction
  // ACC tiles an inner iteration
  function automatic [10:0] vta_alu_src_factor_in(input [127:0] insn);
    vta_alu_src_factor_in = insn[107:97];
  endfunction
  // operation
  function automatic [2:0] vta_alu_alu_opcode(input [127:0] insn);
    vta_alu_alu_opcode = insn[110:108];
  endfunction
  // 1: the immediate is the second operand
  function automatic [0:0] vta_alu_use_imm(input [127:0] insn);
    vta_alu_use_imm = insn[111:111];
  endfunction
  // immediate
  function automatic signed [15:0] vta_alu_imm(input [127:0] insn);
    vta_alu_imm = insn[127:112];
  endfunction
  // ACC tile
  function automatic [10:0] vta_uop_dst_idx(input [31:0] uop);
    vta_uop_dst_idx = uop[10:0];
  endfunction
  // INP tile (Gemm) or ACC tile (Alu)
  function automatic [10:0] vta_uop_src_idx(input [31:0] uop);
    vta_uop_src_idx = uop[21:11];
  endfunction
  // WGT tile
  function automatic [9:0] vta_uop_wgt_idx(input [31:0] uop);
    vta_uop_wgt_idx = uop[31:22];
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] vta_load_legal(input [127:0] insn);
    vta_load_legal = (vta_load_memory_type(insn) == 3'd0 || vta_load_memory_type(insn) == 3'd1 || vta_load_memory_type(insn) == 3'd2 || vta_load_memory_type(insn) == 3'd3 || vta_load_memory_type(insn) == 3'd5);
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] vta_store_legal(input [127:0] insn);
    vta_store_legal = (vta_store_x_size(insn) == 16'd0 || (vta_store_memory_type(insn) == 3'd4));
  endfunction
  // Whether every field has a meaning, as far as its range or enumeration says.
  function automatic [0:0] vta_alu_legal(input [127:0] insn);
    vta_alu_legal = vta_alu_alu_opcode(insn) <= 3'd4;
  endfunction

  // Registers: byte offsets; of an array the first, count and stride; bits: lsb and width.
  localparam int RegAddrBits = 12;
  localparam logic [11:0] REG_IRQ_GLOBAL = 12'h004;  // the interrupt line; this and the next two take writes while busy
  localparam int REG_IRQ_GLOBAL_ENABLE_LSB = 0;  // 1: irq_o is high while a bit of IRQ_STATUS is set that is enabled
  localparam int REG_IRQ_GLOBAL_ENABLE_WIDTH = 1;
  localparam logic [11:0] REG_IRQ_ENABLE = 12'h008;  // by bit of IRQ_STATUS: 1: it raises the interrupt
  localparam logic [11:0] REG_IRQ_STATUS = 12'h00c;  // what happened, enabled or not; writing 1 clears a bit, rst_ni all; starts and soft resets none
  localparam int REG_IRQ_STATUS_DONE_LSB = 0;  // STATUS.done rose: the program ended, well or with an error
  localparam int REG_IRQ_STATUS_DONE_WIDTH = 1;
  localparam int REG_IRQ_STATUS_ERROR_LSB = 1;  // it ended with an error
  localparam int REG_IRQ_STATUS_ERROR_WIDTH = 1;
  localparam int REG_IRQ_STATUS_REFUSED_LSB = 2;  // a start was refused
  localparam int REG_IRQ_STATUS_REFUSED_WIDTH = 1;
  localparam logic [11:0] REG_CONTROL = 12'h010;  // writes act at once
  localparam int REG_CONTROL_START_LSB = 0;  // 1: start; refused while a program runs. After a reset it waits until the bus is quiet; reads 0
  localparam int REG_CONTROL_START_WIDTH = 1;
  localparam int REG_CONTROL_SOFT_RESET_LSB = 1;  // 1: stop and forget everything but configuration and interrupts; with start: then start; reads 0
  localparam int REG_CONTROL_SOFT_RESET_WIDTH = 1;
  localparam int REG_CONTROL_PROFILE_LSB = 8;  // enum Profile, latched at start
  localparam int REG_CONTROL_PROFILE_WIDTH = 1;
  localparam logic [11:0] REG_STATUS = 12'h014;  // state of the last start
  localparam int REG_STATUS_BUSY_LSB = 0;  // a program runs, or the bus still answers to one that a reset ended
  localparam int REG_STATUS_BUSY_WIDTH = 1;
  localparam int REG_STATUS_DONE_LSB = 1;  // the program ended, well or with an error
  localparam int REG_STATUS_DONE_WIDTH = 1;
  localparam int REG_STATUS_ERROR_LSB = 2;  // register ERROR says why
  localparam int REG_STATUS_ERROR_WIDTH = 1;
  localparam int REG_STATUS_LEFTOVER_LSB = 3;  // tokens were left over at FINISH
  localparam int REG_STATUS_LEFTOVER_WIDTH = 1;
  localparam int REG_STATUS_REFUSED_LSB = 4;  // a start came while a program ran and did nothing; until the next start or reset
  localparam int REG_STATUS_REFUSED_WIDTH = 1;
  localparam logic [11:0] REG_ERROR = 12'h018;  // first error
  localparam int REG_ERROR_CODE_LSB = 0;  // enum MachineError
  localparam int REG_ERROR_CODE_WIDTH = 8;
  localparam int REG_ERROR_UNIT_LSB = 8;  // enum Unit; 4: fetch, deadlocks too
  localparam int REG_ERROR_UNIT_WIDTH = 8;
  localparam logic [11:0] REG_ERROR_INSN = 12'h01c;  // instruction number of the first error; deadlock: that fetch waits with
  localparam logic [11:0] REG_INSN_ADDR_LO = 12'h020;  // byte address of the first instruction, low half; multiple of 64
  localparam logic [11:0] REG_INSN_ADDR_HI = 12'h024;  // high half
  localparam logic [11:0] REG_INSN_COUNT = 12'h028;  // instructions in the stream, FINISH included
  localparam logic [11:0] REG_RETIRED = 12'h02c;  // instructions retired since start
  localparam logic [11:0] REG_CYCLES_LO = 12'h030;  // cycles from start to done, low half; reading it keeps the high half for CYCLES_HI
  localparam logic [11:0] REG_CYCLES_HI = 12'h034;  // high half when CYCLES_LO was read last: read that first
  localparam logic [11:0] REG_BUSY = 12'h040;  // cycles in which the unit did useful work
  localparam int REG_BUSY_COUNT = 4;
  localparam logic [11:0] REG_BUSY_STRIDE = 12'h010;
  localparam logic [11:0] REG_TOKEN_WAIT = 12'h044;  // cycles in which an instruction waited for a token, or to push one
  localparam int REG_TOKEN_WAIT_COUNT = 4;
  localparam logic [11:0] REG_TOKEN_WAIT_STRIDE = 12'h010;
  localparam logic [11:0] REG_MEMORY_WAIT = 12'h048;  // cycles in which an instruction waited for device memory
  localparam int REG_MEMORY_WAIT_COUNT = 4;
  localparam logic [11:0] REG_MEMORY_WAIT_STRIDE = 12'h010;
  localparam logic [11:0] REG_HAZARD = 12'h04c;  // cycles in which an instruction waited for a scratchpad bank or the pipeline
  localparam int REG_HAZARD_COUNT = 4;
  localparam logic [11:0] REG_HAZARD_STRIDE = 12'h010;
  localparam logic [11:0] REG_UNIT_STATE = 12'h080;  // bit 0: holds an instruction; 4..7: pop tokens still missing; 8..11: full push queues
  localparam int REG_UNIT_STATE_COUNT = 4;
  localparam logic [11:0] REG_UNIT_STATE_STRIDE = 12'h008;
  localparam logic [11:0] REG_UNIT_INSN = 12'h084;  // number of the instruction it holds, or of the last one
  localparam int REG_UNIT_INSN_COUNT = 4;
  localparam logic [11:0] REG_UNIT_INSN_STRIDE = 12'h008;
  localparam logic [11:0] REG_ID = 12'h0c0;  // says that this machine is here: kIdValue
  localparam logic [11:0] REG_VERSION = 12'h0c4;  // version of the register map and instruction set: major 16, minor 16
  localparam logic [11:0] REG_CONFIG_HASH_LO = 12'h0c8;  // configuration hash, low half
  localparam logic [11:0] REG_CONFIG_HASH_HI = 12'h0cc;  // configuration hash, high half
  localparam logic [11:0] REG_SEGMENT_BASE_LO = 12'h100;  // byte address of segment s, low half; multiple of 64
  localparam int REG_SEGMENT_BASE_LO_COUNT = 8;
  localparam logic [11:0] REG_SEGMENT_BASE_LO_STRIDE = 12'h010;
  localparam logic [11:0] REG_SEGMENT_BASE_HI = 12'h104;  // high half
  localparam int REG_SEGMENT_BASE_HI_COUNT = 8;
  localparam logic [11:0] REG_SEGMENT_BASE_HI_STRIDE = 12'h010;
  localparam logic [11:0] REG_SEGMENT_SIZE_LO = 12'h108;  // bytes in segment s, low half: an access past it is kDramRange
  localparam int REG_SEGMENT_SIZE_LO_COUNT = 8;
  localparam logic [11:0] REG_SEGMENT_SIZE_LO_STRIDE = 12'h010;
  localparam logic [11:0] REG_SEGMENT_SIZE_HI = 12'h10c;  // high half
  localparam int REG_SEGMENT_SIZE_HI_COUNT = 8;
  localparam logic [11:0] REG_SEGMENT_SIZE_HI_STRIDE = 12'h010;
  localparam logic [31:0] REG_ERROR_UNIT_FETCH = 32'h00000004;  // ERROR.unit of what fetch found, before any unit had the instruction
  localparam logic [31:0] REG_ID_VALUE = 32'h31525354;  // "TSR1" in memory order
  localparam logic [31:0] REG_VERSION_VALUE = 32'h00020002;  // this version: 2.2
endpackage
/* verilator lint_on UNUSED */
