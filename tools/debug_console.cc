// SPDX-License-Identifier: Apache-2.0
#include "tools/debug_console.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/file.h"

namespace tessera::tools {
namespace {

void PrintText(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Commands from a file or a pipe. Prints each command, so that the output makes sense alone.
class ScriptConsole : public sim::DebugConsole {
 public:
  ScriptConsole(std::string name, std::unique_ptr<std::istream> file, bool quiet)
      : name_(std::move(name)), file_(std::move(file)), quiet_(quiet) {}

  std::optional<std::string> Read() override {
    std::string line;
    if (!std::getline(file_ ? *file_ : std::cin, line)) return std::nullopt;
    ++number_;
    if (!line.empty() && !quiet_) PrintText(kDebugPrompt + line + "\n");
    return line;
  }
  void Print(std::string_view text) override { PrintText(text); }
  bool interactive() const override { return false; }
  std::string place() const override { return fmt::format("{}:{}", name_, number_); }

 private:
  std::string name_;
  std::unique_ptr<std::istream> file_;  // null: standard input
  bool quiet_;
  int number_ = 0;
};

}  // namespace

Result<std::unique_ptr<sim::DebugConsole>> OpenDebugConsole(const std::string& script,
                                                            CompleteLine complete, bool quiet) {
  if (!script.empty()) {
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(script));
    return std::make_unique<ScriptConsole>(
        script, std::make_unique<std::istringstream>(std::string(bytes.begin(), bytes.end())),
        quiet);
  }
  if (quiet || isatty(STDIN_FILENO) == 0)
    return std::make_unique<ScriptConsole>("standard input", nullptr, quiet);
  return OpenTerminal(std::move(complete));
}

RecordedConsole::RecordedConsole(std::unique_ptr<sim::DebugConsole> console, bool quiet,
                                 std::function<std::optional<sim::SessionMoment>()> moment)
    : console_(std::move(console)), quiet_(quiet), moment_(std::move(moment)) {}

std::optional<std::string> RecordedConsole::Read() {
  if (!commands_.empty()) commands_.back().moment = moment_();
  std::optional<std::string> line = console_->Read();
  if (line && !line->empty()) commands_.push_back({*line, "", {}});
  return line;
}

void RecordedConsole::Print(std::string_view text) {
  if (commands_.empty()) commands_.emplace_back();
  commands_.back().answer += text;
  if (!quiet_) console_->Print(text);
}

}  // namespace tessera::tools
