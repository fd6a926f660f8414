// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/refusal.h"

#include "base/text.h"

namespace tessera::schedule::accel {

std::string MachineWords(RefusalKind kind, std::string_view about) {
  constexpr const char* kSentences[] = {
#define REFUSAL(name, machine) machine,
#include "compiler/schedule/accel/refusals.def"
  };
  return Legible(fmt::format(fmt::runtime(kSentences[static_cast<size_t>(kind)]), about));
}

}  // namespace tessera::schedule::accel
