// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>

#include "tools/debug_terminal.h"

namespace tessera::tools {
namespace {

class PlainTerminal : public sim::DebugConsole {
 public:
  std::optional<std::string> Read() override {
    Print(kDebugPrompt);
    std::string line;
    if (std::getline(std::cin, line)) return line;
    Print("\n");
    return std::nullopt;
  }
  void Print(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  bool interactive() const override { return true; }
  std::string place() const override { return ""; }
};

}  // namespace

std::unique_ptr<sim::DebugConsole> OpenTerminal(CompleteLine /*complete*/) {
  return std::make_unique<PlainTerminal>();
}

}  // namespace tessera::tools
