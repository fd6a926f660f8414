// SPDX-License-Identifier: Apache-2.0
//
// Words, numbers, strings and signs of one line of assembly, with columns for messages.
// Used by the assembler only.
#ifndef TESSERA_ISA_ASM_LINE_READER_H_
#define TESSERA_ISA_ASM_LINE_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tessera::isa {

class LineReader {
 public:
  // |line| without its end of line; |number| from 1.
  LineReader(std::string_view line, int64_t number) : line_(line), number_(number) { Skip(); }

  // True if only blanks or a comment are left.
  bool AtEnd() const { return at_ >= line_.size(); }
  // The column, from 1, of the next character.
  size_t Column() const { return at_ + 1; }

  // Takes |sign| if it comes next.
  bool Take(char sign);
  // A name or number: letters, digits, '_', '.', '-'; "" if another character comes next.
  std::string_view Word();
  // The text up to the next blank, for messages.
  std::string_view Rest() const;
  //   errors  kInvalidArgument  no opening or closing quote, or an unknown escape
  Result<std::string> QuotedText();
  //   errors  kInvalidArgument  not a number; kOutOfRange  more than 64 bits
  Result<int64_t> Number(std::string_view what);
  // The same with limits |least| .. |most|.
  Result<int64_t> Number(std::string_view what, int64_t least, int64_t most);
  //   errors  kInvalidArgument  the line has more text
  Status End() const;

  // An error at |column|: "3:7: message".
  template <typename... Args>
  std::unexpected<Error> Bad(Code code, size_t column, fmt::format_string<Args...> format,
                             Args&&... args) const {
    return Fail(code, "{}:{}: {}", number_, column,
                fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void Skip();

  std::string_view line_;
  int64_t number_;
  size_t at_ = 0;
};

// |word| as a decimal or 0x number with an optional '-'.
//   errors  kInvalidArgument  not a number; kOutOfRange  more than 64 bits
Result<int64_t> ParseNumber(std::string_view word);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ASM_LINE_READER_H_
