// SPDX-License-Identifier: Apache-2.0
//
// Finds fields whose values have no meaning, whatever the state of the machine. Depends on: isa
// tables. Used by: fetch.h, sim/func, sim/rig, the checker.
#ifndef TESSERA_ISA_SEMANTICS_FIELDS_H_
#define TESSERA_ISA_SEMANTICS_FIELDS_H_

#include "isa/config.h"
#include "isa/insns.h"
#include "isa/semantics/stop.h"

namespace tessera::isa {

// Finds token flags that no queue can serve: towards the unit itself, on a FINISH (tessera),
// towards a stage that does not exist (vta). Fetch makes this check.
//   returns  kIllegalField, or no error
Stop CheckTokens(const Insn& insn);
Stop CheckTokens(const VtaInsn& insn);

// Finds any other field whose value has no meaning; the reason lists the values that have one. The
// unit that executes the instruction checks this before anything else, even when there is nothing
// to do.
//   returns  kIllegalField, or no error
Stop CheckFields(const Insn& insn, const Config& config);
Stop CheckFields(const VtaInsn& insn, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_FIELDS_H_
