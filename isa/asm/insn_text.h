// SPDX-License-Identifier: Apache-2.0
//
// One instruction as one line of assembly, for messages. Depends on the tables.
// Used by isa/semantics (Describe), tests.
#ifndef TESSERA_ISA_ASM_INSN_TEXT_H_
#define TESSERA_ISA_ASM_INSN_TEXT_H_

#include <string>

#include "isa/insns.h"

namespace tessera::isa {

// "load push=gemm memory=wgt segment=constants x_bytes=256 x_size=4"; fields that are 0 are left
// out. Values need not fit their fields.
std::string InsnText(const Insn& insn);
std::string InsnText(const VtaInsn& insn);
std::string InsnText(const Uop& uop);
std::string InsnText(const VtaUop& uop);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ASM_INSN_TEXT_H_
