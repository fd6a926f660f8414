// SPDX-License-Identifier: Apache-2.0
//
// What is tested: equal micro-op lists are one kernel; KernelResidency keeps the kernels used last,
// never gives two kernels one place, and refuses a kernel that cannot fit. Space: directed cases
// and random use, seeded.
#include "jit/kernel.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "isa/encoding.h"

namespace tessera::jit::kernel_test {
namespace {

TEST(KernelTable, EqualListsAreOneKernel) {
  KernelTable table;
  const std::vector<isa::Uop> a = {{0, 1, 2, 1}, {0, 3, 4, 0}};
  const std::vector<isa::Uop> b = {{0, 1, 2, 1}};
  EXPECT_EQ(table.Intern(a).value(), 0);
  EXPECT_EQ(table.Intern(b).value(), 1);
  EXPECT_EQ(table.Intern(a).value(), 0);
  EXPECT_EQ(table.offset(1), 16);
  ASSERT_EQ(table.data().size(), 24u);
  uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | table.data()[static_cast<size_t>(8 + i)];
  EXPECT_EQ(isa::DecodeUop(word).value(), a[1]);
}

TEST(KernelTable, AnIndexThatDoesNotFitIsAnError_bad) {
  KernelTable table;
  const std::vector<isa::Uop> wide = {{int64_t{1} << 20, 0, 0, 0}};
  EXPECT_EQ(table.Intern(wide).error().code, Code::kOutOfRange);
}

TEST(KernelResidency, TheLongestUnusedGoesFirst) {
  KernelResidency uop(10);
  EXPECT_TRUE(uop.Use(0, 4).value().load);
  EXPECT_TRUE(uop.Use(1, 4).value().load);
  EXPECT_FALSE(uop.Use(0, 4).value().load);
  const auto place = uop.Use(2, 3).value();  // 2 places left: kernel 1 is evicted
  EXPECT_TRUE(place.load);
  EXPECT_EQ(place.begin, 4);
  EXPECT_FALSE(uop.Use(0, 4).value().load);
  EXPECT_TRUE(uop.Use(1, 4).value().load);
}

TEST(KernelResidency, LargerThanTheScratchpadIsAnError_bad) {
  KernelResidency uop(10);
  const auto place = uop.Use(0, 11);
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(
      place.error().message,
      "a kernel of 11 micro-ops, UOP holds 10; a configuration with a greater uop_kib runs it");
}

class ResidencyProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(ResidencyProperty, WhatIsSaidToBeThereWasNotOverwritten) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const int64_t depth = rng.Range(8, 64);
  KernelResidency uop(depth);
  std::vector<int64_t> sizes;
  for (int k = 0; k < 12; ++k) sizes.push_back(rng.Range(1, depth));
  std::vector<int> memory(static_cast<size_t>(depth), -1);  // owner of each micro-op's place
  for (int step = 0; step < 300; ++step) {
    const int kernel = static_cast<int>(rng.Range(0, 11));
    const int64_t size = sizes[static_cast<size_t>(kernel)];
    const auto place = uop.Use(kernel, size).value();
    ASSERT_LE(place.begin + size, depth);
    for (int64_t i = place.begin; i < place.begin + size; ++i) {
      if (place.load) memory[static_cast<size_t>(i)] = kernel;
      ASSERT_EQ(memory[static_cast<size_t>(i)], kernel);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResidencyProperty, ::testing::Range(uint64_t{0}, uint64_t{30}));

}  // namespace
}  // namespace tessera::jit::kernel_test
