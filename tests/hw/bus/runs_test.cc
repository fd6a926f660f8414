// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the burst cutter against boxes spelled out byte by byte: the bus words that it
// requests, in which order, in bursts that stay inside their blocks; one burst a cycle. Not tested
// here: which levels are contiguous (tests/hw/load), bus widths other than 64 bits.
#include <gtest/gtest.h>

#include <vector>

#include "Vtsr_runs.h"
#include "base/rng.h"
#include "tests/hw/common/bench.h"

namespace tessera::hw {
namespace {

constexpr uint64_t kBus = 8, kBlock = 16 * kBus;

struct Box {
  uint64_t addr, run_bytes, x_size, y_size, z_size, x_step, y_step, z_step;
  int level;  // 0: tiles are runs, 1: rows, 2: planes, 3: the box
};

Box RandomBox(Rng& rng) {
  Box b{};
  b.addr = static_cast<uint64_t>(rng.Range(0, 1 << 20));
  b.level = static_cast<int>(rng.Range(0, 3));
  b.x_size = rng.Range(1, 4);
  b.y_size = rng.Range(1, 3);
  b.z_size = rng.Range(1, 3);
  b.run_bytes = rng.OneIn(3) ? rng.Range(1, 1000) : rng.Range(1, 30);
  b.x_step = rng.Range(0, 300);
  b.y_step = rng.Range(0, 3000);
  b.z_step = rng.Range(0, 30000);
  return b;
}

// The bus words of every run, in order.
std::vector<uint64_t> Words(const Box& b) {
  std::vector<uint64_t> words;
  for (uint64_t z = 0; z < (b.level >= 3 ? 1 : b.z_size); ++z) {
    for (uint64_t y = 0; y < (b.level >= 2 ? 1 : b.y_size); ++y) {
      for (uint64_t x = 0; x < (b.level >= 1 ? 1 : b.x_size); ++x) {
        const uint64_t first = b.addr + z * b.z_step + y * b.y_step + x * b.x_step;
        for (uint64_t w = first / kBus; w <= (first + b.run_bytes - 1) / kBus; ++w)
          words.push_back(w * kBus);
      }
    }
  }
  return words;
}

void Offer(Bench<Vtsr_runs>& bench, const Box& b, uint32_t number) {
  bench->valid_i = 1;
  bench->addr_i = b.addr;
  bench->run_last_i = b.run_bytes - 1;
  bench->row_run_i = b.level >= 1;
  bench->plane_run_i = b.level >= 2;
  bench->box_run_i = b.level >= 3;
  bench->x_size_i = b.x_size;
  bench->y_size_i = b.y_size;
  bench->z_size_i = b.z_size;
  bench->x_step_i = b.x_step;
  bench->y_step_i = b.y_step;
  bench->z_step_i = b.z_step;
  bench->user_i = number;
}

void RunBoxes(uint64_t seed, bool stalls) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Rng rng(seed);
  std::vector<Box> boxes;
  for (int i = 0; i < 40; ++i) boxes.push_back(RandomBox(rng));
  Bench<Vtsr_runs> bench;
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench.Reset();
  size_t next = 0, done = 0;
  std::vector<uint64_t> got;
  uint64_t bursts = 0;
  const uint64_t begin = bench.cycle();
  while (done < boxes.size()) {
    ASSERT_LT(bench.cycle() - begin, 100'000u);
    if (!bench->valid_i && next < boxes.size() && (!stalls || rng.OneIn(2))) {
      Offer(bench, boxes[next], static_cast<uint32_t>(next));
    }
    bench->ready_i = !stalls || rng.OneIn(2);
    bench.Settle();
    const bool in = bench->valid_i && bench->ready_o;
    if (bench->valid_o && bench->ready_i) {
      ++bursts;
      const uint64_t beats = bench->len_o + 1u;
      ASSERT_EQ(bench->addr_o / kBlock, (bench->addr_o + beats * kBus - 1) / kBlock)
          << "leaves its block";
      ASSERT_EQ(bench->user_o, done);
      for (uint64_t w = 0; w < beats; ++w) got.push_back(bench->addr_o + w * kBus);
      if (bench->last_o) {
        ASSERT_EQ(got, Words(boxes[done])) << "box " << done;
        got.clear();
        ++done;
      }
    }
    bench.Edge();
    if (in) {
      bench->valid_i = 0;
      ++next;
    }
  }
  if (!stalls) {
    EXPECT_LE(bench.cycle() - begin, bursts + 2);
  }
}

TEST(Runs, EveryWordOnceInOrder) {
  for (uint64_t seed = 1; seed <= 100; ++seed) RunBoxes(seed, true);
}

TEST(Runs, ABurstACycleFromBoxToBox) {
  for (uint64_t seed = 1; seed <= 20; ++seed) RunBoxes(seed, false);
}

}  // namespace
}  // namespace tessera::hw
