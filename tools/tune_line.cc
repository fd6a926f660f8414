// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "tools/output.h"

namespace tessera::tools {

std::string TuneLineText(const std::string& task, const std::string& unit,
                         const tune::SearchProgress& progress, const TuneBudget& budget,
                         double seconds) {
  const auto trials = static_cast<double>(progress.trials);
  const double rate = seconds > 0 ? trials / seconds : 0;
  const double gain = progress.given > 0 ? 100 * (1 - progress.best / progress.given) : 0;
  double left = -1;
  if (budget.time.count() > 0) left = static_cast<double>(budget.time.count()) - seconds;
  if (budget.trials > 0 && rate > 0) {
    const double by_trials = (static_cast<double>(budget.trials) - trials) / rate;
    left = left < 0 ? by_trials : std::min(left, by_trials);
  }
  return fmt::format("{}: {:.2f} % fewer {}, {} trials, {:.1f} a second, {:.1f} % failed{}",
                     Legible(task, 100), gain, unit, Grouped(progress.trials), rate,
                     trials > 0 ? 100 * static_cast<double>(progress.failed) / trials : 0,
                     left < 0 ? "" : fmt::format(", ends in {:.0f} s", std::max(left, 0.0)));
}

void ShowTuneLine(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

void EndTuneLine() {
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
}

}  // namespace tessera::tools
