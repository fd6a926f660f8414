// SPDX-License-Identifier: Apache-2.0
//
// What a search of `tessera tune` tells of its trials: why some failed and which choices mattered.
// Depends on: compiler/tune. Used by: tune.
#ifndef TESSERA_TOOLS_TUNE_EXPLAIN_H_
#define TESSERA_TOOLS_TUNE_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/tune/history.h"

namespace tessera::tools {

// Lines about |history|, the trials of the task |name| over |space|: the causes of failed trials
// with their number and the first message of each; if the space has several sketches, the fastest
// trial of each; the choices of the best trial that matter most, each with how much slower the best
// trial of its sketch without it is; at most |most| of them. |unit|: of the trials' times.
std::vector<std::string> ExplainTrials(const std::string& name, const tune::Space& space,
                                       const tune::History& history, const std::string& unit,
                                       size_t most = 3);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TUNE_EXPLAIN_H_
