// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace tessera {
namespace {

using Table = std::array<uint64_t, 256>;

// Table k: the CRC of a byte with k bytes of 0 after it.
constexpr std::array<Table, 8> MakeTables() {
  std::array<Table, 8> tables{};
  for (uint64_t i = 0; i < 256; ++i) {
    uint64_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) ? 0xc96c5795d7870f42u : 0);
    tables[0][i] = r;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t i = 0; i < 256; ++i) {
      const uint64_t r = tables[k - 1][i];
      tables[k][i] = tables[0][r & 0xff] ^ (r >> 8);
    }
  }
  return tables;
}
constexpr auto kTables = MakeTables();
static_assert(std::endian::native == std::endian::little);

}  // namespace

// Takes eight bytes at a time, each by its own table, so that no lookup waits for another.
uint64_t Crc64(std::span<const uint8_t> bytes, uint64_t crc) {
  crc = ~crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    uint64_t eight;
    std::memcpy(&eight, bytes.data(), 8);
    eight ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(eight >> (8 * k)) & 0xff];
  }
  for (uint8_t byte : bytes) crc = kTables[0][(crc ^ byte) & 0xff] ^ (crc >> 8);
  return ~crc;
}

}  // namespace tessera
