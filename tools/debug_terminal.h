// SPDX-License-Identifier: Apache-2.0
//
// The terminal of `tessera debug`. debug_terminal.cc edits lines, keeps a history and completes by
// libedit; debug_terminal_plain.cc, in a build without libedit, reads lines. Used by:
// debug_console.cc.
#ifndef TESSERA_TOOLS_DEBUG_TERMINAL_H_
#define TESSERA_TOOLS_DEBUG_TERMINAL_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/debug/console.h"

namespace tessera::tools {

inline constexpr const char* kDebugPrompt = "(debug) ";

// Whole lines that may follow what was typed so far.
using CompleteLine = std::function<std::vector<std::string>(const std::string&)>;

std::unique_ptr<sim::DebugConsole> OpenTerminal(CompleteLine complete);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DEBUG_TERMINAL_H_
