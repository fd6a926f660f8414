// SPDX-License-Identifier: Apache-2.0
//
// The sources of commands for `tessera debug`: a script, standard input, or a terminal.
// Depends on: debug_terminal.h, sim/debug. Used by: debug.cc.
#ifndef TESSERA_TOOLS_DEBUG_CONSOLE_H_
#define TESSERA_TOOLS_DEBUG_CONSOLE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/debug/session.h"
#include "tools/debug_terminal.h"

namespace tessera::tools {

// |script|: a file of commands, which the console prints as it reads them; "": standard input, with
// editing on a terminal. |quiet|: no printing, no editing.
//   errors  those of ReadFile
Result<std::unique_ptr<sim::DebugConsole>> OpenDebugConsole(const std::string& script,
                                                            CompleteLine complete, bool quiet);

// Wraps another console and keeps all commands and answers.
class RecordedConsole : public sim::DebugConsole {
 public:
  struct RecordedCommand {
    std::string line;                          // "": for text before the first command
    std::string answer;                        // lines
    std::optional<sim::SessionMoment> moment;  // after the command; nothing: no machine stands
  };
  // |moment|: where the session stands now.
  RecordedConsole(std::unique_ptr<sim::DebugConsole> console, bool quiet,
                  std::function<std::optional<sim::SessionMoment>()> moment);
  std::optional<std::string> Read() override;
  void Print(std::string_view text) override;
  bool interactive() const override { return console_->interactive(); }
  std::string place() const override { return console_->place(); }
  const std::vector<RecordedCommand>& commands() const { return commands_; }

 private:
  std::unique_ptr<sim::DebugConsole> console_;
  bool quiet_;
  std::function<std::optional<sim::SessionMoment>()> moment_;
  std::vector<RecordedCommand> commands_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DEBUG_CONSOLE_H_
