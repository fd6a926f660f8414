// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/insn_text.h"
#include "isa/nest.h"
#include "isa/semantics/fetch.h"

namespace tessera::isa {

std::string Describe(const AnyInsn& insn) {
  return std::visit([](const auto& profile) { return InsnText(profile); }, insn);
}

int64_t Steps(const AnyInsn& insn) {
  return std::visit([](const auto& profile) { return StepsOf(profile); }, insn);
}

}  // namespace tessera::isa
