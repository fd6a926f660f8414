// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every index runs once, for counts and threads around each other.
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace tessera {
namespace {

TEST(ParallelFor, RunsEveryIndexOnce) {
  for (const int threads : {0, 1, 2, 7, 64}) {
    for (const int64_t count : {0, 1, 2, 63, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
      ParallelFor(count, threads, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
      for (const auto& n : runs) EXPECT_EQ(n, 1) << threads << " threads, " << count << " items";
    }
  }
}

TEST(ParallelFor, Nests) {
  std::atomic<int64_t> sum{0};
  ParallelFor(10, 3, [&](int64_t i) { ParallelFor(10, 2, [&](int64_t j) { sum += 10 * i + j; }); });
  EXPECT_EQ(sum, 4950);
}

}  // namespace
}  // namespace tessera
