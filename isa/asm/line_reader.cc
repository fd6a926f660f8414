// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/line_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tessera::isa {
namespace {

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<int64_t> ParseNumber(std::string_view word) {
  const std::string_view written = word;
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  const bool hex = word.starts_with("0x");
  if (hex) word.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), magnitude, hex ? 16 : 10);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) {
    return Fail(Code::kInvalidArgument, "\"{}\" is not a number", written.substr(0, 60));
  }
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (error != std::errc() || magnitude > kMost) {
    return Fail(Code::kOutOfRange, "{} does not fit 64 bits", written.substr(0, 60));
  }
  return negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
}

void LineReader::Skip() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r'))
    ++at_;
  if (at_ < line_.size() && line_[at_] == ';') at_ = line_.size();
}

bool LineReader::Take(char sign) {
  if (AtEnd() || line_[at_] != sign) return false;
  ++at_;
  Skip();
  return true;
}

std::string_view LineReader::Word() {
  const size_t begin = at_;
  while (at_ < line_.size() && IsWordChar(line_[at_])) ++at_;
  const std::string_view word = line_.substr(begin, at_ - begin);
  Skip();
  return word;
}

std::string_view LineReader::Rest() const {
  const std::string_view rest = line_.substr(std::min(at_, line_.size()));
  return rest.substr(0, std::min<size_t>(rest.find_first_of(" \t\r"), 60));
}

Result<std::string> LineReader::QuotedText() {
  const size_t column = Column();
  if (AtEnd() || line_[at_] != '"')
    return Bad(Code::kInvalidArgument, column, "a text in \"quotes\" is missing");
  std::string text;
  for (++at_; at_ < line_.size() && line_[at_] != '"'; ++at_) {
    if (line_[at_] != '\\') {
      text += line_[at_];
      continue;
    }
    const char escape = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
    const int high = at_ + 2 < line_.size() ? HexDigit(line_[at_ + 2]) : -1;
    const int low = at_ + 3 < line_.size() ? HexDigit(line_[at_ + 3]) : -1;
    if (escape == '"' || escape == '\\') {
      text += escape;
      at_ += 1;
    } else if (escape == 'x' && high >= 0 && low >= 0) {
      text += static_cast<char>(high * 16 + low);
      at_ += 3;
    } else {
      return Bad(Code::kInvalidArgument, Column(),
                 "after '\\' there can be '\\', '\"', or x and two hexadecimal digits");
    }
  }
  if (at_ >= line_.size())
    return Bad(Code::kInvalidArgument, column, "the text has no closing quote");
  ++at_;
  Skip();
  return text;
}

Result<int64_t> LineReader::Number(std::string_view what) {
  const size_t column = Column();
  if (AtEnd()) return Bad(Code::kInvalidArgument, column, "{} is missing", what);
  const std::string_view rest = Rest();
  auto number = ParseNumber(Word());
  if (!number && number.error().code == Code::kInvalidArgument) {
    return Bad(Code::kInvalidArgument, column, "{} is missing; \"{}\" is not a number", what, rest);
  }
  if (!number) return Bad(number.error().code, column, "{}: {}", what, number.error().message);
  return number;
}

Result<int64_t> LineReader::Number(std::string_view what, int64_t least, int64_t most) {
  const size_t column = Column();
  TESSERA_ASSIGN(const int64_t number, Number(what));
  if (number >= least && number <= most) return number;
  return Bad(Code::kOutOfRange, column, "{} is {}, it can be {} to {}", what, number, least, most);
}

Status LineReader::End() const {
  if (AtEnd()) return {};
  return Bad(Code::kInvalidArgument, Column(), "\"{}\" is more than this line can hold", Rest());
}

}  // namespace tessera::isa
