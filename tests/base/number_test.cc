// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tessera {
namespace {

TEST(Number, IsTheWholeText) {
  EXPECT_EQ(NumberIn<int64_t>("-17"), -17);
  EXPECT_EQ(NumberIn<uint32_t>("ffffffff", 16), 0xffffffffu);
  EXPECT_EQ(NumberIn<double>("2.5e-1"), 0.25);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "x"})
    EXPECT_EQ(NumberIn<int64_t>(text), std::nullopt) << text;
  EXPECT_EQ(NumberIn<uint64_t>("-1"), std::nullopt);
}

TEST(Number, FitsItsType) {
  EXPECT_EQ(NumberIn<uint8_t>("255"), 255);
  EXPECT_EQ(NumberIn<uint8_t>("256"), std::nullopt);
  EXPECT_EQ(NumberIn<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(NumberIn<int64_t>("9223372036854775808"), std::nullopt);
}

TEST(Number, MayBeHexadecimal) {
  EXPECT_EQ(NumberOrHexIn<uint64_t>("0x1F"), 31u);
  EXPECT_EQ(NumberOrHexIn<uint64_t>("0X1f"), 31u);
  EXPECT_EQ(NumberOrHexIn<uint64_t>("31"), 31u);
  for (const char* text : {"0x", "1f", "0x-1", ""})
    EXPECT_EQ(NumberOrHexIn<uint64_t>(text), std::nullopt) << text;
}

TEST(Number, IsTakenFromTheText) {
  std::string_view text = "12,x";
  EXPECT_EQ(TakeNumber<int>(text), 12);
  EXPECT_EQ(text, ",x");
  EXPECT_EQ(TakeNumber<int>(text), std::nullopt);
  EXPECT_EQ(text, ",x");
}

}  // namespace
}  // namespace tessera
