// SPDX-License-Identifier: Apache-2.0
//
// The tile intrinsics of the accelerator in loop IR: the statements of leaf nests. Each has a
// meaning in the interpreter, the tensor intrinsics that schedules name, and the instructions that
// it emits. The meaning is written from the arithmetic and not from isa/semantics, so that the IR
// is an oracle of the machine. One file, tile_NAME.cc, holds everything about an instruction; a new
// one needs a file and its line in TileInstructions(). Depends on: compiler/ir, te, isa. Used by:
// accelerator.cc, codegen/accel.
//
// Operands in order; `place` is the first element of a tile. Tiles of INP, ACC and OUT have batch x
// block elements, of WGT block x block int8 (one row per output channel), of PRM three int32
// numbers for each of block channels (bias, multiplier, shift; codegen/accel/emit has their
// bytes).
//   tile.load         dst, src, count, tile
//                     copies |count| elements; the rest up to |tile| is ignored
//   tile.fill         dst, tile, pad
//   tile.store        dst, src, bytes
//   tile.gemm         acc, inp, wgt, init, batch, block
//   tile.window       acc, inp, wgt, init, kh, kw, win_y, win_x, batch, block
//                     win_y and win_x in elements; tap t of channel c is row c, column t mod
//                     block of WGT tile t / block
//   tile.requant      dst, src, multiplier, shift, round, src_zero, src_shift, out_zero, lo, hi,
//                     tile
//   tile.requant_prm  dst, src, prm, round, src_zero, src_shift, out_zero, lo, hi, batch, block
//   tile.requant_tab, tile.requant_prm_tab, tile.add_tab
//                     those with the operand tab behind the other tiles: a table of 256 int8, in
//                     which each int8 result t of the instruction is looked up, at t + 128
//   tile.add          dst, src, acc, multiplier, shift, round, src_zero, src_shift, out_zero, lo,
//                     hi, tile
//   tile.alu          acc, src, op, init, src_zero, tile
//   tile.alu_imm      acc, imm, op, tile
// round and op are numbers of isa/enums.def; an int32 destination is neither offset nor clamped.
#ifndef TESSERA_COMPILER_TARGET_TILE_INTRIN_H_
#define TESSERA_COMPILER_TARGET_TILE_INTRIN_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/intrin.h"
#include "compiler/target/tensor_intrin.h"
#include "compiler/target/tile_emission.h"
#include "isa/config.h"

namespace tessera::target {

inline constexpr const char* kTileLoad = "tile.load";
inline constexpr const char* kTileFill = "tile.fill";
inline constexpr const char* kTileStore = "tile.store";
inline constexpr const char* kTileGemm = "tile.gemm";
inline constexpr const char* kTileWindow = "tile.window";
inline constexpr const char* kTileRequant = "tile.requant";
inline constexpr const char* kTileRequantPrm = "tile.requant_prm";
inline constexpr const char* kTileRequantTab = "tile.requant_tab";
inline constexpr const char* kTileRequantPrmTab = "tile.requant_prm_tab";
inline constexpr const char* kTileAdd = "tile.add";
inline constexpr const char* kTileAddTab = "tile.add_tab";
inline constexpr const char* kTileAlu = "tile.alu";
inline constexpr const char* kTileAluImm = "tile.alu_imm";

// The numbers in one record of PRM: bias, multiplier and shift of a block's channels.
int64_t RecordNumbers(const isa::Config& config);

// Registers the intrinsics with the IR; repeated calls have no effect.
void RegisterTileIntrinsics();

// A tile intrinsic with its emission.
struct TileCall {
  ir::TileIntrin meaning;
  EmitTiles emit = nullptr;
  isa::Unit unit = isa::Unit::kVector;  // that runs it
  bool has_micro_ops = false;           // for loops beyond the two of an instruction
  size_t sum_loops = 0;  // without micro-ops: an instruction's own loops over a reduction
  // Cycles of a call with |sums| iterations of its reduction; the call before it did not read the
  // operands of |fresh| of them. Null: the intrinsic's figure.
  int64_t (*call_cycles)(const isa::Config& config, int64_t sums, int64_t fresh) = nullptr;
  bool pads = false;   // a leaf may have a condition; tiles are filled where it fails
  bool loads = false;  // brings its second operand, in memory, to the first, on chip
  bool sums = false;   // a product or a step of a reduction: results wait for it
  // Elements from the place of the tile that it reads in INP to the start of the tile's last row;
  // null: it reads one row.
  int64_t (*rows_below)(const SolvedLeaf& leaf) = nullptr;
};

// One file's tile intrinsics, and the tensor intrinsics that schedules may call them by.
struct TileInstruction {
  std::vector<TileCall> calls;
  std::vector<TensorIntrin> (*intrinsics)(const isa::Config& config);
};
TileInstruction CopyTiles();  // LOAD, STORE
TileInstruction GemmTiles();
TileInstruction WindowTiles();  // DEPTHWISE
TileInstruction RequantTiles();
TileInstruction AddTiles();
TileInstruction AluTiles();

const std::vector<TileInstruction>& TileInstructions();  // all of them
const TileCall* FindTileCall(const std::string& name);   // null if unknown

// The source and destination of |s|, if it is a tile of a copy from memory to the chip.
struct LoadedTile {
  ir::Buffer from, to;
};
std::optional<LoadedTile> LoadedBy(const ir::Stmt& s);
// A statement that fills the tile of |elements| at |place| with |value|.
ir::Stmt FillTile(const ir::Expr& place, int64_t elements, int64_t value);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TILE_INTRIN_H_
