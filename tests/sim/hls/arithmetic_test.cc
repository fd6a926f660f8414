// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the twin's integer arithmetic against isa/semantics, which derives it in another
// way, and its forwarding window against a memory whose writes arrive late. Space: all rounding
// modes and shifts with corner values, and random ones; all ALU operations with corner values; the
// window under random accesses to few tiles, with and without it. The seed is printed.
#include <gtest/gtest.h>

#include <deque>

#include "base/rng.h"
#include "isa/semantics/alu.h"
#include "isa/semantics/rescale.h"
#include "tsr_alu.h"
#include "tsr_window.h"

namespace {

using namespace TSR_HLS_NAMESPACE;
using tessera::Rng;

constexpr uint64_t kSeed = 20261122;
constexpr int32_t kCorners[] = {
    INT32_MIN, INT32_MIN + 1, -65536, -33,     -32,           -31,      -2, -1, 0, 1, 2, 30, 31, 32,
    33,        255,           65535,  1 << 30, INT32_MAX - 1, INT32_MAX};

void ExpectSameRescale(int32_t a, int32_t multiplier, int shift) {
  for (int round : {kRoundTflite, kRoundEven, kRoundHalfUp}) {
    ASSERT_EQ(rescaled(a, multiplier, shift, round),
              tessera::isa::Rescale(a, multiplier, shift, static_cast<tessera::isa::Round>(round)))
        << a << " * " << multiplier << " shift " << shift << " round " << round;
  }
}

TEST(HlsArithmetic, RescaleIsThatOfTheSemantics) {
  Rng rng(kSeed);
  RecordProperty("seed", std::to_string(kSeed));
  for (int shift = -31; shift <= 31; ++shift) {
    for (int32_t a : kCorners) {
      for (int32_t multiplier : {0, 1, 2, 3, 1 << 29, 1 << 30, (1 << 30) + 1, INT32_MAX}) {
        ExpectSameRescale(a, multiplier, shift);
      }
    }
    for (int i = 0; i < 3000; ++i) {
      // Small values too, because ties are among them.
      const int32_t a = static_cast<int32_t>(rng.Next()) >> rng.Range(0, 31);
      const int32_t multiplier =
          static_cast<int32_t>(rng.Next() >> 33) & ~((1 << rng.Range(0, 30)) - 1);
      ExpectSameRescale(a, multiplier, shift);
    }
  }
}

TEST(HlsArithmetic, AluIsThatOfTheSemantics) {
  Rng rng(kSeed);
  for (int op = kAluOpMin; op <= kAluOpMov; ++op) {
    const auto check = [&](int32_t a, int32_t b) {
      ASSERT_EQ(alu_result(op, a, b),
                tessera::isa::AluResult(static_cast<tessera::isa::AluOp>(op), a, b))
          << "op " << op << " of " << a << ", " << b;
    };
    for (int32_t a : kCorners) {
      for (int32_t b : kCorners) check(a, b);
    }
    for (int i = 0; i < 20000; ++i)
      check(static_cast<int32_t>(rng.Next()), static_cast<int32_t>(rng.Next()));
  }
}

TEST(HlsArithmetic, ClampIsThatOfTheSemantics) {
  for (int32_t y : kCorners) {
    for (int zero : {-128, -1, 0, 127}) {
      for (int lo : {-128, 0, 5}) {
        for (int hi : {-3, 127}) {
          ASSERT_EQ(clamped(y, zero, lo, hi), tessera::isa::ClampToInt8(y, zero, lo, hi));
        }
      }
    }
  }
}

// Adds 1 to random tiles; a write reaches the memory kWindowDepth steps later, as in a pipeline.
// Returns how many reads saw an old value.
int64_t StaleReads(bool with_window, uint64_t seed) {
  constexpr int kTiles = 6;
  Rng rng(seed);
  acc_window window;
  clear_window(&window);
  acc_tile stored[kTiles] = {};
  int64_t count[kTiles] = {};
  struct Write {
    int tile;
    acc_tile value;
  };
  std::deque<Write> late;
  int64_t stale = 0;
  for (int step = 0; step < 5000; ++step) {
    const int tile = static_cast<int>(rng.Range(0, kTiles - 1));
    acc_tile value;
    if (with_window) {
      look_up(window, tile, stored[tile], value);
    } else {
      for (int lane = 0; lane < kLanes; ++lane) value[lane] = stored[tile][lane];
    }
    for (int lane = 0; lane < kLanes; ++lane) stale += value[lane] != count[tile] ? 1 : 0;
    ++count[tile];
    Write write{.tile = tile, .value = {}};
    for (int lane = 0; lane < kLanes; ++lane) write.value[lane] = static_cast<int32_t>(count[tile]);
    shift_in(&window, tile, write.value);
    late.push_back(write);
    if (static_cast<int>(late.size()) < kWindowDepth) continue;
    std::copy(std::begin(late.front().value), std::end(late.front().value),
              std::begin(stored[late.front().tile]));
    late.pop_front();
  }
  return stale;
}

TEST(HlsWindow, HidesThatWritesArriveLate) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    EXPECT_EQ(StaleReads(true, seed), 0);
    EXPECT_GT(StaleReads(false, seed), 0);
  }
}

}  // namespace
