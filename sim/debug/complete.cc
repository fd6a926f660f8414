// SPDX-License-Identifier: Apache-2.0
//
// What may follow the beginning of a command line.
#include "sim/debug/session.h"

namespace tessera::sim {

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
  } else if (before.starts_with("s") && before.find(' ') + 1 == before.size()) {
    words = {"load", "gemm", "vector", "store"};
  } else if (before.starts_with("b") && before.find(' ') + 1 == before.size()) {
    words = {"insn", "layer", "write", "token", "cycle"};
  } else if (before.starts_with("p") && before.find(' ') + 1 == before.size()) {
    words = {"scratchpad", "tensor"};
  } else if (before.starts_with("d") && before.find(' ') + 1 == before.size()) {
    words = {"tensor"};
  } else if (before.starts_with("g") && before.find(' ') + 1 == before.size()) {
    words = {"insn", "cycle"};
  } else if (before.starts_with("i") && before.find(' ') + 1 == before.size()) {
    words = {"breaks"};
  } else if (before.starts_with("rep") && before.find(' ') + 1 == before.size()) {
    words = {"rtl", "cycle", "func"};
  }
  std::vector<std::string> lines;
  for (const std::string& w : words) {
    if (!w.empty() && w.starts_with(word)) lines.push_back(before + w);
  }
  return lines;
}

}  // namespace tessera::sim
