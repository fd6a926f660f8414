// SPDX-License-Identifier: Apache-2.0
//
// The terminal of `tessera debug`. debug_terminal.cc uses libedit to edit lines, keep a history and
// complete words; debug_terminal_plain.cc, in a build without libedit, only reads lines. Used by:
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

// The whole lines that may follow from the text typed so far.
using CompleteLine = std::function<std::vector<std::string>(const std::string&)>;

std::unique_ptr<sim::DebugConsole> OpenTerminal(CompleteLine complete);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DEBUG_TERMINAL_H_
