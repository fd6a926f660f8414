// SPDX-License-Identifier: Apache-2.0
//
// Writes a dump that `tessera debug` opens, when a run of a program fails on its device. Depends
// on: sim/debug/dump.h. Used by: run, compare, trace, regress.
#ifndef TESSERA_TOOLS_FAILED_RUN_H_
#define TESSERA_TOOLS_FAILED_RUN_H_

#include <CLI/CLI.hpp>
#include <string>

#include "base/error.h"
#include "tools/network.h"

namespace tessera::tools {

// Writes a dump of a run on |device| that ended with |error| into |folder|, and returns its path;
// if |folder| is "", writes nothing and returns "". |verb|: the user's command.
//   errors  those of WriteDump
Result<std::string> LeaveDump(const std::string& error, const std::string& verb,
                              const std::string& folder, const ChosenDevice& device,
                              const isa::Config& config, const FailedRun& failed);

// |error| with the dump: "...; dump: FILE; open it with tessera debug FILE", or with the reason for
// no dump.
Error WithDump(const Error& error, const std::string& verb, const std::string& folder,
               const ChosenDevice& device, const isa::Config& config, const FailedRun& failed);

// The same for the last run of |runner|; |error| unchanged if no program failed.
Error WithDump(const Error& error, const std::string& verb, Runner& runner);

// Checks that |folder| can take dumps, before hours of work whose findings leave some.
//   errors  kNotFound  not a folder
Status CheckDumpDir(const std::string& folder);

// Adds option --dump-dir to a verb that leaves dumps. Without the option |folder| becomes
// $TESSERA_DUMP_DIR, else the current folder.
void AddDumpDirOption(CLI::App& verb, std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FAILED_RUN_H_
