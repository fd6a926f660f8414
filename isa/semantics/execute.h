// SPDX-License-Identifier: Apache-2.0
//
// Execute(insn, state, writes) for every instruction: include this to run one of either profile.
#ifndef TESSERA_ISA_SEMANTICS_EXECUTE_H_
#define TESSERA_ISA_SEMANTICS_EXECUTE_H_

#include "isa/semantics/add.h"
#include "isa/semantics/alu.h"
#include "isa/semantics/depthwise.h"
#include "isa/semantics/fetch.h"
#include "isa/semantics/gemm.h"
#include "isa/semantics/load.h"
#include "isa/semantics/requant.h"
#include "isa/semantics/store.h"
#include "isa/semantics/vta_alu.h"
#include "isa/semantics/vta_gemm.h"
#include "isa/semantics/vta_load.h"
#include "isa/semantics/vta_store.h"

namespace tessera::isa {

// The scheduler moves the tokens; these instructions change nothing else.
template <typename Writes>
Stop Execute(const Sync&, MachineState&, Writes&) {
  return {};
}
template <typename Writes>
Stop Execute(const Finish&, MachineState&, Writes&) {
  return {};
}
template <typename Writes>
Stop Execute(const VtaFinish&, MachineState&, Writes&) {
  return {};
}

// Applies the effects of a fetched instruction to |m|, and tells |writes| each before it happens.
// The caller has passed the fields to CheckFields. After an error some effects may have happened.
template <typename Writes>
Stop ExecuteAny(const AnyInsn& insn, MachineState& m, Writes& writes) {
  return std::visit(
      [&](const auto& profile) {
        return std::visit([&](const auto& one) { return Execute(one, m, writes); }, profile);
      },
      insn);
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_EXECUTE_H_
