// SPDX-License-Identifier: Apache-2.0
//
// What is tested: allocation and memory of a device: alignment, exhaustion, reuse, bounds; calls in
// a wrong order. Every driver passes this, including one that executes nothing.
#include <algorithm>

#include "tests/cts/cts.h"

namespace tessera::cts {
namespace {

class MemoryTest : public DeviceTest {};

TEST_P(MemoryTest, SaysWhatItIs) {
  EXPECT_EQ(device_->name(), GetParam().driver->name);
  EXPECT_EQ(device_->config(), config_);
  EXPECT_EQ(device_->has_clock(), GetParam().driver->clock);
}

TEST_P(MemoryTest, AllocationsAreAlignedAndApart) {
  struct Range {
    uint64_t begin, end;
  };
  std::vector<Range> ranges;
  for (uint64_t align : {64, 128, 4096, 64}) {
    for (uint64_t bytes : {1, 64, 65, 1000}) {
      auto address = device_->Allocate(bytes, align);
      ASSERT_TRUE(address) << address.error().message;
      EXPECT_EQ(*address % align, 0u);
      EXPECT_LE(*address + bytes, kMemoryBytes);
      ranges.push_back({*address, *address + bytes});
    }
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].end, ranges[i].begin);
}

TEST_P(MemoryTest, ExhaustionIsAnErrorThatNamesTheSizes) {
  ExpectError(device_->Allocate(kMemoryBytes + 1), Code::kOutOfRange,
              {std::to_string(kMemoryBytes + 1)});
  ExpectError(device_->Allocate(~uint64_t{0}), Code::kOutOfRange, {});
  std::vector<uint64_t> addresses;
  for (;;) {
    auto address = device_->Allocate(64 << 10);
    if (!address) {
      EXPECT_EQ(address.error().code, Code::kOutOfRange);
      break;
    }
    addresses.push_back(*address);
    ASSERT_LE(addresses.size(), kMemoryBytes / (64 << 10));
  }
  EXPECT_GE(addresses.size(), kMemoryBytes / (64 << 10) - 1);
  // Freed neighbours can be allocated again as one piece.
  ASSERT_TRUE(device_->Free(addresses[3]));
  ASSERT_TRUE(device_->Free(addresses[5]));
  ASSERT_TRUE(device_->Free(addresses[4]));
  auto address = device_->Allocate(3 * (64 << 10));
  EXPECT_TRUE(address) << address.error().message;
}

TEST_P(MemoryTest, FreeOfWhatWasNotAllocatedIsAnError) {
  auto address = device_->Allocate(256);
  ASSERT_TRUE(address);
  ExpectError(device_->Free(*address + 64), Code::kInvalidArgument, {});
  ASSERT_TRUE(device_->Free(*address));
  ExpectError(device_->Free(*address), Code::kInvalidArgument, {});  // a second time
}

TEST_P(MemoryTest, KeepsWhatIsWritten) {
  std::vector<uint8_t> data(1000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 13);
  ASSERT_TRUE(device_->Write(kMemoryBytes - 1000, data));
  ASSERT_TRUE(device_->Write(0, std::span(data).first(10)));
  std::vector<uint8_t> back(1000);
  ASSERT_TRUE(device_->Read(kMemoryBytes - 1000, back));
  EXPECT_EQ(back, data);
  ASSERT_TRUE(device_->Reset());
  ASSERT_TRUE(device_->Read(kMemoryBytes - 1000, back));
  EXPECT_EQ(back, data) << "after Reset";
}

TEST_P(MemoryTest, RangesThatLeaveMemoryAreErrors) {
  std::vector<uint8_t> data(8, 1);
  EXPECT_TRUE(device_->Write(kMemoryBytes - 8, data));
  ExpectError(device_->Write(kMemoryBytes - 7, data), Code::kOutOfRange, {});
  ExpectError(device_->Read(kMemoryBytes - 7, data), Code::kOutOfRange, {});
  ExpectError(device_->Write(~uint64_t{0} - 3, data), Code::kOutOfRange, {});
  ExpectError(device_->Read(~uint64_t{0} - 3, data), Code::kOutOfRange, {});
  EXPECT_TRUE(device_->Read(kMemoryBytes, std::span<uint8_t>()));
}

TEST_P(MemoryTest, WaitNeedsASubmit) { ExpectError(device_->Wait(), Code::kInvalidArgument, {}); }

INSTANTIATE_TEST_SUITE_P(Cts, MemoryTest, ::testing::ValuesIn(All()), TestName);

}  // namespace
}  // namespace tessera::cts
