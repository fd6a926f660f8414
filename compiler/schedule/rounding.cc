// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/rounding.h"

#include <fmt/format.h>

#include <map>
#include <variant>

#include "compiler/schedule/winograd.h"

namespace tessera::schedule {

Rounding RoundingOf(const Trace& trace) {
  Rounding made;
  std::map<std::string, int64_t> decided;
  for (const Step& step : trace) {
    if (const auto* decide = std::get_if<DecideStep>(&step))
      decided[decide->name] = decide->value.number;
    const auto* winograd = std::get_if<WinogradStep>(&step);
    if (winograd == nullptr) continue;
    const std::string& name = winograd->results.decision;
    const Winograd by(name.empty() ? winograd->results.value : decided[name]);
    made.algorithm +=
        fmt::format("{}winograd_{}", made.algorithm.empty() ? "" : ", ", by.results());
    made.error += by.error();
  }
  return made;
}

}  // namespace tessera::schedule
