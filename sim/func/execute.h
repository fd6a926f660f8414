// SPDX-License-Identifier: Apache-2.0
//
// InsnExecutor: computes the effects of an instruction on a machine. Depends on: kernels.h,
// isa/semantics. Used by: sim/func/run.cc, sim/cycle.
#ifndef TESSERA_SIM_FUNC_EXECUTE_H_
#define TESSERA_SIM_FUNC_EXECUTE_H_

#include <cstdint>

#include "isa/semantics/fetch.h"
#include "isa/semantics/state.h"

namespace tessera::sim {

// Which effects of an instruction are computed, and by what.
enum class Effects : uint8_t {
  kSemantics,  // all effects, by the semantics of isa/semantics
  kKernels,    // all effects, by a vector kernel if there is one
  kMicroOps,   // only loads of micro-ops: the time of a program depends on no other data
};

class InsnExecutor {
 public:
  InsnExecutor(isa::MachineState& machine, Effects effects)
      : machine_(machine), effects_(effects) {}

  // Executes |insn|. If |digest| is not null, it receives the digest of |insn|
  // (sim/trace/digest.h). Returns the error of |insn|, if there is one.
  isa::Stop Execute(const isa::AnyInsn& insn, uint64_t* digest);

 private:
  isa::MachineState& machine_;
  const Effects effects_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_EXECUTE_H_
