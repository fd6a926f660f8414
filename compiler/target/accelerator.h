// SPDX-License-Identifier: Apache-2.0
//
// The accelerator as a target of schedules. Depends on: target.h, isa. Used by: users of
// codegen/accel, tests.
#ifndef TESSERA_COMPILER_TARGET_ACCELERATOR_H_
#define TESSERA_COMPILER_TARGET_ACCELERATOR_H_

#include <cstdint>
#include <memory>

#include "compiler/target/target.h"
#include "isa/config.h"

namespace tessera::target {

// Tiles of constants that one copy brings: short enough to let other transfers in between.
inline constexpr int64_t kTilesTogether = 16;

// Has the scratchpads inp, wgt, acc, out and prm with their sizes in bytes, and these instructions,
// each on one tile. A tile is batch x block elements; in WGT block x block, in PRM the three
// numbers of block channels. Intrinsics on tiles of one kind also take fewer elements.
//
//   tile.load_inp .. load_out .. load_wgt .. load_prm   a copy from global memory
//   tile.fill_inp, fill_wgt one value: the pads around a box that tile.load_inp or load_wgt fetches
//   tile.gemm               [batch, block] (+)= [batch, block] x [block, block]^T, int32
//   tile.window             a window of each channel, int32: [y, x] steps as the nest has them
//   tile.reduce_add .. max .. min   an accumulator and an int8 tile: a step of a reduction
//   tile.requant            rescaled by one multiplier and shift, int32 to int8, with an offset and
//                           bounds; .i8 from int8 with a zero point and shift, .i32 to int32
//   tile.requant_prm        the same by a record of each channel, with a bias; .i32
//   tile.copy               an int8 value as it is, in inp and out
//   tile.narrow, tile.widen int32 to int8 and back without a multiplier
//   tile.add                an int8 value and an int32 one, rescaled; .i32; .narrow: as they are
//   tile.alu_add .. mul .. min .. max   an accumulator in place, by another; .i8, .imm
//   tile.alu_shr.imm        an accumulator in place, shifted by a number
//   tile.store              a copy to global memory
// The last target made is cached: schedules of one configuration share it.
std::shared_ptr<const Target> Accelerator(const isa::Config& config);

// The accelerator's device memory: one beat of the bus per cycle. On a Zynq, reads and writes share
// 17 of 20 cycles and a transfer takes longer to start; sim/dram models the whole behaviour.
TargetMemory DeviceMemory(const isa::Config& config);

// MemoryOf: the memory of |scope|, a scratchpad. TileElements: elements of |buffer| in a tile.
isa::Memory MemoryOf(ir::Scope scope);
int64_t TileElements(const isa::Config& config, const ir::Buffer& buffer);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_ACCELERATOR_H_
