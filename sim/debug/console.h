// SPDX-License-Identifier: Apache-2.0
//
// DebugConsole: the source of the commands of a debugging session and the sink of its answers.
// Depends on: nothing. Used by: session.h; terminals, scripts and tests implement it.
#ifndef TESSERA_SIM_DEBUG_CONSOLE_H_
#define TESSERA_SIM_DEBUG_CONSOLE_H_

#include <optional>
#include <string>
#include <string_view>

namespace tessera::sim {

class DebugConsole {
 public:
  virtual ~DebugConsole() = default;
  // The next command, nothing at the end of the commands.
  virtual std::optional<std::string> Read() = 0;
  // Prints |text|, which consists of whole lines.
  virtual void Print(std::string_view text) = 0;
  // Whether the user can try again after a wrong command. If not, a wrong command ends the session.
  virtual bool interactive() const = 0;
  // The place of the last command, for messages: "FILE:LINE", or "" for a terminal.
  virtual std::string place() const = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_CONSOLE_H_
