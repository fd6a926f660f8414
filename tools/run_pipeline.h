// SPDX-License-Identifier: Apache-2.0
//
// What `tessera run --pipeline` says of the devices. Depends on: network.h. Used by: run.cc.
#ifndef TESSERA_TOOLS_RUN_PIPELINE_H_
#define TESSERA_TOOLS_RUN_PIPELINE_H_

#include <span>
#include <string>

#include "runtime/executor/executor.h"
#include "tools/network.h"
#include "tools/output.h"

namespace tessera::tools {

// Adds option --pipeline to a verb that runs items. |in_flight| becomes 0 without it.
void AddPipelineOption(CLI::App* verb, int& in_flight);

// The seconds in which each device was busy, by its name.
Json DeviceSeconds(const Runner& runner, const ExecutionReport& report);

// How busy each device was in a run of |seconds|, and how near the run came to the slowest one, in
// words and in |json|. Of several |runners|, which share the items: on average.
std::string TellPipeline(std::span<const Runner> runners, const ExecutionReport& report,
                         double seconds, Json& json);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_RUN_PIPELINE_H_
