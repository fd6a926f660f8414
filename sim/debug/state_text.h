// SPDX-License-Identifier: Apache-2.0
//
// The state of a run as text: the program, its layers and instructions, what each unit does and
// waits for, tokens, queues. Depends on: target.h, progress.h. Used by: session.h, commands.
#ifndef TESSERA_SIM_DEBUG_STATE_TEXT_H_
#define TESSERA_SIM_DEBUG_STATE_TEXT_H_

#include <string>

#include "sim/debug/progress.h"
#include "sim/debug/target.h"

namespace tessera::sim {

// "cycle 812, layer conv1", with the parts that are known; "" if none is.
std::string MomentText(const DebugTarget& target, const RunProgress& progress);

// The answer to `info`.
std::string StateText(const DebugTarget& target, const RunProgress& progress);

// The instructions around |centre|, retired ones marked *, taken ones >.
std::string ListText(const DebugTarget& target, const RunProgress& progress, uint32_t centre);

// The layers: where each runs and its progress. |progress| is null if no program runs.
std::string LayersText(const DebugTarget& target, const std::vector<ProgramFacts>& facts,
                       const RunProgress* progress);
std::string TensorsText(const DebugTarget& target);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_STATE_TEXT_H_
