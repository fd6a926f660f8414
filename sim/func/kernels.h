// SPDX-License-Identifier: Apache-2.0
//
// Vector kernels: they execute instructions a tile at a time instead of a lane at a time. They
// replace the semantics in untraced runs. tests/sim/func/kernels_test.cc compares the two on random
// machines. Depends on: isa/semantics. Used by: sim/func/execute.cc.
#ifndef TESSERA_SIM_FUNC_KERNELS_H_
#define TESSERA_SIM_FUNC_KERNELS_H_

#include <cstdint>
#include <span>

#include "isa/semantics/fetch.h"
#include "isa/semantics/state.h"

namespace tessera::sim {

// One step of REQUANT or ADD: y = rescale(a + bias, multiplier, shift, round) for |lanes| lanes.
// |bias|, |multiplier| and |shift| have one entry for each lane.
struct RescaleLanes {
  const int32_t* a;
  const int32_t* bias;
  const int32_t* multiplier;
  const int32_t* shift;
  int32_t* y;
  int64_t lanes;
  isa::Round round;
};

// The kernels that depend on the processor. Tiles are laid out as in isa::MachineState.
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

// The tables that this processor can run, at least one, ordered from the plain one to the fastest.
std::span<const TileKernels* const> UsableKernels();

// Executes |insn| on |machine| with |kernels|. Returns false and changes nothing if there is no
// kernel for |insn| or if an index leaves its memory. The caller then uses the semantics, which
// report the error.
bool RunKernel(const isa::AnyInsn& insn, isa::MachineState& machine, const TileKernels& kernels);

// The kernels of LOAD and STORE of profile tessera; returns as RunKernel does.
bool RunTransferKernel(const isa::AnyInsn& insn, isa::MachineState& machine);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_KERNELS_H_
