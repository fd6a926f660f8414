// SPDX-License-Identifier: Apache-2.0
//
// What is tested: frames of the serial line: the CRC against its published check value and a
// derivation bit by bit, bytes that need an escape, and a reader that gives each whole frame and no
// other thing, whatever the line loses, doubles or changes. Space: bodies of 1 to 526 random bytes;
// 20,000 frames with one to three faults. Not tested here: the other end (serial_board_test).
#include "runtime/drivers/serial/frame.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace tessera::serial::frame_test {
namespace {

std::vector<uint8_t> RandomBody(Rng& rng, int64_t most) {
  std::vector<uint8_t> body(static_cast<size_t>(rng.Range(1, most)));
  // Half of the bytes are special.
  for (uint8_t& byte : body)
    byte = rng.OneIn(2) ? static_cast<uint8_t>(rng.Range(0x7c, 0x7f))
                        : static_cast<uint8_t>(rng.Range(0, 255));
  return body;
}

std::vector<std::vector<uint8_t>> Bodies(const std::vector<uint8_t>& line) {
  FrameReader reader;
  std::vector<std::vector<uint8_t>> bodies;
  for (const uint8_t byte : line) {
    if (auto body = reader.Take(byte)) bodies.push_back(std::move(*body));
  }
  return bodies;
}

TEST(Frame, CrcHasItsCheckValue) {
  const std::string_view text = "123456789";
  EXPECT_EQ(Crc32({reinterpret_cast<const uint8_t*>(text.data()), text.size()}), 0xcbf43926u);
  EXPECT_EQ(Crc32({}), 0u);
}

TEST(Frame, CrcIsTheRemainderBitByBit) {
  Rng rng(1);
  for (int round = 0; round < 100; ++round) {
    const std::vector<uint8_t> body = RandomBody(rng, 40);
    // Long division by x^32 + x^26 + ... + 1, each byte from its lowest bit on.
    uint32_t rest = ~uint32_t{0};
    for (const uint8_t byte : body) {
      for (int bit = 0; bit < 8; ++bit) {
        const uint32_t top = rest >> 31 ^ (uint32_t{byte} >> bit & 1);
        rest = rest << 1 ^ (top != 0 ? 0x04c11db7u : 0u);
      }
    }
    uint32_t mirrored = 0;
    for (int bit = 0; bit < 32; ++bit) mirrored |= (~rest >> bit & 1) << (31 - bit);
    EXPECT_EQ(Crc32(body), mirrored);
  }
}

TEST(Frame, BodiesComeBackAndFlagsOnlyEndThem) {
  Rng rng(2);
  std::vector<uint8_t> line;
  std::vector<std::vector<uint8_t>> sent;
  for (int i = 0; i < 200; ++i) {
    sent.push_back(RandomBody(rng, kHeaderBytes + kMostData));
    const std::vector<uint8_t> frame = FrameOf(sent.back());
    EXPECT_EQ(std::ranges::count(frame, kFlag), 2);
    line.insert(line.end(), frame.begin(), frame.end());
  }
  EXPECT_EQ(Bodies(line), sent);
}

TEST(Frame, FaultsLoseFramesAndMakeNone) {
  Rng rng(3);
  int lost = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<uint8_t> body = RandomBody(rng, 60);
    std::vector<uint8_t> line = FrameOf(body);
    for (int64_t faults = rng.Range(1, 3); faults > 0; --faults) {
      const auto at = line.begin() + rng.Range(0, static_cast<int64_t>(line.size()) - 1);
      switch (rng.Range(0, 2)) {
        case 0:
          line.erase(at);
          break;
        case 1:
          line.insert(at, *at);
          break;
        default:
          *at ^= static_cast<uint8_t>(1 << rng.Range(0, 7));
      }
    }
    // A frame after it is whole: the FLAG before it ends what is left of the first.
    const std::vector<uint8_t> next = {1, 2, 3};
    const std::vector<uint8_t> frame = FrameOf(next);
    line.insert(line.end(), frame.begin(), frame.end());
    const auto bodies = Bodies(line);
    ASSERT_FALSE(bodies.empty()) << "round " << round;
    EXPECT_EQ(bodies.back(), next);
    if (bodies.size() == 1) {
      ++lost;
    } else {
      // A fault in a FLAG that another one replaces changes nothing.
      ASSERT_EQ(bodies.size(), 2u);
      EXPECT_EQ(bodies[0], body) << "round " << round;
    }
  }
  EXPECT_GT(lost, 15'000);
}

TEST(Frame, ReaderCountsNoiseAndForgetsLongBodies) {
  FrameReader reader;
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(reader.Take(0x55));
  EXPECT_FALSE(reader.Take(kFlag));
  EXPECT_EQ(reader.noise(), 100'000u);
  EXPECT_FALSE(AnswerOf(std::vector<uint8_t>{1}));
}

}  // namespace
}  // namespace tessera::serial::frame_test
