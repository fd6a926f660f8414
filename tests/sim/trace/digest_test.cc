// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the digest against the vectors in its header (computed with integers of any size,
// apart from this code); the order and number of intermediate writes do not matter. Not tested
// here: that the RTL computes the same (tests/cosim).
#include "sim/trace/digest.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace tessera::sim::digest_test {
namespace {

struct Vector {
  int space;
  uint64_t address;
  std::vector<uint8_t> before, after;
  uint64_t digest;
};

TEST(Digest, HasTheValuesOfTheHeader) {
  const Vector vectors[] = {
      {4, 0, {0x00}, {0x01}, 0x947f189a016c6291},
      {4, 7, {0xff}, {0x00}, 0x7f43f81e67000000},
      {3, 0x1e, {0, 0, 0, 0}, {1, 2, 3, 4}, 0x37b5131387451565},
      {7, 0x123456789, {0x80, 0x00, 0x7f}, {0x7f, 0xff, 0x80}, 0xed75382f50955f00},
      {1,
       8,
       {0, 0, 0, 0, 0, 0, 0, 0},
       {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11},
       0x38924aefebbda2b4},
      {6, 0x8f, {0x01}, {0xff}, 0x8a59925176000000},
  };
  for (const Vector& v : vectors) {
    DigestWrites writes;
    writes(static_cast<isa::ByteSpace>(v.space), v.address, v.before.data(), v.after.data(),
           static_cast<int64_t>(v.before.size()));
    EXPECT_EQ(writes.Take(), v.digest) << "space " << v.space << " address " << v.address;
    EXPECT_EQ(writes.Take(), 0u) << "Take starts the next digest";
  }
}

TEST(Digest, ForgetsMiddleValuesAndOrder) {
  Rng rng(1);
  std::vector<uint8_t> memory(32), start;
  for (uint8_t& byte : memory) byte = static_cast<uint8_t>(rng.Next());
  start = memory;
  DigestWrites steps;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t address = static_cast<uint64_t>(rng.Range(0, 31));
    const uint8_t value = static_cast<uint8_t>(rng.Next());
    steps(isa::ByteSpace::kAcc, address, &memory[address], &value, 1);
    memory[address] = value;
  }
  DigestWrites once;
  once(isa::ByteSpace::kAcc, 0, start.data(), memory.data(), 32);
  EXPECT_EQ(steps.Take(), once.Take());
}

TEST(Digest, TellsSpacesAndAddressesApart) {
  const uint8_t before = 0, after = 1;
  DigestWrites a, b, c;
  a(isa::ByteSpace::kAcc, 16, &before, &after, 1);
  b(isa::ByteSpace::kOut, 16, &before, &after, 1);
  c(isa::ByteSpace::kAcc, 17, &before, &after, 1);
  const uint64_t digest = a.Take();
  EXPECT_NE(digest, b.Take());
  EXPECT_NE(digest, c.Take());
}

}  // namespace
}  // namespace tessera::sim::digest_test
