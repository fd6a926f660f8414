// SPDX-License-Identifier: Apache-2.0
#include "isa/check/walk.h"

namespace tessera::isa {

InsnNest NestOf(const AnyInsn& insn, const Config& config) {
  return std::visit([&](const auto& profile) { return NestOf(profile, config); }, insn);
}

UopRange UopsOf(const AnyInsn& insn, const Config& config) { return UopsOf(NestOf(insn, config)); }

UopRange UopsOf(const InsnNest& nest) {
  if (nest.steps() == 0) return {};
  for (const NestOperand& o : nest.operands()) {
    if (o.space != Space::Of(Memory::kUop) || o.write) continue;
    for (const NestLoop& loop : nest.loops()) {
      if (loop.uops) return {o.base, loop.count};
    }
  }
  return {};
}

}  // namespace tessera::isa
