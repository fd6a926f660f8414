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

// Reads a number at the beginning of |text| and removes it from there. Whole numbers are in base
// |base|, without a prefix; unsigned ones have no minus. Nothing, and |text| stays as it is, if
// there is no number or T cannot hold it.
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

// Reads all of |text| as one number; nothing if it is none or T cannot hold it.
template <typename T>
std::optional<T> NumberIn(std::string_view text, int base = 10) {
  const std::optional<T> value = TakeNumber<T>(text, base);
  return text.empty() ? value : std::nullopt;
}

// The same. Text that begins with 0x is hexadecimal.
template <typename T>
std::optional<T> NumberOrHexIn(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? NumberIn<T>(text.substr(2), 16)
                                                          : NumberIn<T>(text);
}

}  // namespace tessera

#endif  // TESSERA_BASE_NUMBER_H_
