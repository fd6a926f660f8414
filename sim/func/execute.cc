// SPDX-License-Identifier: Apache-2.0
#include "sim/func/execute.h"

#include "isa/semantics/execute.h"
#include "sim/func/kernels.h"
#include "sim/trace/digest.h"

namespace tessera::sim {

namespace {

bool LoadsMicroOps(const isa::AnyInsn& insn) {
  if (const auto* one = std::get_if<isa::Insn>(&insn)) {
    const auto* load = std::get_if<isa::Load>(one);
    return load != nullptr && static_cast<isa::Memory>(load->memory) == isa::Memory::kUop;
  }
  const auto* load = std::get_if<isa::VtaLoad>(&std::get<isa::VtaInsn>(insn));
  return load != nullptr && static_cast<isa::Memory>(load->memory_type) == isa::Memory::kUop;
}

}  // namespace

isa::Stop InsnExecutor::Execute(const isa::AnyInsn& insn, uint64_t* digest) {
  if (isa::Stop stop = isa::CheckFields(insn, machine_.config)) return stop;
  if (effects_ == Effects::kMicroOps && !LoadsMicroOps(insn)) return {};
  if (digest != nullptr) {
    DigestWrites writes;
    isa::Stop stop = isa::ExecuteAny(insn, machine_, writes);
    *digest = writes.Take();
    return stop;
  }
  if (effects_ == Effects::kKernels && RunKernel(insn, machine_, *UsableKernels().back()))
    return {};
  isa::NoWrites writes;
  return isa::ExecuteAny(insn, machine_, writes);
}

}  // namespace tessera::sim
