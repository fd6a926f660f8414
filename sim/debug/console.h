// SPDX-License-Identifier: Apache-2.0
//
// DebugConsole: where the commands of a debugging session come from and its answers go. Depends on
// nothing. Used by: session.h; terminals, scripts and tests implement it.
#ifndef TESSERA_SIM_DEBUG_CONSOLE_H_
#define TESSERA_SIM_DEBUG_CONSOLE_H_

#include <optional>
#include <string>
#include <string_view>

namespace tessera::sim {

class DebugConsole {
 public:
  virtual ~DebugConsole() = default;
  // The next command; nothing: there is no more.
  virtual std::optional<std::string> Read() = 0;
  // Whole lines.
  virtual void Print(std::string_view text) = 0;
  // Whether somebody can try again after a wrong command; else it ends the session.
  virtual bool interactive() const = 0;
  // Where the last command came from, for messages: "FILE:LINE"; "": a terminal.
  virtual std::string place() const = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_CONSOLE_H_
