// SPDX-License-Identifier: Apache-2.0
//
// What is tested: Legible, and that every Error is one legible line. Space: each control character,
// each kind of bad UTF-8, each length around the limit, random bytes. Not tested here: the
// command's output (tests/tools).
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/rng.h"
#include "tests/base/one_line.h"

namespace tessera::text_test {
namespace {

TEST(Legible, LegibleTextIsUnchanged) {
  for (const char* text :
       {"", "conv1/Conv", "a b  c", "back\\slash", "Grüße, 加速器, 🙂", "'\"`$"})
    EXPECT_EQ(Legible(text), text);
}

TEST(Legible, ControlCharactersBecomeVisible) {
  EXPECT_EQ(Legible("a\nb\tc\rd"), "a\\nb\\tc\\x0dd");
  EXPECT_EQ(Legible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Legible("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(Legible("\xc2\x85"), "\\xc2\\x85") << "U+0085 ends a line";
  EXPECT_EQ(Legible("\xe2\x80\xa8"), "\\xe2\\x80\\xa8") << "U+2028 ends a line";
  EXPECT_EQ(Legible("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "U+202E turns text round";
  for (int c = 0; c < 0x20; ++c)
    EXPECT_TRUE(test::IsOneLine(Legible(std::string(3, static_cast<char>(c))))) << c;
}

TEST(Legible, BytesThatAreNotUtf8BecomeHexadecimal) {
  EXPECT_EQ(Legible("\x80z"), "\\x80z") << "a follower alone";
  EXPECT_EQ(Legible("\xc0\xaf"), "\\xc0\\xaf") << "an overlong '/'";
  EXPECT_EQ(Legible("\xe2\x82"), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(Legible("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(Legible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "over U+10FFFF";
  EXPECT_EQ(Legible("\xff"), "\\xff");
}

TEST(Legible, LongTextKeepsBothEnds) {
  EXPECT_EQ(Legible(std::string(100, 'x'), 100), std::string(100, 'x'));
  EXPECT_EQ(Legible("front" + std::string(1000, 'x') + "back", 100),
            "front" + std::string(40, 'x') + "...(949 bytes left out)..." + std::string(11, 'x') +
                "back");
  for (size_t length = 0; length < 500; ++length) {
    std::string text;
    while (text.size() < length) text += "ü";
    EXPECT_LE(Legible(text, 100).size(), 100u) << length;
    EXPECT_TRUE(test::IsOneLine(Legible(text, 100))) << length;
  }
}

TEST(Legible, AnyBytesGiveOneLineAndASecondCallChangesNothing) {
  for (uint64_t seed = 1; seed <= 20'000; ++seed) {
    Rng rng(seed);
    std::string text(static_cast<size_t>(rng.Range(0, 300)), ' ');
    const int64_t least = rng.OneIn(2) ? 0 : 0xc0;  // half of the texts have many lead bytes
    for (char& c : text)
      c = static_cast<char>(rng.OneIn(2) ? rng.Range(least, 255) : rng.Range(0x80, 0xbf));
    const std::string line = Legible(text, 200);
    ASSERT_TRUE(test::IsOneLine(line)) << "seed " << seed;
    ASSERT_LE(line.size(), 200u) << "seed " << seed;
    ASSERT_EQ(Legible(line, 200), line) << "seed " << seed;
  }
}

TEST(Error, ItsMessageIsOneLine) {
  const std::string name = "conv\n\x1b[2J" + std::string(10'000, 'n');
  const auto failed = Fail(Code::kInvalidArgument, "{}: kernel of {}; give 1 to 11", name, 0);
  const std::string message = Error(failed.error()).message;
  EXPECT_TRUE(test::IsOneLine(message));
  EXPECT_LE(message.size(), kLongestMessage);
  EXPECT_TRUE(message.starts_with("conv\\n\\x1b[2Jnnn")) << message;
  EXPECT_TRUE(message.ends_with("nn: kernel of 0; give 1 to 11")) << message;
  const auto within = Within("net\n.onnx", failed.error());
  EXPECT_TRUE(Error(within.error()).message.starts_with("net\\n.onnx: conv\\n"));
}

}  // namespace
}  // namespace tessera::text_test
