// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the allocator against a model that marks bytes (random calls), alignment, reuse
// of freed ranges, each error with its text, reads and writes at both ends. Not tested here: the
// contract as seen through a device (tests/cts).
#include "runtime/device/memory.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"

namespace tessera::memory_test {
namespace {

TEST(DeviceMemory, GivesTheFirstFreeRange) {
  constexpr uint64_t kSeed = 11;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  constexpr uint64_t kSize = 8192;
  DeviceMemory memory(std::move(*HostMemory::Make(kSize)));
  std::vector<bool> used(kSize);
  std::map<uint64_t, uint64_t> live;
  int refused = 0;
  for (int step = 0; step < 5000; ++step) {
    if (!live.empty() && rng.OneIn(2)) {
      auto it = live.begin();
      std::advance(it, rng.Range(0, static_cast<int64_t>(live.size()) - 1));
      ASSERT_TRUE(memory.Free(it->first));
      for (uint64_t i = 0; i < it->second; ++i) used[it->first + i] = false;
      live.erase(it);
      continue;
    }
    const uint64_t bytes = static_cast<uint64_t>(rng.Range(0, 1500)),
                   align = uint64_t{64} << rng.Range(0, 4);
    const uint64_t wanted = bytes == 0 ? 1 : bytes;
    // The lowest aligned address of a free range.
    uint64_t want = 0;
    for (;; want += align) {
      if (want + wanted > kSize) break;
      bool free = true;
      for (uint64_t i = 0; i < wanted; ++i) free = free && !used[want + i];
      if (free) break;
    }
    const Result<uint64_t> got = memory.Allocate(bytes, align);
    if (want + wanted > kSize) {
      ASSERT_FALSE(got);
      ASSERT_EQ(got.error().code, Code::kOutOfRange);
      ++refused;
      continue;
    }
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_EQ(*got, want) << "step " << step;
    for (uint64_t i = 0; i < wanted; ++i) used[want + i] = true;
    live[want] = wanted;
  }
  EXPECT_GE(refused, 10);
}

TEST(DeviceMemory, NamesItsErrors) {
  DeviceMemory memory(std::move(*HostMemory::Make(1024)));
  EXPECT_EQ(HostMemory::Make(0).error().message, "device memory of 0 bytes; give at least 64");
  EXPECT_EQ(HostMemory::Make(uint64_t{1} << 60).error().code, Code::kUnavailable);
  ASSERT_EQ(memory.Allocate(1000).value(), 0u);
  EXPECT_EQ(memory.Allocate(64).error().message,
            "no range of 64 bytes is free in device memory: 1000 of 1024 bytes are in use");
  EXPECT_EQ(memory.Allocate(~uint64_t{0}).error().code, Code::kOutOfRange);
  EXPECT_EQ(memory.Allocate(1, 32).error().message,
            "alignment 32, must be a power of two and at least 64");
  EXPECT_EQ(memory.Allocate(1, 96).error().code, Code::kInvalidArgument);
  EXPECT_EQ(memory.Free(64).error().message,
            "device address 64 was not allocated, or is freed already");
  ASSERT_TRUE(memory.Free(0));
  EXPECT_EQ(memory.Free(0).error().code, Code::kInvalidArgument);
  std::vector<uint8_t> four = {1, 2, 3, 4};
  ASSERT_TRUE(memory.Write(1020, four));
  std::vector<uint8_t> back(4);
  ASSERT_TRUE(memory.Read(1020, back));
  EXPECT_EQ(back, four);
  EXPECT_EQ(memory.Write(1021, four).error().message,
            "4 bytes at device address 1021: device memory has 1024 bytes");
  EXPECT_EQ(memory.Read(~uint64_t{0}, back).error().code, Code::kOutOfRange);
  ASSERT_TRUE(memory.Write(1024, {}));
}

TEST(DeviceMemory, HostMemoryStartsFromZeroAndIsSeenInPlace) {
  std::unique_ptr<HostMemory> host = std::move(*HostMemory::Make(uint64_t{1} << 32));
  const std::span<uint8_t> in_place = host->bytes();
  DeviceMemory memory(std::move(host));
  std::vector<uint8_t> bytes(16, 1);
  ASSERT_TRUE(memory.Read((uint64_t{1} << 32) - 16, bytes));
  EXPECT_EQ(bytes, std::vector<uint8_t>(16));
  ASSERT_TRUE(memory.Write(64, std::vector<uint8_t>{9}));
  EXPECT_EQ(in_place[64], 9);
  EXPECT_EQ(memory.size(), uint64_t{1} << 32);
  EXPECT_EQ(memory.bus_address(), 0u);
}

}  // namespace
}  // namespace tessera::memory_test
