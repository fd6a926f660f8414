// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <array>

namespace tessera {
namespace {

constexpr std::array<uint64_t, 256> MakeTable() {
  std::array<uint64_t, 256> table{};
  for (uint64_t i = 0; i < 256; ++i) {
    uint64_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) ? 0xc96c5795d7870f42u : 0);
    table[i] = r;
  }
  return table;
}
constexpr auto kTable = MakeTable();

}  // namespace

uint64_t Crc64(std::span<const uint8_t> bytes, uint64_t crc) {
  crc = ~crc;
  for (uint8_t byte : bytes) crc = kTable[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return ~crc;
}

}  // namespace tessera
