// SPDX-License-Identifier: Apache-2.0
#include "tests/meta/markdown.h"

namespace tessera::test {

std::vector<CodeText> CodeOf(const TextFile& document) {
  std::vector<CodeText> found;
  bool fenced = false, blank_before = true, inside = false, only_space = false;
  CodeText span;
  for (size_t n = 0; n < document.lines.size(); ++n) {
    const std::string& line = document.lines[n];
    const size_t text = line.find_first_not_of(' ');
    const bool blank = text == std::string::npos;
    if (!blank && line.compare(text, 3, "```") == 0) {
      fenced = !fenced;
      continue;
    }
    const bool after_block = !found.empty() && found.back().block && found.back().line == n;
    if (fenced || (!blank && text >= 4 && (blank_before || after_block))) {
      if (!blank) found.push_back({line.substr(text), n + 1, true, false});
      continue;
    }
    blank_before = blank;
    if (blank) {
      inside = false;  // a span ends with its paragraph
      only_space = false;
    }
    for (const char c : line + "\n") {
      if (c == '`') {
        if (inside) {
          found.push_back(span);
        } else {
          span = {"", n + 1, false, only_space};
        }
        inside = !inside;
        only_space = true;
      } else if (inside) {
        span.text += c == '\n' ? ' ' : c;
      } else {
        only_space = only_space && (c == ' ' || c == '\n');
      }
    }
  }
  return found;
}

}  // namespace tessera::test
