// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/accel/picks.h"

#include "compiler/target/accelerator.h"

namespace tessera::test {

Result<schedule::Trace> PickedBy(const te::Tensor& output, schedule::Trace trace,
                                 const isa::Config& config, const Picker& pick) {
  TESSERA_ASSIGN(schedule::Schedule s,
                 schedule::Schedule::Create({output}, target::Accelerator(config)));
  for (size_t k = 0; k < trace.size(); ++k) {
    if (auto* decide = std::get_if<schedule::DecideStep>(&trace[k])) {
      TESSERA_ASSIGN(const std::vector<schedule::Choice> values, s.ValuesOf(*decide));
      decide->value = pick(k, values);
    }
    TESSERA_TRY(s.Apply(trace[k]));
  }
  return trace;
}

Picker AnyOf(Rng& rng) {
  return [&rng](size_t, const std::vector<schedule::Choice>& values) {
    return values[static_cast<size_t>(rng.Range(0, std::ssize(values) - 1))];
  };
}

}  // namespace tessera::test
