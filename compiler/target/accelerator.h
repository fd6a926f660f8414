// SPDX-License-Identifier: Apache-2.0
//
// The accelerator as a target of schedules. Depends on: target.h, isa. Used by: codegen/accel's
// users, tests.
#ifndef TESSERA_COMPILER_TARGET_ACCELERATOR_H_
#define TESSERA_COMPILER_TARGET_ACCELERATOR_H_

#include <memory>

#include "compiler/target/target.h"
#include "isa/config.h"

namespace tessera::target {

// Scratchpads inp, wgt, acc and out with their bytes, and the instructions that have a behaviour of
// their own so far, each on a tile (batch x block elements; of WGT block x block):
//
//   tile.load_inp, tile.load_wgt   a copy from global memory
//   tile.fill_inp                  one value: the pads around a box that tile.load_inp fetches
//   tile.gemm                      [batch, block] (+)= [batch, block] x [block, block]^T, int32
//   tile.requant                   int32 to int8 by one multiplier and shift, zero point and bounds
//   tile.store                     a copy to global memory
std::shared_ptr<const Target> Accelerator(const isa::Config& config);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_ACCELERATOR_H_
