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

// Commands from a file or a pipe: each is printed, so that the output can be read by itself.
class ScriptConsole : public sim::DebugConsole {
 public:
  ScriptConsole(std::string name, std::unique_ptr<std::istream> file)
      : name_(std::move(name)), file_(std::move(file)) {}

  std::optional<std::string> Read() override {
    std::string line;
    if (!std::getline(file_ ? *file_ : std::cin, line)) return std::nullopt;
    ++number_;
    if (!line.empty()) PrintText(kDebugPrompt + line + "\n");
    return line;
  }
  void Print(std::string_view text) override { PrintText(text); }
  bool interactive() const override { return false; }
  std::string place() const override { return fmt::format("{}:{}", name_, number_); }

 private:
  std::string name_;
  std::unique_ptr<std::istream> file_;  // null: standard input
  int number_ = 0;
};

}  // namespace

Result<std::unique_ptr<sim::DebugConsole>> OpenDebugConsole(const std::string& script,
                                                            CompleteLine complete) {
  if (!script.empty()) {
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(script));
    return std::make_unique<ScriptConsole>(
        script, std::make_unique<std::istringstream>(std::string(bytes.begin(), bytes.end())));
  }
  if (isatty(STDIN_FILENO) == 0) return std::make_unique<ScriptConsole>("standard input", nullptr);
  return OpenTerminal(std::move(complete));
}

}  // namespace tessera::tools
