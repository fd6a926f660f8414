// SPDX-License-Identifier: Apache-2.0
//
// Numbers in text from outside: command lines, files, environment. No blanks, no plus sign, no
// locale. Depends on nothing. Used wherever text is read.
#ifndef TESSERA_BASE_NUMBER_H_
#define TESSERA_BASE_NUMBER_H_

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace tessera {

// The number that |text| begins with, which it then begins after; nothing, and |text| is as before:
// it begins with none, or with one that T cannot hold. A whole number is in base |base|, without
// prefix; an unsigned one has no minus.
template <typename T>
std::optional<T> TakeNumber(std::string_view& text, int base = 10) {
  T value{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::floating_point<T>) {
    read = std::from_chars(text.data(), end, value);
  } else {
    read = std::from_chars(text.data(), end, value, base);
  }
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return value;
}

// The number that the whole of |text| is; nothing: it is none, or one that T cannot hold.
template <typename T>
std::optional<T> NumberIn(std::string_view text, int base = 10) {
  const std::optional<T> value = TakeNumber<T>(text, base);
  return text.empty() ? value : std::nullopt;
}

// The same of text that may begin with 0x and is then hexadecimal.
template <typename T>
std::optional<T> NumberOrHexIn(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? NumberIn<T>(text.substr(2), 16)
                                                          : NumberIn<T>(text);
}

}  // namespace tessera

#endif  // TESSERA_BASE_NUMBER_H_
