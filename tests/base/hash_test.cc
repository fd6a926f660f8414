// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the checksum against its published check value and a bit-by-bit division, and
// that it continues over spans; the mixer is a bijection on samples.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "base/rng.h"

namespace tessera::hash_test {
namespace {

std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// CRC-64/XZ without a table: 0x42f0e1eba9ea3693 with its bits reversed.
uint64_t Slow(std::span<const uint8_t> bytes) {
  uint64_t polynomial = 0;
  for (int i = 0; i < 64; ++i) {
    if (uint64_t{0x42f0e1eba9ea3693} >> i & 1) polynomial |= uint64_t{1} << (63 - i);
  }
  uint64_t crc = ~uint64_t{0};
  for (const uint8_t byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool out = ((crc ^ static_cast<uint64_t>(byte >> bit)) & 1) != 0;
      crc >>= 1;
      if (out) crc ^= polynomial;
    }
  }
  return ~crc;
}

TEST(Crc64, PublishedCheckValue) {
  EXPECT_EQ(Crc64(Bytes("123456789")), 0x995dc9bbdf1939fau);
  EXPECT_EQ(Crc64({}), 0u);
}

TEST(Crc64, IsThePolynomialDivision) {
  SCOPED_TRACE("seed 9");
  Rng rng(9);
  for (int round = 0; round < 100; ++round) {
    std::vector<uint8_t> bytes(static_cast<size_t>(rng.Range(0, 100)));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
    EXPECT_EQ(Crc64(bytes), Slow(bytes));
    const size_t cut = static_cast<size_t>(rng.Range(0, static_cast<int64_t>(bytes.size())));
    const std::span<const uint8_t> all(bytes);
    EXPECT_EQ(Crc64(all.subspan(cut), Crc64(all.first(cut))), Crc64(bytes));
  }
}

TEST(Mix64, SendsDifferentToDifferent) {
  EXPECT_EQ(Mix64(0), 0u);
  std::set<uint64_t> seen;
  for (uint64_t i = 0; i < 64; ++i) {
    EXPECT_TRUE(seen.insert(Mix64(uint64_t{1} << i)).second);
    EXPECT_TRUE(seen.insert(Mix64(i * 4096 + 3)).second);
  }
}

}  // namespace
}  // namespace tessera::hash_test
