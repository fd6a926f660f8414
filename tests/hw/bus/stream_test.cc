// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tsr_skid and tsr_fifo against a queue, under every mix of slow and fast senders
// and receivers; neither has a combinational path from input to output; both pass one beat a cycle.
// Not tested here: widths other than the modules' own defaults.
#include <gtest/gtest.h>

#include <deque>

#include "Vtsr_fifo.h"
#include "Vtsr_skid.h"
#include "base/rng.h"
#include "tests/hw/common/bench.h"

namespace tessera::hw {
namespace {

// Sends |beats| beats; the sender offers in |send| of 8 cycles, the receiver takes in |take| of 8.
template <typename Top>
uint64_t Stream(size_t room, int send, int take, uint64_t seed, size_t beats) {
  Bench<Top> bench;
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench.Reset();
  Rng rng(seed);
  std::deque<uint32_t> inside;
  size_t sent = 0, got = 0;
  const uint64_t begin = bench.cycle();
  while (got < beats && bench.cycle() < begin + 100 * beats) {
    if (!bench->valid_i && sent < beats && rng.Range(0, 7) < send) {
      bench->valid_i = 1;
      bench->data_i = static_cast<uint32_t>(rng.Next());
    }
    bench->ready_i = rng.Range(0, 7) < take;
    bench.Settle();
    // Ready and valid depend on the beats inside alone, not on the other side in this cycle.
    EXPECT_EQ(static_cast<bool>(bench->ready_o), inside.size() < room);
    EXPECT_EQ(static_cast<bool>(bench->valid_o), !inside.empty());
    if (!inside.empty()) {
      EXPECT_EQ(bench->data_o, inside.front());
    }
    const bool in = bench->valid_i && bench->ready_o;
    if (bench->valid_o && bench->ready_i) {
      inside.pop_front();
      ++got;
    }
    if (in) {
      inside.push_back(bench->data_i);
      ++sent;
    }
    bench.Edge();
    if (in) bench->valid_i = 0;
  }
  EXPECT_EQ(got, beats);
  return bench.cycle() - begin;
}

TEST(Streams, BeatsLeaveInOrderAtEveryPace) {
  uint64_t seed = 0;
  for (int send : {1, 4, 7, 8}) {
    for (int take : {1, 4, 7, 8}) {
      SCOPED_TRACE(::testing::Message()
                   << "send " << send << " take " << take << " of 8, seed " << seed);
      Stream<Vtsr_skid>(2, send, take, ++seed, 500);
      Stream<Vtsr_fifo>(16, send, take, ++seed, 500);
    }
  }
}

TEST(Streams, ABeatACycle) {
  EXPECT_EQ((Stream<Vtsr_skid>(2, 8, 8, 1, 1000)), 1001u);
  EXPECT_EQ((Stream<Vtsr_fifo>(16, 8, 8, 1, 1000)), 1001u);
}

}  // namespace
}  // namespace tessera::hw
