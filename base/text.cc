// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera {
namespace {

// The number of bytes of the UTF-8 character at the front of |text|, or 0 if there is none. An
// overlong form, a surrogate and a value over U+10FFFF do not count as characters.
size_t CharacterLength(std::string_view text, uint32_t* value) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  const size_t length = first < 0x80              ? 1
                        : (first >> 5) == 0b110   ? 2
                        : (first >> 4) == 0b1110  ? 3
                        : (first >> 3) == 0b11110 ? 4
                                                  : 0;
  if (length == 0 || text.size() < length) return 0;
  *value = length == 1 ? first : first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) >> 6) != 0b10) return 0;
    *value = *value << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = *value >= 0xd800 && *value < 0xe000;
  return *value < kLeast[length] || surrogate || *value > 0x10ffff ? 0 : length;
}

// Whether |c| moves or ends a line or turns the direction of text, and so shows nothing.
bool IsControl(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

// The greatest cut <= |at| that splits no character of |text|, which must be UTF-8.
size_t CutBefore(std::string_view text, size_t at) {
  while (at > 0 && (static_cast<uint8_t>(text[at]) >> 6) == 0b10) --at;
  return at;
}

}  // namespace

std::string Legible(std::string_view text, size_t most) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    uint32_t value = 0;
    const size_t length = CharacterLength(text.substr(at), &value);
    if (length > 0 && !IsControl(value)) {
      line += text.substr(at, length);
    } else if (length == 1 && (value == '\n' || value == '\t')) {
      line += value == '\n' ? "\\n" : "\\t";
    } else {
      for (size_t i = 0; i < std::max<size_t>(length, 1); ++i)
        line += fmt::format("\\x{:02x}", static_cast<uint8_t>(text[at + i]));
    }
    at += std::max<size_t>(length, 1);
  }
  if (line.size() <= most) return line;
  const size_t kept = most - 40;  // the note is shorter than 40 bytes
  const size_t head = CutBefore(line, kept * 3 / 4);
  const size_t tail = CutBefore(line, line.size() - kept / 4);
  return fmt::format("{}...({} bytes left out)...{}", std::string_view(line).substr(0, head),
                     tail - head, std::string_view(line).substr(tail));
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t changed = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({changed, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace tessera
