// SPDX-License-Identifier: Apache-2.0
#include "sim/func/execute.h"

#include "isa/semantics/execute.h"
#include "sim/func/kernels.h"
#include "sim/trace/digest.h"

namespace tessera::sim {

isa::Stop InsnExecutor::Execute(const isa::AnyInsn& insn, uint64_t* digest) {
  if (isa::Stop stop = isa::CheckFields(insn, machine_.config)) return stop;
  if (digest != nullptr) {
    DigestWrites writes;
    isa::Stop stop = isa::ExecuteAny(insn, machine_, writes);
    *digest = writes.Take();
    return stop;
  }
  if (kernels_ && RunKernel(insn, machine_, *UsableKernels().back())) return {};
  isa::NoWrites writes;
  return isa::ExecuteAny(insn, machine_, writes);
}

}  // namespace tessera::sim
