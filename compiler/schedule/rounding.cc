// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/rounding.h"

#include <fmt/format.h>

#include <map>
#include <variant>

#include "compiler/schedule/winograd.h"

namespace tessera::schedule {

Rounding RoundingOf(const Schedule& made) {
  Rounding rounding;
  std::map<std::string, int64_t> decided;
  for (const Step& step : made.trace()) {
    if (const auto* decide = std::get_if<DecideStep>(&step))
      decided[decide->name] = decide->value.number;
    const auto* winograd = std::get_if<WinogradStep>(&step);
    if (winograd == nullptr) continue;
    const std::string& name = winograd->results.decision;
    const bool integers = !IsFloat(made.Find(winograd->stage)->dtype);
    const Winograd by(name.empty() ? winograd->results.value : decided[name], integers);
    rounding.algorithm +=
        fmt::format("{}winograd_{}", rounding.algorithm.empty() ? "" : ", ", by.results());
    rounding.error += integers ? 0 : by.error();
  }
  return rounding;
}

}  // namespace tessera::schedule
