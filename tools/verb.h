// SPDX-License-Identifier: Apache-2.0
//
// The verbs of the `tessera` command, each in a file of its own, registered in tools/main.cc.
// Depends on CLI11.
#ifndef TESSERA_TOOLS_VERB_H_
#define TESSERA_TOOLS_VERB_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/number.h"

namespace tessera::tools {

// Exit codes of every verb.
inline constexpr int kExitOk = 0;
inline constexpr int kExitNo = 1;        // the answer is no: a mismatch, a failed check
inline constexpr int kExitBad = 2;       // wrong use or bad input
inline constexpr int kExitInternal = 3;  // our own bug

// The work of a verb once its options are parsed: gives an exit code, or an error (printed in one
// line, exit status 2).
using Action = std::function<Result<int>()>;

// For options that count: rejects words that are not whole numbers from 1 on, with a message.
inline CLI::Validator CountFromOne() {
  const auto check = [](std::string& word) -> std::string {
    if (NumberIn<int64_t>(word).value_or(0) >= 1) return "";
    return "'" + word + "' is not a count; give a whole number from 1 on";
  };
  return CLI::Validator(check, "COUNT");
}

// Each adds one verb to |app| and returns its action; the action's captures hold the options.
Action AddCompile(CLI::App& app);
Action AddRun(CLI::App& app);
Action AddCompare(CLI::App& app);
Action AddAsm(CLI::App& app);
Action AddDisasm(CLI::App& app);
Action AddCheck(CLI::App& app);
Action AddConfig(CLI::App& app);
Action AddInfo(CLI::App& app);
Action AddBoards(CLI::App& app);
Action AddDevices(CLI::App& app);
Action AddServe(CLI::App& app);
Action AddFlash(CLI::App& app);
Action AddRegress(CLI::App& app);
Action AddQuantize(CLI::App& app);
Action AddTune(CLI::App& app);
Action AddPlace(CLI::App& app);
Action AddExplore(CLI::App& app);
Action AddXclbin(CLI::App& app);
Action AddTrace(CLI::App& app);
Action AddDebug(CLI::App& app);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_VERB_H_
