// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the IR's text: names, numbers, marks. Private to compiler/ir.
#ifndef TESSERA_COMPILER_IR_TOKEN_H_
#define TESSERA_COMPILER_IR_TOKEN_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera::ir {

enum class TokenKind : uint8_t { kName, kNumber, kMark, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // a number keeps its type suffix
  int line = 1;
};

// Ends with one kEnd. "//" starts a comment. errors: kInvalidArgument at a character of no token.
Result<std::vector<Token>> Tokenize(std::string_view text);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_TOKEN_H_
