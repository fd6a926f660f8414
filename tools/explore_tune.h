// SPDX-License-Identifier: Apache-2.0
//
// Schedules for a machine of a search. Depends on: explore, base/process.h. Used by:
// tools/explore.cc.
#ifndef TESSERA_TOOLS_EXPLORE_TUNE_H_
#define TESSERA_TOOLS_EXPLORE_TUNE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "explore/machine.h"
#include "tools/import_words.h"

namespace tessera::tools {

// Searches for schedules of |models| on the machine of |config_path|, as `tessera tune` does, for
// |budget| each ("20s"). The records are beside the configuration, NAME.MODEL.jsonl, for `compile
// --records`. Returns |ran|, what the machine takes without them, with the cycles and the times of
// the accelerator that the records give.
//   errors  those of tune, and kUnavailable  it did not end well
Result<explore::MachineCost> TuneMachine(const std::string& config_path,
                                         const std::vector<std::string>& models,
                                         const ImportWords& import, const std::string& budget,
                                         const explore::MachineCost& ran, int64_t clock_mhz);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EXPLORE_TUNE_H_
