// SPDX-License-Identifier: Apache-2.0
//
// What a verb leaves when a run of a program fails on its device: a dump that `tessera debug`
// opens. Depends on: sim/debug/dump.h. Used by: run, compare, trace, regress.
#ifndef TESSERA_TOOLS_FAILED_RUN_H_
#define TESSERA_TOOLS_FAILED_RUN_H_

#include <CLI/CLI.hpp>
#include <string>

#include "base/error.h"
#include "tools/network.h"

namespace tessera::tools {

// A dump of a run on |device| that ended with |error|, in |folder|: its path; "" where |folder| is,
// which means none. |verb|: what the user asked for.
//   errors  WriteDump's
Result<std::string> LeaveDump(const std::string& error, const std::string& verb,
                              const std::string& folder, const ChosenDevice& device,
                              const isa::Config& config, const FailedRun& failed);

// |error| with the dump: "...; dump: FILE; open it with tessera debug FILE", or with why there is
// none.
Error WithDump(const Error& error, const std::string& verb, const std::string& folder,
               const ChosenDevice& device, const isa::Config& config, const FailedRun& failed);

// The same for what |runner| ran last; |error| as it is where no program failed.
Error WithDump(const Error& error, const std::string& verb, Runner& runner);

// Before hours of work whose findings leave dumps: whether |folder| can take them.
//   errors  kNotFound  it is no folder
Status CheckDumpDir(const std::string& folder);

// Option --dump-dir of a verb that leaves dumps. |folder| becomes $TESSERA_DUMP_DIR where it is not
// given, else the current one.
void AddDumpDirOption(CLI::App& verb, std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FAILED_RUN_H_
