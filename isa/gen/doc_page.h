// SPDX-License-Identifier: Apache-2.0
//
// A page of Markdown that grows line by line. Used by the printers of docs/isa.md.
#ifndef TESSERA_ISA_GEN_DOC_PAGE_H_
#define TESSERA_ISA_GEN_DOC_PAGE_H_

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::isa {

class Page {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Prose(std::string_view text) { text_ += text; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// |text| of a table with Markdown's own signs escaped.
inline std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '|' || c == '_' || c == '<' || c == '`') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_DOC_PAGE_H_
