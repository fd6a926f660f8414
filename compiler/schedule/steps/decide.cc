// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const DecideStep& step, Editor& editor) {
  TESSERA_ASSIGN(std::vector<int64_t> domain, editor.ValuesOf(step.domain));
  if (std::ranges::count(domain, step.value) == 0) {
    return Fail(Code::kOutOfRange, "{} is not in the domain of {}: {}", step.value, step.name,
                fmt::join(domain, " "));
  }
  return editor.AddDecision({step.name, std::move(domain), step.value});
}

}  // namespace tessera::schedule
