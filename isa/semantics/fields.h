// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with an instruction whatever the state of the machine: a field whose value has no
// meaning. Depends on: isa tables. Used by: fetch.h, sim/func, the assembler, the checker.
#ifndef TESSERA_ISA_SEMANTICS_FIELDS_H_
#define TESSERA_ISA_SEMANTICS_FIELDS_H_

#include "isa/config.h"
#include "isa/insns.h"
#include "isa/semantics/stop.h"

namespace tessera::isa {

// Token flags that no queue could serve: towards the unit itself, on a FINISH (tessera), towards a
// stage that is not there (vta). Fetch finds these.
//   returns  kIllegalField, or no error
Stop CheckTokens(const Insn& insn);
Stop CheckTokens(const VtaInsn& insn);

// Every other field whose value has no meaning, with the values that have one. The unit that
// executes the instruction finds these, before anything else, whether or not there is something to
// do.
//   returns  kIllegalField, or no error
Stop CheckFields(const Insn& insn, const Config& config);
Stop CheckFields(const VtaInsn& insn, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_FIELDS_H_
