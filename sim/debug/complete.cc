// SPDX-License-Identifier: Apache-2.0
//
// Completions of a command line.
#include "sim/debug/session.h"

namespace tessera::sim {

namespace {

// The words that may follow the name of a command.
std::vector<std::string> FirstWords(std::string_view command) {
  if (command == "step") return {"load", "gemm", "vector", "store"};
  if (command == "break") return {"insn", "layer", "write", "token", "cycle"};
  if (command == "print") return {"scratchpad", "tensor"};
  if (command == "diff") return {"tensor"};
  if (command == "goto") return {"insn", "cycle"};
  if (command == "info") return {"breaks"};
  if (command == "replay") return {"rtl", "cycle", "func"};
  return {};
}

}  // namespace

std::vector<std::string> DebugSession::Complete(const std::string& line) const {
  const size_t space = line.rfind(' ');
  const std::string before = line.substr(0, space == std::string::npos ? 0 : space + 1);
  const std::string word = line.substr(before.size());
  std::vector<std::string> words;
  if (before.empty()) {
    for (const DebugCommand& command : Commands()) words.emplace_back(command.name);
  } else if (before.ends_with("tensor ") || before.ends_with("write ")) {
    words = TensorNames(target_);
  } else if (before.ends_with("layer ")) {
    words = target_.layers;
  } else if (before.ends_with("scratchpad ")) {
    for (const isa::MemoryRow& row : isa::kMemoryRows) {
      if (!row.lies_in) words.emplace_back(Text(row.memory));
    }
  } else if (before.find(' ') + 1 == before.size()) {
    const auto command = CommandNamed(before.substr(0, before.size() - 1));
    if (command) words = FirstWords((*command)->name);
  }
  std::vector<std::string> lines;
  for (const std::string& w : words) {
    if (!w.empty() && w.starts_with(word)) lines.push_back(before + w);
  }
  return lines;
}

}  // namespace tessera::sim
