// SPDX-License-Identifier: Apache-2.0
//
// Cycles of the units for one tile of the machine, from the figures of the target's intrinsics; 0
// for an instruction that the machine has not.
// Internal to compiler/schedule/accel.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_TILE_CYCLES_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_TILE_CYCLES_H_

#include "base/bits.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"
#include "compiler/target/accelerator.h"

namespace tessera::schedule::accel {

struct TileCycles {
  explicit TileCycles(const target::Target& target, const isa::Config& config)
      : gemm(Of(target, "tile.gemm")),
        window(Of(target, "tile.window") /
               static_cast<double>(CeilDiv(kWindowTaps * kWindowTaps, config.depthwise_taps()))),
        reduce(Of(target, "tile.reduce_add")),
        copy(Of(target, "tile.copy")) {}

  double gemm, window;  // window: for one tile of weights; a window has several
  double reduce, copy;

 private:
  static double Of(const target::Target& target, const char* intrin) {
    const target::TensorIntrin* found = target.FindIntrinsic(intrin);
    return found == nullptr ? 0 : found->cycles;
  }
};

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_TILE_CYCLES_H_
