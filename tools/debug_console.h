// SPDX-License-Identifier: Apache-2.0
//
// Where the commands of `tessera debug` come from: a script, standard input, or a terminal.
// Depends on: debug_terminal.h. Used by: debug.cc.
#ifndef TESSERA_TOOLS_DEBUG_CONSOLE_H_
#define TESSERA_TOOLS_DEBUG_CONSOLE_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "tools/debug_terminal.h"

namespace tessera::tools {

// |script|: a file of commands, which are printed as they are read; "": standard input, which is
// edited where it is a terminal.
//   errors  those of ReadFile
Result<std::unique_ptr<sim::DebugConsole>> OpenDebugConsole(const std::string& script,
                                                            CompleteLine complete);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DEBUG_CONSOLE_H_
