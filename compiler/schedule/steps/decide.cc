// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const DecideStep& step, Editor& editor) {
  TESSERA_ASSIGN(std::vector<Choice> domain, editor.ValuesOf(step));
  if (std::ranges::count(domain, step.value) == 0) {
    std::vector<std::string> all;
    for (const Choice& choice : domain) all.push_back(Print(choice));
    const bool words = !domain[0].words.empty();
    return Fail(Code::kOutOfRange, "{} is not in the domain of {}: {}", Print(step.value),
                step.name, fmt::join(all, words ? ", " : " "));
  }
  return editor.AddDecision({step.name, step.domain.kind, std::move(domain), step.value});
}

}  // namespace tessera::schedule
