// SPDX-License-Identifier: Apache-2.0
//
// Vector kernels: instructions done a tile at a time instead of a lane at a time. They stand in for
// the semantics where nobody traces; tests/sim/func/kernels_test.cc holds them equal on random
// machines. Depends on: isa/semantics. Used by: sim/func/run.cc.
#ifndef TESSERA_SIM_FUNC_KERNELS_H_
#define TESSERA_SIM_FUNC_KERNELS_H_

#include <cstdint>
#include <span>

#include "isa/semantics/fetch.h"
#include "isa/semantics/state.h"

namespace tessera::sim {

// One lane-parallel step of REQUANT and ADD: y = rescale(a + bias, multiplier, shift, round) for
// |lanes| lanes; |bias|, |multiplier| and |shift| have an entry a lane.
struct RescaleLanes {
  const int32_t* a;
  const int32_t* bias;
  const int32_t* multiplier;
  const int32_t* shift;
  int32_t* y;
  int64_t lanes;
  isa::Round round;
};

// The parts that depend on the processor. Tiles are as in isa::MachineState.
struct TileKernels {
  const char* name;
  // acc [batch][block] = (init ? 0 : acc) + inp [batch][block] * transpose(wgt [block][block]);
  // block is a multiple of 16.
  void (*gemm_tile)(const int8_t* inp, const int8_t* wgt, int32_t* acc, int64_t batch,
                    int64_t block, bool init);
  // acc [batch][block] += inp [batch][block] * tap [block], channel by channel.
  void (*depthwise_tap)(const int8_t* inp, const int8_t* tap, int32_t* acc, int64_t batch,
                        int64_t block);
  void (*rescale)(const RescaleLanes& lanes);
};

// The tables that this processor can run, the plainest first and the fastest last; at least one.
std::span<const TileKernels* const> UsableKernels();

// Does |insn| on |machine| with |kernels|. Returns false, with nothing changed, if it has no kernel
// for it or if an index would leave its memory: then the semantics do it, or say what is wrong.
bool RunKernel(const isa::AnyInsn& insn, isa::MachineState& machine, const TileKernels& kernels);

// The part of it that moves tiles: LOAD and STORE of profile tessera.
bool RunTransferKernel(const isa::AnyInsn& insn, isa::MachineState& machine);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_KERNELS_H_
