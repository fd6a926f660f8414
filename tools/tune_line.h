// SPDX-License-Identifier: Apache-2.0
//
// The line that shows how far `tessera tune` is. Depends on: compiler/tune. Used by: tune.
#ifndef TESSERA_TOOLS_TUNE_LINE_H_
#define TESSERA_TOOLS_TUNE_LINE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "compiler/tune/search.h"

namespace tessera::tools {

// What a search may spend.
struct TuneBudget {
  std::chrono::seconds time{0};  // 0: no limit
  int64_t trials = 0;            // 0: no limit
};

// "conv_2d_2: 1.83 % fewer cycles, 240 trials, 31.2 a second, 0.0 % failed, ends in 12 s", where
// |unit| is "cycles". |seconds|: since the search began.
std::string TuneLineText(const std::string& task, const std::string& unit,
                         const tune::SearchProgress& progress, const TuneBudget& budget,
                         double seconds);

// Shows |text| in place of the line before. Silent when standard error is no terminal.
void ShowTuneLine(const std::string& text);
// Removes the line.
void EndTuneLine();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TUNE_LINE_H_
