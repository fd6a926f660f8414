// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/picks.h"

namespace tessera::schedule {

Result<Trace> PickedBy(const te::Tensor& output, Trace trace,
                       std::shared_ptr<const target::Target> target, const Picker& pick) {
  TESSERA_ASSIGN(Schedule s, Schedule::Create({output}, std::move(target)));
  for (size_t k = 0; k < trace.size(); ++k) {
    if (auto* decide = std::get_if<DecideStep>(&trace[k])) {
      TESSERA_ASSIGN(const std::vector<Choice> values, s.ValuesOf(*decide));
      decide->value = pick(k, values);
    }
    TESSERA_TRY(s.Apply(trace[k]));
  }
  return trace;
}

Picker AnyOf(Rng& rng) {
  return [&rng](size_t, const std::vector<Choice>& values) {
    return values[static_cast<size_t>(rng.Range(0, std::ssize(values) - 1))];
  };
}

}  // namespace tessera::schedule
