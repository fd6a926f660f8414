// SPDX-License-Identifier: Apache-2.0
// Printed by isa_gen from isa/*.def for configuration default; do not edit.
// clang-format off
#ifndef TSR_HLS_ISA_H_
#define TSR_HLS_ISA_H_
#include <ap_int.h>
#ifdef TSR_HLS_NAMESPACE
namespace TSR_HLS_NAMESPACE {
#endif

typedef ap_uint<256> insn_word;
typedef ap_uint<64> uop_word;
typedef ap_uint<32> vta_uop_word;

const int kBatch = 1;  // rows of an activation tile
const int kBlockIn = 16;  // input channels of a tile
const int kBlockOut = 16;  // output channels of a tile; equals BlockIn
const int kLanes = 16;  // elements of an ACC or OUT tile
const int kBusBits = 64;  // data width of the memory ports
const int kBusBytes = 8;
const int kQueueDepth = 32;  // instructions waiting in front of a unit
const int kVtaQueueDepth = 512;  // the same in profile vta
const int kTokenDepth = 255;  // tokens on an edge
const int kVtaTokenDepth = 1024;  // the same in profile vta
const int kSegments = 8;  // of device memory
const int kHasVta = 1;  // whether VTA's encoding fits
const unsigned long long kConfigHash = 0xef3bf06e243caa8cULL;

// Scratchpads: tiles, and bytes of a tile in device memory.
const int kUopDepth = 4096;  // micro-ops
const int kUopTileBytes = 8;
const int kSpaceUop = 1;  // in digests
const int kWgtDepth = 1024;  // weights, one output channel a row
const int kWgtTileBytes = 256;
const int kSpaceWgt = 2;  // in digests
const int kInpDepth = 2048;  // activations
const int kInpTileBytes = 16;
const int kSpaceInp = 3;  // in digests
const int kAccDepth = 2048;  // accumulators
const int kAccTileBytes = 64;
const int kSpaceAcc = 4;  // in digests
const int kOutDepth = 2048;  // results
const int kOutTileBytes = 16;
const int kSpaceOut = 5;  // in digests
const int kPrmDepth = 64;  // requantise parameters, a record for block_out channels (tessera)
const int kPrmTileBytes = 144;
const int kSpacePrm = 6;  // in digests
const int kPrmBiasOffset = 0;  // byte in a record of the first channel's
const int kPrmBiasBytes = 4;  // of a channel in device memory
const int kPrmBiasBits = 32;  // kept of it, signed
const int kPrmMultiplierOffset = 64;  // byte in a record of the first channel's
const int kPrmMultiplierBytes = 4;  // of a channel in device memory
const int kPrmMultiplierBits = 31;  // kept of it
const int kPrmShiftOffset = 128;  // byte in a record of the first channel's
const int kPrmShiftBytes = 1;  // of a channel in device memory
const int kPrmShiftBits = 6;  // kept of it, signed
const int kTabDepth = 64;  // the table of VECTOR's results, four of its 256 bytes a tile (tessera)
const int kTabTileBytes = 4;
const int kSpaceTab = 8;  // in digests
const int kMaxTileBytes = 256;  // of the largest tile
const int kSpaceMemory = 7;  // device memory in digests
const int kVtaUopDepth = 8192;  // micro-ops of profile vta
const int kVtaUopTileBytes = 4;

const int kMemoryUop = 0;  // micro-ops
const int kMemoryWgt = 1;  // weights, one output channel a row
const int kMemoryInp = 2;  // activations
const int kMemoryAcc = 3;  // accumulators
const int kMemoryOut = 4;  // results
const int kMemoryAcc8 = 5;  // accumulators loaded from int8 in device memory (vta)
const int kMemoryPrm = 6;  // requantise parameters, a record for block_out channels (tessera)
const int kMemoryTab = 7;  // the table of VECTOR's results, four of its 256 bytes a tile (tessera)

const int kUnitLoad = 0;  // device memory to scratchpads
const int kUnitGemm = 1;  // the multiplier array: tile products and depthwise windows
const int kUnitVector = 2;  // requantise, residual add, pooling and ALU
const int kUnitStore = 3;  // OUT to device memory

const int kVectorMemoryAcc = 0;  // ACC tile, int32
const int kVectorMemoryOut = 1;  // OUT tile, int8
const int kVectorMemoryInp = 2;  // INP tile, int8
const int kVectorMemoryImm = 3;  // the immediate (Alu source only)

const int kAluOpMin = 0;  // the smaller
const int kAluOpMax = 1;  // the greater
const int kAluOpAdd = 2;  // sum modulo 2^32
const int kAluOpShr = 3;  // arithmetic shift right by b; b < 0 shifts left; past 31: sign fill, or zero to the left
const int kAluOpMul = 4;  // product modulo 2^32
const int kAluOpMov = 5;  // the second operand (tessera)

const int kRoundTflite = 0;  // twice: half up at bit 31, then half away from zero at the shift
const int kRoundEven = 1;  // once, half to even, on the exact product
const int kRoundHalfUp = 2;  // once, half towards plus infinity

const int kProfileVta = 0;  // VTA's published encoding
const int kProfileTessera = 1;  // this project's encoding

const int kMachineErrorNone = 0;  // no error
const int kMachineErrorIllegalOpcode = 1;  // no such opcode, or not in this profile
const int kMachineErrorIllegalField = 2;  // a field's value has no meaning, or an unnamed bit is set
const int kMachineErrorSramRange = 3;  // a tile index is past the end of its scratchpad
const int kMachineErrorDramRange = 4;  // an access is past the segment's limit
const int kMachineErrorBus = 5;  // the memory answered with an error
const int kMachineErrorNoFinish = 6;  // the instruction stream ended without FINISH
const int kMachineErrorDeadlock = 7;  // units wait for tokens, or for room to push them, that nothing will give

const int kSegmentUops = 0;  // micro-ops
const int kSegmentConstants = 1;  // weights and tables
const int kSegmentArena = 2;  // what one layer leaves for another
const int kSegmentInput = 3;  // the program's inputs
const int kSegmentOutput = 4;  // the program's outputs

// Tiles that a memory holds.
inline unsigned memory_depth(unsigned memory, bool vta) {
  switch (memory) {
    case kMemoryUop: return vta ? 8192 : 4096;
    case kMemoryWgt: return vta ? 1024 : 1024;
    case kMemoryInp: return vta ? 2048 : 2048;
    case kMemoryAcc: return vta ? 2048 : 2048;
    case kMemoryOut: return vta ? 2048 : 2048;
    case kMemoryAcc8: return vta ? 2048 : 2048;
    case kMemoryPrm: return vta ? 64 : 64;
    case kMemoryTab: return vta ? 64 : 64;
    default: return 0;
  }
}
// Bytes of one of its tiles in device memory.
inline unsigned memory_tile_bytes(unsigned memory, bool vta) {
  switch (memory) {
    case kMemoryUop: return vta ? 4 : 8;
    case kMemoryWgt: return vta ? 256 : 256;
    case kMemoryInp: return vta ? 16 : 16;
    case kMemoryAcc: return vta ? 64 : 64;
    case kMemoryOut: return vta ? 16 : 16;
    case kMemoryAcc8: return vta ? 16 : 16;
    case kMemoryPrm: return vta ? 144 : 144;
    case kMemoryTab: return vta ? 4 : 4;
    default: return 0;
  }
}
// The fewest bytes of a tile that a LOAD may give.
inline unsigned memory_least_bytes(unsigned memory, bool vta) {
  switch (memory) {
    case kMemoryUop: return vta ? 4 : 8;
    case kMemoryWgt: return vta ? 1 : 1;
    case kMemoryInp: return vta ? 1 : 1;
    case kMemoryAcc: return vta ? 64 : 64;
    case kMemoryOut: return vta ? 1 : 1;
    case kMemoryAcc8: return vta ? 1 : 1;
    case kMemoryPrm: return vta ? 144 : 144;
    case kMemoryTab: return vta ? 4 : 4;
    default: return 0;
  }
}
// 1: a LOAD may pad it.
inline unsigned memory_pads(unsigned memory, bool vta) {
  switch (memory) {
    case kMemoryUop: return vta ? 0 : 0;
    case kMemoryWgt: return vta ? 1 : 1;
    case kMemoryInp: return vta ? 1 : 1;
    case kMemoryAcc: return vta ? 1 : 1;
    case kMemoryOut: return vta ? 1 : 1;
    case kMemoryAcc8: return vta ? 1 : 1;
    case kMemoryPrm: return vta ? 0 : 0;
    case kMemoryTab: return vta ? 0 : 0;
    default: return 0;
  }
}

// Profile tessera.
const int kInsnBytes = 32;
const int kOpLoad = 1;
const int kOpStore = 2;
const int kOpGemm = 3;
const int kOpDepthwise = 4;
const int kOpRequant = 5;
const int kOpAdd = 6;
const int kOpAlu = 7;
const int kOpSync = 8;
const int kOpFinish = 9;
inline ap_uint<4> insn_opcode(const insn_word& w) { return ap_uint<4>(w.range(3, 0)); }
inline ap_uint<4> insn_pop(const insn_word& w) { return ap_uint<4>(w.range(7, 4)); }  // wait for a token from each
inline ap_uint<4> insn_push(const insn_word& w) { return ap_uint<4>(w.range(11, 8)); }  // give a token to each at the end
inline ap_uint<3> load_memory(const insn_word& w) { return ap_uint<3>(w.range(14, 12)); }  // the destination
inline ap_uint<3> load_segment(const insn_word& w) { return ap_uint<3>(w.range(17, 15)); }  // segment that dram_base counts from
inline ap_int<8> load_pad_value(const insn_word& w) { return ap_int<8>(w.range(25, 18)); }  // value of every padded element, and of a tile's elements past x_bytes
inline ap_uint<16> load_x_bytes(const insn_word& w) { return ap_uint<16>(w.range(41, 26)); }  // bytes of each tile that come from memory
inline ap_uint<20> load_sram_base(const insn_word& w) { return ap_uint<20>(w.range(61, 42)); }  // first tile written
inline ap_uint<32> load_dram_base(const insn_word& w) { return ap_uint<32>(w.range(95, 64)); }  // byte offset of tile (0,0,0) in the segment
inline ap_uint<16> load_x_size(const insn_word& w) { return ap_uint<16>(w.range(111, 96)); }  // tiles read in a row
inline ap_uint<16> load_y_size(const insn_word& w) { return ap_uint<16>(w.range(127, 112)); }  // rows read in a plane
inline ap_uint<24> load_x_step(const insn_word& w) { return ap_uint<24>(w.range(151, 128)); }  // bytes from one tile to the next
inline ap_uint<16> load_z_size(const insn_word& w) { return ap_uint<16>(w.range(167, 152)); }  // planes
inline ap_uint<8> load_x_pad_0(const insn_word& w) { return ap_uint<8>(w.range(175, 168)); }  // padded tiles before each row
inline ap_uint<8> load_x_pad_1(const insn_word& w) { return ap_uint<8>(w.range(183, 176)); }  // padded tiles after each row
inline ap_uint<8> load_y_pad_0(const insn_word& w) { return ap_uint<8>(w.range(191, 184)); }  // padded rows before each plane
inline ap_uint<24> load_y_step(const insn_word& w) { return ap_uint<24>(w.range(215, 192)); }  // bytes from one row to the next
inline ap_uint<32> load_z_step(const insn_word& w) { return ap_uint<32>(w.range(247, 216)); }  // bytes from one plane to the next
inline ap_uint<8> load_y_pad_1(const insn_word& w) { return ap_uint<8>(w.range(255, 248)); }  // padded rows after each plane
inline bool load_legal(const insn_word& w) { return (0xdfu >> (unsigned)load_memory(w) & 1) != 0 &&
         load_x_bytes(w) >= memory_least_bytes((unsigned)load_memory(w), false) && load_x_bytes(w) <= memory_tile_bytes((unsigned)load_memory(w), false) &&
         (load_x_pad_0(w) == 0 || memory_pads((unsigned)load_memory(w), false) != 0) &&
         (load_x_pad_1(w) == 0 || memory_pads((unsigned)load_memory(w), false) != 0) &&
         (load_y_pad_0(w) == 0 || memory_pads((unsigned)load_memory(w), false) != 0) &&
         (load_y_pad_1(w) == 0 || memory_pads((unsigned)load_memory(w), false) != 0); }  // every field has a meaning
inline ap_uint<3> store_segment(const insn_word& w) { return ap_uint<3>(w.range(17, 15)); }  // segment that dram_base counts from
inline ap_uint<16> store_x_bytes(const insn_word& w) { return ap_uint<16>(w.range(41, 26)); }  // bytes of each tile that are written
inline ap_uint<20> store_sram_base(const insn_word& w) { return ap_uint<20>(w.range(61, 42)); }  // first OUT tile read
inline ap_uint<32> store_dram_base(const insn_word& w) { return ap_uint<32>(w.range(95, 64)); }  // byte offset of tile (0,0,0) in the segment
inline ap_uint<16> store_x_size(const insn_word& w) { return ap_uint<16>(w.range(111, 96)); }  // tiles in a row
inline ap_uint<16> store_y_size(const insn_word& w) { return ap_uint<16>(w.range(127, 112)); }  // rows in a plane
inline ap_uint<24> store_x_step(const insn_word& w) { return ap_uint<24>(w.range(151, 128)); }  // bytes from one tile to the next
inline ap_uint<16> store_z_size(const insn_word& w) { return ap_uint<16>(w.range(167, 152)); }  // planes
inline ap_uint<24> store_y_step(const insn_word& w) { return ap_uint<24>(w.range(215, 192)); }  // bytes from one row to the next
inline ap_uint<32> store_z_step(const insn_word& w) { return ap_uint<32>(w.range(247, 216)); }  // bytes from one plane to the next
inline bool store_legal(const insn_word& w) { return store_x_bytes(w) >= 1 && store_x_bytes(w) <= 16; }  // every field has a meaning
inline ap_uint<16> gemm_uop_begin(const insn_word& w) { return ap_uint<16>(w.range(31, 16)); }  // first micro-op
inline ap_uint<16> gemm_uop_count(const insn_word& w) { return ap_uint<16>(w.range(47, 32)); }  // micro-ops in an iteration
inline ap_uint<16> gemm_iter_out(const insn_word& w) { return ap_uint<16>(w.range(79, 64)); }  // outer iterations
inline ap_uint<16> gemm_iter_in(const insn_word& w) { return ap_uint<16>(w.range(95, 80)); }  // inner iterations
inline ap_uint<16> gemm_dst_out(const insn_word& w) { return ap_uint<16>(w.range(111, 96)); }  // ACC tiles an outer iteration
inline ap_uint<16> gemm_dst_in(const insn_word& w) { return ap_uint<16>(w.range(127, 112)); }  // ACC tiles an inner iteration
inline ap_uint<16> gemm_src_out(const insn_word& w) { return ap_uint<16>(w.range(143, 128)); }  // INP tiles an outer iteration
inline ap_uint<16> gemm_src_in(const insn_word& w) { return ap_uint<16>(w.range(159, 144)); }  // INP tiles an inner iteration
inline ap_uint<16> gemm_wgt_out(const insn_word& w) { return ap_uint<16>(w.range(175, 160)); }  // WGT tiles an outer iteration
inline ap_uint<16> gemm_wgt_in(const insn_word& w) { return ap_uint<16>(w.range(191, 176)); }  // WGT tiles an inner iteration
inline ap_uint<20> gemm_dst_base(const insn_word& w) { return ap_uint<20>(w.range(211, 192)); }  // ACC tile added to every micro-op's dst
inline ap_uint<20> gemm_src_base(const insn_word& w) { return ap_uint<20>(w.range(231, 212)); }  // INP tile added to every micro-op's src
inline ap_uint<20> gemm_wgt_base(const insn_word& w) { return ap_uint<20>(w.range(251, 232)); }  // WGT tile added to every micro-op's wgt
inline bool gemm_legal(const insn_word&) { return true; }
inline ap_uint<2> depthwise_kh(const insn_word& w) { return ap_uint<2>(w.range(13, 12)); }  // window rows
inline ap_uint<2> depthwise_kw(const insn_word& w) { return ap_uint<2>(w.range(15, 14)); }  // window columns
inline ap_uint<1> depthwise_init(const insn_word& w) { return ap_uint<1>(w.range(16, 16)); }  // 1: the accumulator starts from zero
inline ap_uint<12> depthwise_iter_z(const insn_word& w) { return ap_uint<12>(w.range(28, 17)); }  // channel blocks
inline ap_uint<16> depthwise_iter_out(const insn_word& w) { return ap_uint<16>(w.range(47, 32)); }  // outer iterations (output rows)
inline ap_uint<16> depthwise_iter_in(const insn_word& w) { return ap_uint<16>(w.range(63, 48)); }  // inner iterations (output columns)
inline ap_uint<20> depthwise_dst_base(const insn_word& w) { return ap_uint<20>(w.range(83, 64)); }  // first ACC tile
inline ap_uint<20> depthwise_src_base(const insn_word& w) { return ap_uint<20>(w.range(103, 84)); }  // first INP tile
inline ap_uint<20> depthwise_wgt_base(const insn_word& w) { return ap_uint<20>(w.range(123, 104)); }  // first WGT tile
inline ap_uint<4> depthwise_wgt_z(const insn_word& w) { return ap_uint<4>(w.range(127, 124)); }  // WGT tiles a channel block
inline ap_uint<16> depthwise_dst_out(const insn_word& w) { return ap_uint<16>(w.range(143, 128)); }  // ACC tiles an outer iteration
inline ap_uint<16> depthwise_dst_in(const insn_word& w) { return ap_uint<16>(w.range(159, 144)); }  // ACC tiles an inner iteration
inline ap_uint<16> depthwise_src_out(const insn_word& w) { return ap_uint<16>(w.range(175, 160)); }  // INP tiles an outer iteration
inline ap_uint<16> depthwise_src_in(const insn_word& w) { return ap_uint<16>(w.range(191, 176)); }  // INP tiles an inner iteration
inline ap_uint<16> depthwise_win_y(const insn_word& w) { return ap_uint<16>(w.range(207, 192)); }  // INP tiles between window rows
inline ap_uint<16> depthwise_win_x(const insn_word& w) { return ap_uint<16>(w.range(223, 208)); }  // INP tiles between window columns
inline ap_uint<16> depthwise_dst_z(const insn_word& w) { return ap_uint<16>(w.range(239, 224)); }  // ACC tiles a channel block
inline ap_uint<16> depthwise_src_z(const insn_word& w) { return ap_uint<16>(w.range(255, 240)); }  // INP tiles a channel block
inline bool depthwise_legal(const insn_word& w) { return depthwise_kh(w) >= 1 &&
         depthwise_kw(w) >= 1; }  // every field has a meaning
inline ap_uint<2> requant_src_mem(const insn_word& w) { return ap_uint<2>(w.range(13, 12)); }  // where the tiles are
inline ap_uint<2> requant_dst_mem(const insn_word& w) { return ap_uint<2>(w.range(15, 14)); }  // where the tiles are
inline ap_uint<2> requant_round(const insn_word& w) { return ap_uint<2>(w.range(17, 16)); }  // rounding
inline ap_uint<1> requant_clear(const insn_word& w) { return ap_uint<1>(w.range(18, 18)); }  // 1: an ACC source tile is left at zero
inline ap_uint<1> requant_per_tensor(const insn_word& w) { return ap_uint<1>(w.range(19, 19)); }  // 1: multiplier and shift from here and no bias; 0: all three from PRM
inline ap_int<8> requant_src_zero(const insn_word& w) { return ap_int<8>(w.range(27, 20)); }  // zero point of an int8 source
inline ap_int<8> requant_out_zero(const insn_word& w) { return ap_int<8>(w.range(35, 28)); }  // zero point of an int8 destination
inline ap_int<8> requant_lo(const insn_word& w) { return ap_int<8>(w.range(43, 36)); }  // least int8 result
inline ap_int<8> requant_hi(const insn_word& w) { return ap_int<8>(w.range(51, 44)); }  // greatest int8 result
inline ap_uint<11> requant_prm_base(const insn_word& w) { return ap_uint<11>(w.range(62, 52)); }  // first PRM record
inline ap_uint<1> requant_table(const insn_word& w) { return ap_uint<1>(w.range(63, 63)); }  // 1: byte t + 128 of TAB takes the place of each int8 result t
inline ap_uint<20> requant_dst_base(const insn_word& w) { return ap_uint<20>(w.range(83, 64)); }  // first destination tile
inline ap_uint<20> requant_src_base(const insn_word& w) { return ap_uint<20>(w.range(103, 84)); }  // first source tile
inline ap_uint<12> requant_iter_out(const insn_word& w) { return ap_uint<12>(w.range(115, 104)); }  // outer iterations
inline ap_uint<12> requant_iter_in(const insn_word& w) { return ap_uint<12>(w.range(127, 116)); }  // inner iterations
inline ap_uint<16> requant_dst_out(const insn_word& w) { return ap_uint<16>(w.range(143, 128)); }  // destination tiles an outer iteration
inline ap_uint<16> requant_dst_in(const insn_word& w) { return ap_uint<16>(w.range(159, 144)); }  // destination tiles an inner iteration
inline ap_uint<16> requant_src_out(const insn_word& w) { return ap_uint<16>(w.range(175, 160)); }  // source tiles an outer iteration
inline ap_uint<16> requant_src_in(const insn_word& w) { return ap_uint<16>(w.range(191, 176)); }  // source tiles an inner iteration
inline ap_uint<31> requant_multiplier(const insn_word& w) { return ap_uint<31>(w.range(222, 192)); }  // per-tensor multiplier
inline ap_int<6> requant_shift(const insn_word& w) { return ap_int<6>(w.range(228, 223)); }  // per-tensor shift: left if positive, right if negative
inline ap_uint<5> requant_src_shift(const insn_word& w) { return ap_uint<5>(w.range(233, 229)); }  // left shift of an int8 source after its zero point
inline ap_uint<11> requant_prm_out(const insn_word& w) { return ap_uint<11>(w.range(244, 234)); }  // PRM records an outer iteration
inline ap_uint<11> requant_prm_in(const insn_word& w) { return ap_uint<11>(w.range(255, 245)); }  // PRM records an inner iteration
inline bool requant_legal(const insn_word& w) { return (0x7u >> (unsigned)requant_src_mem(w) & 1) != 0 &&
         (0x7u >> (unsigned)requant_dst_mem(w) & 1) != 0 &&
         (0x7u >> (unsigned)requant_round(w) & 1) != 0 &&
         (requant_dst_mem(w) != 0 || requant_table(w) <= 0) &&
         requant_shift(w) >= -31; }  // every field has a meaning
inline ap_uint<2> add_src_mem(const insn_word& w) { return ap_uint<2>(w.range(13, 12)); }  // where the tiles are
inline ap_uint<2> add_dst_mem(const insn_word& w) { return ap_uint<2>(w.range(15, 14)); }  // where the tiles are
inline ap_uint<2> add_round(const insn_word& w) { return ap_uint<2>(w.range(17, 16)); }  // rounding
inline ap_uint<1> add_clear(const insn_word& w) { return ap_uint<1>(w.range(18, 18)); }  // 1: the ACC tile is left at zero
inline ap_int<8> add_src_zero(const insn_word& w) { return ap_int<8>(w.range(27, 20)); }  // zero point of the int8 source
inline ap_int<8> add_out_zero(const insn_word& w) { return ap_int<8>(w.range(35, 28)); }  // zero point of an int8 destination
inline ap_int<8> add_lo(const insn_word& w) { return ap_int<8>(w.range(43, 36)); }  // least int8 result
inline ap_int<8> add_hi(const insn_word& w) { return ap_int<8>(w.range(51, 44)); }  // greatest int8 result
inline ap_uint<1> add_table(const insn_word& w) { return ap_uint<1>(w.range(63, 63)); }  // 1: byte t + 128 of TAB takes the place of each int8 result t
inline ap_uint<20> add_dst_base(const insn_word& w) { return ap_uint<20>(w.range(83, 64)); }  // first destination tile
inline ap_uint<20> add_src_base(const insn_word& w) { return ap_uint<20>(w.range(103, 84)); }  // first source tile
inline ap_uint<12> add_iter_out(const insn_word& w) { return ap_uint<12>(w.range(115, 104)); }  // outer iterations
inline ap_uint<12> add_iter_in(const insn_word& w) { return ap_uint<12>(w.range(127, 116)); }  // inner iterations
inline ap_uint<16> add_dst_out(const insn_word& w) { return ap_uint<16>(w.range(143, 128)); }  // destination tiles an outer iteration
inline ap_uint<16> add_dst_in(const insn_word& w) { return ap_uint<16>(w.range(159, 144)); }  // destination tiles an inner iteration
inline ap_uint<16> add_src_out(const insn_word& w) { return ap_uint<16>(w.range(175, 160)); }  // source tiles an outer iteration
inline ap_uint<16> add_src_in(const insn_word& w) { return ap_uint<16>(w.range(191, 176)); }  // source tiles an inner iteration
inline ap_uint<31> add_multiplier(const insn_word& w) { return ap_uint<31>(w.range(222, 192)); }  // multiplier
inline ap_int<6> add_shift(const insn_word& w) { return ap_int<6>(w.range(228, 223)); }  // shift, as Requant
inline ap_uint<5> add_src_shift(const insn_word& w) { return ap_uint<5>(w.range(233, 229)); }  // left shift of the int8 source after its zero point
inline ap_uint<20> add_acc_base(const insn_word& w) { return ap_uint<20>(w.range(253, 234)); }  // first ACC tile of the addend
inline bool add_legal(const insn_word& w) { return (0x6u >> (unsigned)add_src_mem(w) & 1) != 0 &&
         (0x7u >> (unsigned)add_dst_mem(w) & 1) != 0 &&
         (0x7u >> (unsigned)add_round(w) & 1) != 0 &&
         (add_dst_mem(w) != 0 || add_table(w) <= 0) &&
         add_shift(w) >= -31; }  // every field has a meaning
inline ap_uint<3> alu_alu_op(const insn_word& w) { return ap_uint<3>(w.range(14, 12)); }  // operation
inline ap_uint<2> alu_src_mem(const insn_word& w) { return ap_uint<2>(w.range(16, 15)); }  // where the tiles are; imm: the immediate
inline ap_uint<1> alu_init(const insn_word& w) { return ap_uint<1>(w.range(17, 17)); }  // 1: the first reduction step moves the operand instead of combining it
inline ap_int<8> alu_src_zero(const insn_word& w) { return ap_int<8>(w.range(27, 20)); }  // zero point of an int8 source
inline ap_uint<12> alu_iter_out(const insn_word& w) { return ap_uint<12>(w.range(39, 28)); }  // outer iterations
inline ap_uint<12> alu_iter_in(const insn_word& w) { return ap_uint<12>(w.range(51, 40)); }  // inner iterations
inline ap_uint<20> alu_dst_base(const insn_word& w) { return ap_uint<20>(w.range(83, 64)); }  // first ACC tile
inline ap_uint<20> alu_src_base(const insn_word& w) { return ap_uint<20>(w.range(103, 84)); }  // first source tile
inline ap_uint<12> alu_red_out(const insn_word& w) { return ap_uint<12>(w.range(115, 104)); }  // outer reduction steps
inline ap_uint<12> alu_red_in(const insn_word& w) { return ap_uint<12>(w.range(127, 116)); }  // inner reduction steps
inline ap_uint<16> alu_dst_out(const insn_word& w) { return ap_uint<16>(w.range(143, 128)); }  // ACC tiles an outer iteration
inline ap_uint<16> alu_dst_in(const insn_word& w) { return ap_uint<16>(w.range(159, 144)); }  // ACC tiles an inner iteration
inline ap_uint<16> alu_src_out(const insn_word& w) { return ap_uint<16>(w.range(175, 160)); }  // source tiles an outer iteration
inline ap_uint<16> alu_src_in(const insn_word& w) { return ap_uint<16>(w.range(191, 176)); }  // source tiles an inner iteration
inline ap_uint<16> alu_red_out_step(const insn_word& w) { return ap_uint<16>(w.range(207, 192)); }  // source tiles an outer reduction step
inline ap_uint<16> alu_red_in_step(const insn_word& w) { return ap_uint<16>(w.range(223, 208)); }  // source tiles an inner reduction step
inline ap_int<32> alu_imm(const insn_word& w) { return ap_int<32>(w.range(255, 224)); }  // immediate operand
inline bool alu_legal(const insn_word& w) { return (0x3fu >> (unsigned)alu_alu_op(w) & 1) != 0 &&
         alu_red_out(w) >= 1 &&
         alu_red_in(w) >= 1; }  // every field has a meaning
inline ap_uint<2> sync_unit(const insn_word& w) { return ap_uint<2>(w.range(13, 12)); }  // whose queue takes it
inline bool sync_legal(const insn_word&) { return true; }
inline bool finish_legal(const insn_word&) { return true; }
// Whether the opcode exists.
inline bool insn_known(const insn_word& w) { return insn_opcode(w) >= 1 && insn_opcode(w) <= 9; }
// Whether every bit that is set has a name.
inline bool insn_named(const insn_word& w) {
  switch ((unsigned)insn_opcode(w)) {
    case kOpLoad: return (w.range(63, 0) & ap_uint<64>(0xc000000000000000ULL)) == 0;
    case kOpStore: return (w.range(63, 0) & ap_uint<64>(0xc000000003fc7000ULL)) == 0 && (w.range(191, 128) & ap_uint<64>(0xffffff0000000000ULL)) == 0 && (w.range(255, 192) & ap_uint<64>(0xff00000000000000ULL)) == 0;
    case kOpGemm: return (w.range(63, 0) & ap_uint<64>(0xffff00000000f000ULL)) == 0 && (w.range(255, 192) & ap_uint<64>(0xf000000000000000ULL)) == 0;
    case kOpDepthwise: return (w.range(63, 0) & ap_uint<64>(0x00000000e0000000ULL)) == 0;
    case kOpRequant: return true;
    case kOpAdd: return (w.range(63, 0) & ap_uint<64>(0x7ff0000000080000ULL)) == 0 && (w.range(255, 192) & ap_uint<64>(0xc000000000000000ULL)) == 0;
    case kOpAlu: return (w.range(63, 0) & ap_uint<64>(0xfff00000000c0000ULL)) == 0;
    case kOpSync: return (w.range(63, 0) & ap_uint<64>(0xffffffffffffc000ULL)) == 0 && (w.range(127, 64) & ap_uint<64>(0xffffffffffffffffULL)) == 0 && (w.range(191, 128) & ap_uint<64>(0xffffffffffffffffULL)) == 0 && (w.range(255, 192) & ap_uint<64>(0xffffffffffffffffULL)) == 0;
    case kOpFinish: return (w.range(63, 0) & ap_uint<64>(0xfffffffffffff000ULL)) == 0 && (w.range(127, 64) & ap_uint<64>(0xffffffffffffffffULL)) == 0 && (w.range(191, 128) & ap_uint<64>(0xffffffffffffffffULL)) == 0 && (w.range(255, 192) & ap_uint<64>(0xffffffffffffffffULL)) == 0;
    default: return false;
  }
}
// The unit whose queue takes it; means nothing for FINISH.
inline unsigned insn_unit(const insn_word& w) {
  switch ((unsigned)insn_opcode(w)) {
    case kOpLoad: return kUnitLoad;
    case kOpStore: return kUnitStore;
    case kOpGemm: return kUnitGemm;
    case kOpDepthwise: return kUnitGemm;
    case kOpRequant: return kUnitVector;
    case kOpAdd: return kUnitVector;
    case kOpAlu: return kUnitVector;
    case kOpSync: return sync_unit(w);
    default: return 0;
  }
}
inline ap_uint<20> uop_dst(const uop_word& w) { return ap_uint<20>(w.range(19, 0)); }  // ACC tile
inline ap_uint<20> uop_src(const uop_word& w) { return ap_uint<20>(w.range(39, 20)); }  // INP tile
inline ap_uint<20> uop_wgt(const uop_word& w) { return ap_uint<20>(w.range(59, 40)); }  // WGT tile
inline ap_uint<1> uop_init(const uop_word& w) { return ap_uint<1>(w.range(60, 60)); }  // 1: the accumulator starts from zero at this micro-op
inline bool uop_named(const uop_word& w) { return (w & uop_word(0xe000000000000000ULL)) == 0; }  // every bit that is set has a name

// Profile vta of this configuration: instructions in the low 128 bits.
const int kVtaInsnBytes = 16;
const int kVtaOpLoad = 0;
const int kVtaOpStore = 1;
const int kVtaOpGemm = 2;
const int kVtaOpFinish = 3;
const int kVtaOpAlu = 4;
inline ap_uint<3> vta_insn_opcode(const insn_word& w) { return ap_uint<3>(w.range(2, 0)); }
inline ap_uint<1> vta_insn_pop_prev(const insn_word& w) { return ap_uint<1>(w.range(3, 3)); }  // wait for a token from the stage before
inline ap_uint<1> vta_insn_pop_next(const insn_word& w) { return ap_uint<1>(w.range(4, 4)); }  // wait for a token from the stage after
inline ap_uint<1> vta_insn_push_prev(const insn_word& w) { return ap_uint<1>(w.range(5, 5)); }  // give a token to the stage before
inline ap_uint<1> vta_insn_push_next(const insn_word& w) { return ap_uint<1>(w.range(6, 6)); }  // give a token to the stage after
inline ap_uint<3> vta_load_memory_type(const insn_word& w) { return ap_uint<3>(w.range(9, 7)); }  // the scratchpad
inline ap_uint<16> vta_load_sram_base(const insn_word& w) { return ap_uint<16>(w.range(25, 10)); }  // first tile
inline ap_uint<32> vta_load_dram_base(const insn_word& w) { return ap_uint<32>(w.range(57, 26)); }  // tiles from the memory's base register
inline ap_uint<16> vta_load_y_size(const insn_word& w) { return ap_uint<16>(w.range(79, 64)); }  // rows
inline ap_uint<16> vta_load_x_size(const insn_word& w) { return ap_uint<16>(w.range(95, 80)); }  // tiles in a row; 0 moves tokens only
inline ap_uint<16> vta_load_x_stride(const insn_word& w) { return ap_uint<16>(w.range(111, 96)); }  // tiles in memory from row to row
inline ap_uint<4> vta_load_y_pad_0(const insn_word& w) { return ap_uint<4>(w.range(115, 112)); }  // rows of zero before
inline ap_uint<4> vta_load_y_pad_1(const insn_word& w) { return ap_uint<4>(w.range(119, 116)); }  // rows of zero after
inline ap_uint<4> vta_load_x_pad_0(const insn_word& w) { return ap_uint<4>(w.range(123, 120)); }  // tiles of zero before each row
inline ap_uint<4> vta_load_x_pad_1(const insn_word& w) { return ap_uint<4>(w.range(127, 124)); }  // tiles of zero after each row
inline ap_uint<3> vta_store_memory_type(const insn_word& w) { return ap_uint<3>(w.range(9, 7)); }  // the scratchpad
inline ap_uint<16> vta_store_sram_base(const insn_word& w) { return ap_uint<16>(w.range(25, 10)); }  // first tile
inline ap_uint<32> vta_store_dram_base(const insn_word& w) { return ap_uint<32>(w.range(57, 26)); }  // tiles from the memory's base register
inline ap_uint<16> vta_store_y_size(const insn_word& w) { return ap_uint<16>(w.range(79, 64)); }  // rows
inline ap_uint<16> vta_store_x_size(const insn_word& w) { return ap_uint<16>(w.range(95, 80)); }  // tiles in a row; 0 moves tokens only
inline ap_uint<16> vta_store_x_stride(const insn_word& w) { return ap_uint<16>(w.range(111, 96)); }  // tiles in memory from row to row
inline ap_uint<4> vta_store_y_pad_0(const insn_word& w) { return ap_uint<4>(w.range(115, 112)); }  // rows of zero before
inline ap_uint<4> vta_store_y_pad_1(const insn_word& w) { return ap_uint<4>(w.range(119, 116)); }  // rows of zero after
inline ap_uint<4> vta_store_x_pad_0(const insn_word& w) { return ap_uint<4>(w.range(123, 120)); }  // tiles of zero before each row
inline ap_uint<4> vta_store_x_pad_1(const insn_word& w) { return ap_uint<4>(w.range(127, 124)); }  // tiles of zero after each row
inline ap_uint<1> vta_gemm_reset_reg(const insn_word& w) { return ap_uint<1>(w.range(7, 7)); }  // 1: write zeros (Gemm); ignored (Alu)
inline ap_uint<13> vta_gemm_uop_bgn(const insn_word& w) { return ap_uint<13>(w.range(20, 8)); }  // first micro-op
inline ap_uint<14> vta_gemm_uop_end(const insn_word& w) { return ap_uint<14>(w.range(34, 21)); }  // one past the last micro-op
inline ap_uint<14> vta_gemm_iter_out(const insn_word& w) { return ap_uint<14>(w.range(48, 35)); }  // outer iterations
inline ap_uint<14> vta_gemm_iter_in(const insn_word& w) { return ap_uint<14>(w.range(62, 49)); }  // inner iterations
inline ap_uint<11> vta_gemm_dst_factor_out(const insn_word& w) { return ap_uint<11>(w.range(74, 64)); }  // ACC tiles an outer iteration
inline ap_uint<11> vta_gemm_dst_factor_in(const insn_word& w) { return ap_uint<11>(w.range(85, 75)); }  // ACC tiles an inner iteration
inline ap_uint<11> vta_gemm_src_factor_out(const insn_word& w) { return ap_uint<11>(w.range(96, 86)); }  // INP tiles an outer iteration
inline ap_uint<11> vta_gemm_src_factor_in(const insn_word& w) { return ap_uint<11>(w.range(107, 97)); }  // INP tiles an inner iteration
inline ap_uint<10> vta_gemm_wgt_factor_out(const insn_word& w) { return ap_uint<10>(w.range(117, 108)); }  // WGT tiles an outer iteration
inline ap_uint<10> vta_gemm_wgt_factor_in(const insn_word& w) { return ap_uint<10>(w.range(127, 118)); }  // WGT tiles an inner iteration
inline ap_uint<1> vta_alu_reset_reg(const insn_word& w) { return ap_uint<1>(w.range(7, 7)); }  // 1: write zeros (Gemm); ignored (Alu)
inline ap_uint<13> vta_alu_uop_bgn(const insn_word& w) { return ap_uint<13>(w.range(20, 8)); }  // first micro-op
inline ap_uint<14> vta_alu_uop_end(const insn_word& w) { return ap_uint<14>(w.range(34, 21)); }  // one past the last micro-op
inline ap_uint<14> vta_alu_iter_out(const insn_word& w) { return ap_uint<14>(w.range(48, 35)); }  // outer iterations
inline ap_uint<14> vta_alu_iter_in(const insn_word& w) { return ap_uint<14>(w.range(62, 49)); }  // inner iterations
inline ap_uint<11> vta_alu_dst_factor_out(const insn_word& w) { return ap_uint<11>(w.range(74, 64)); }  // ACC tiles an outer iteration
inline ap_uint<11> vta_alu_dst_factor_in(const insn_word& w) { return ap_uint<11>(w.range(85, 75)); }  // ACC tiles an inner iteration
inline ap_uint<11> vta_alu_src_factor_out(const insn_word& w) { return ap_uint<11>(w.range(96, 86)); }  // ACC tiles an outer iteration
inline ap_uint<11> vta_alu_src_factor_in(const insn_word& w) { return ap_uint<11>(w.range(107, 97)); }  // ACC tiles an inner iteration
inline ap_uint<3> vta_alu_alu_opcode(const insn_word& w) { return ap_uint<3>(w.range(110, 108)); }  // operation
inline ap_uint<1> vta_alu_use_imm(const insn_word& w) { return ap_uint<1>(w.range(111, 111)); }  // 1: the immediate is the second operand
inline ap_int<16> vta_alu_imm(const insn_word& w) { return ap_int<16>(w.range(127, 112)); }  // immediate
inline ap_uint<11> vta_uop_dst_idx(const vta_uop_word& w) { return ap_uint<11>(w.range(10, 0)); }  // ACC tile
inline ap_uint<11> vta_uop_src_idx(const vta_uop_word& w) { return ap_uint<11>(w.range(21, 11)); }  // INP tile (Gemm) or ACC tile (Alu)
inline ap_uint<10> vta_uop_wgt_idx(const vta_uop_word& w) { return ap_uint<10>(w.range(31, 22)); }  // WGT tile
inline bool vta_load_legal(const insn_word& w) { return (0x2fu >> (unsigned)vta_load_memory_type(w) & 1) != 0; }  // every field has a meaning
inline bool vta_store_legal(const insn_word& w) { return (vta_store_x_size(w) == 0 || (0x10u >> (unsigned)vta_store_memory_type(w) & 1) != 0); }  // every field has a meaning
inline bool vta_gemm_legal(const insn_word&) { return true; }
inline bool vta_finish_legal(const insn_word&) { return true; }
inline bool vta_alu_legal(const insn_word& w) { return (0x1fu >> (unsigned)vta_alu_alu_opcode(w) & 1) != 0; }  // every field has a meaning

#ifdef TSR_HLS_NAMESPACE
}  // namespace TSR_HLS_NAMESPACE
#endif
#endif  // TSR_HLS_ISA_H_
