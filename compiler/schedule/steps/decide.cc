// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const DecideStep& step, Editor& editor) {
  const std::vector<int64_t>& domain = step.domain.values;
  if (step.pick < 0 || step.pick >= std::ssize(domain)) {
    return Fail(Code::kOutOfRange, "pick {} of a domain of {}; picks count from 0 on", step.pick,
                domain.size());
  }
  return editor.AddDecision({step.name, domain, static_cast<int>(step.pick)});
}

}  // namespace tessera::schedule
