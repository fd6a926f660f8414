// SPDX-License-Identifier: Apache-2.0
//
// InsnExecutor: what an instruction does to a machine, by a vector kernel where there is one, else
// by its semantics. Depends on: kernels.h, isa/semantics. Used by: sim/func/run.cc, sim/cycle.
#ifndef TESSERA_SIM_FUNC_EXECUTE_H_
#define TESSERA_SIM_FUNC_EXECUTE_H_

#include <cstdint>

#include "isa/semantics/fetch.h"
#include "isa/semantics/state.h"

namespace tessera::sim {

class InsnExecutor {
 public:
  // |kernels| false: every instruction by its semantics.
  InsnExecutor(isa::MachineState& machine, bool kernels) : machine_(machine), kernels_(kernels) {}

  // Does |insn|. |digest|: not null: becomes its digest (sim/trace/digest.h).
  isa::Stop Execute(const isa::AnyInsn& insn, uint64_t* digest);

 private:
  isa::MachineState& machine_;
  const bool kernels_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_EXECUTE_H_
