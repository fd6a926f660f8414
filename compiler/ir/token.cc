// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/token.h"

#include <cctype>

namespace tessera::ir {

Result<std::vector<Token>> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  size_t i = 0;
  auto at = [&](size_t k) { return k < text.size() ? text[k] : '\0'; };
  auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
      continue;
    }
    if (c == '/' && at(i + 1) == '/') {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    const size_t start = i;
    TokenKind kind = TokenKind::kMark;
    const bool signed_number =
        c == '-' && (std::isdigit(static_cast<unsigned char>(at(i + 1))) || at(i + 1) == 'i');
    if (std::isdigit(static_cast<unsigned char>(c)) || signed_number) {
      kind = TokenKind::kNumber;
      ++i;
      while (is_name(at(i)) || ((at(i) == '-' || at(i) == '+') && at(i - 1) == 'e')) ++i;
    } else if (is_name(c)) {
      kind = TokenKind::kName;
      while (is_name(at(i))) ++i;
    } else {
      static constexpr std::string_view kTwo[] = {"<<", ">>", "==", "!=", "<="};
      i += 1;
      for (std::string_view two : kTwo) {
        if (text.substr(start, 2) == two) i = start + 2;
      }
      if (i == start + 1 &&
          std::string_view("()[]{},;:=+-*/%&|^<>").find(c) == std::string_view::npos) {
        return Fail(Code::kInvalidArgument, "line {}: '{}' begins no token", line, c);
      }
    }
    tokens.push_back({kind, std::string(text.substr(start, i - start)), line});
  }
  tokens.push_back({TokenKind::kEnd, "the end of the text", line});
  return tokens;
}

}  // namespace tessera::ir
