// SPDX-License-Identifier: Apache-2.0
//
// InsnExecutor: what an instruction does to a machine. Depends on: kernels.h, isa/semantics. Used
// by: sim/func/run.cc, sim/cycle.
#ifndef TESSERA_SIM_FUNC_EXECUTE_H_
#define TESSERA_SIM_FUNC_EXECUTE_H_

#include <cstdint>

#include "isa/semantics/fetch.h"
#include "isa/semantics/state.h"

namespace tessera::sim {

// What of an instruction is done.
enum class Effects : uint8_t {
  kSemantics,  // everything, as the instruction's semantics say it
  kKernels,    // the same, by a vector kernel where there is one
  kMicroOps,   // micro-ops are loaded and nothing else: for time, which depends on no other data
};

class InsnExecutor {
 public:
  InsnExecutor(isa::MachineState& machine, Effects effects)
      : machine_(machine), effects_(effects) {}

  // Does |insn|. |digest|: not null: becomes its digest (sim/trace/digest.h).
  isa::Stop Execute(const isa::AnyInsn& insn, uint64_t* digest);

 private:
  isa::MachineState& machine_;
  const Effects effects_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_EXECUTE_H_
