// SPDX-License-Identifier: Apache-2.0
//
// Little-endian numbers and zero-padded text in bytes, field by field. The caller checks ranges.
// Depends on: base/check.h. Used by: container.cc, sections.cc.
#ifndef TESSERA_RUNTIME_XCLBIN_BYTES_H_
#define TESSERA_RUNTIME_XCLBIN_BYTES_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace tessera::xclbin {

template <std::unsigned_integral T>
void PutNumber(std::vector<uint8_t>& to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

inline void PutFill(std::vector<uint8_t>& to, size_t count, uint8_t value = 0) {
  to.resize(to.size() + count, value);
}

// Appends |text| and zeros: |bytes| bytes in all, at least one of them zero.
inline void PutText(std::vector<uint8_t>& to, std::string_view text, size_t bytes) {
  TESSERA_CHECK(text.size() < bytes, "'{}' in a field of {} bytes", text, bytes);
  to.insert(to.end(), text.begin(), text.end());
  PutFill(to, bytes - text.size());
}

template <std::unsigned_integral T>
T GetNumber(std::span<const uint8_t> from, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{from[at + i]} << (8 * i));
  return value;
}

// The text of a field of |bytes| bytes, up to its first zero.
inline std::string GetText(std::span<const uint8_t> from, size_t at, size_t bytes) {
  const auto field = from.subspan(at, bytes);
  return {field.begin(), std::ranges::find(field, uint8_t{0})};
}

}  // namespace tessera::xclbin

#endif  // TESSERA_RUNTIME_XCLBIN_BYTES_H_
