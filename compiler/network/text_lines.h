// SPDX-License-Identifier: Apache-2.0
//
// Lines of the texts that users edit: blanks at both ends and around words do not count. Depends on
// nothing. Used by: network/pins.cc, network/layer_times.cc.
#ifndef TESSERA_COMPILER_NETWORK_TEXT_LINES_H_
#define TESSERA_COMPILER_NETWORK_TEXT_LINES_H_

#include <string_view>

namespace tessera::network {

inline std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The word at the beginning of |line|, which is left without it.
inline std::string_view TakeWord(std::string_view& line) {
  const size_t end = line.find_first_of(" \t");
  const std::string_view word = line.substr(0, end);
  line = end == std::string_view::npos ? "" : Trimmed(line.substr(end));
  return word;
}

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_TEXT_LINES_H_
