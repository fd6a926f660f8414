// SPDX-License-Identifier: Apache-2.0
//
// What a verb leaves when a run of a program fails on its device: a dump that `tessera debug`
// opens. Depends on: sim/debug/dump.h. Used by: run, compare, trace.
#ifndef TESSERA_TOOLS_FAILED_RUN_H_
#define TESSERA_TOOLS_FAILED_RUN_H_

#include <string>

#include "base/error.h"
#include "tools/network.h"

namespace tessera::tools {

// |error| of a run on |device|, with a dump of it: "...; dump: FILE; open it with tessera debug
// FILE". It is written into $TESSERA_DUMP_DIR, else the current folder; an empty TESSERA_DUMP_DIR:
// none is. One that cannot be written adds why to |error|. |verb|: what the user asked for.
Error WithDump(const Error& error, const std::string& verb, const ChosenDevice& device,
               const isa::Config& config, const FailedRun& failed);

// The same for what |runner| ran last; |error| as it is where no program failed.
Error WithDump(const Error& error, const std::string& verb, Runner& runner);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FAILED_RUN_H_
