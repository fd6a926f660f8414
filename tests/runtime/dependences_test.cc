// SPDX-License-Identifier: Apache-2.0
//
// Dependences against brute force: random lists of tasks with random ranges in up to three
// memories. Two tasks conflict if some byte is written by one and used by the other. The
// dependences and the conflicts must order the same pairs of tasks, and no dependence may be
// without a conflict.
#include "runtime/executor/dependences.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera::dependences_test {
namespace {

constexpr uint64_t kBytes = 24;  // of a memory

bool Uses(const std::vector<ByteRange>& ranges, uint32_t memory, uint64_t byte) {
  for (const ByteRange& r : ranges)
    if (r.memory == memory && r.begin <= byte && byte < r.end) return true;
  return false;
}

bool Conflict(const Access& a, const Access& b) {
  for (uint32_t memory = 0; memory < 3; ++memory) {
    for (uint64_t byte = 0; byte < kBytes; ++byte) {
      const bool a_writes = Uses(a.writes, memory, byte), b_writes = Uses(b.writes, memory, byte);
      if (a_writes && (b_writes || Uses(b.reads, memory, byte))) return true;
      if (b_writes && Uses(a.reads, memory, byte)) return true;
    }
  }
  return false;
}

using Pairs = std::vector<std::vector<bool>>;  // [later][earlier]

// The pairs that |pairs| orders, also through tasks between them.
Pairs Closure(Pairs pairs) {
  const size_t n = pairs.size();
  for (size_t t = 0; t < n; ++t) {
    for (size_t u = t; u-- > 0;) {
      for (size_t v = 0; v < u && pairs[t][u]; ++v) {
        if (pairs[u][v]) pairs[t][v] = true;
      }
    }
  }
  return pairs;
}

std::vector<Access> RandomTasks(std::mt19937& rng) {
  std::vector<Access> tasks(1 + rng() % 14);
  for (Access& task : tasks) {
    for (std::vector<ByteRange>* ranges : {&task.reads, &task.writes}) {
      for (size_t k = rng() % 3; k > 0; --k) {
        const uint64_t begin = rng() % kBytes, bytes = rng() % 9;
        ranges->push_back(
            {static_cast<uint32_t>(rng() % 3), begin, std::min<uint64_t>(begin + bytes, kBytes)});
      }
    }
  }
  return tasks;
}

TEST(Dependences, OrderWhatConflictsAndNothingElse) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const std::vector<Access> tasks = RandomTasks(rng);
    const size_t n = tasks.size();
    Pairs conflicts(n, std::vector<bool>(n)), found(n, std::vector<bool>(n));
    const std::vector<std::vector<uint32_t>> after = Dependences(tasks);
    ASSERT_EQ(after.size(), n);
    for (size_t t = 0; t < n; ++t) {
      for (size_t u = 0; u < t; ++u) conflicts[t][u] = Conflict(tasks[t], tasks[u]);
      for (size_t k = 0; k < after[t].size(); ++k) {
        const uint32_t u = after[t][k];
        ASSERT_LT(u, t);
        ASSERT_TRUE(k == 0 || after[t][k - 1] < u);
        EXPECT_TRUE(conflicts[t][u]) << t << " after " << u;
        found[t][u] = true;
      }
    }
    ASSERT_EQ(Closure(found), Closure(conflicts));
  }
}

TEST(Dependences, KeepWritesBehindReadsOfTheOldValue) {
  // 0 writes [0, 8), 1 reads [0, 4), 2 writes [2, 6), 3 reads [6, 8) and [2, 3).
  const std::vector<Access> tasks{
      {{}, {{0, 0, 8}}}, {{{0, 0, 4}}, {}}, {{}, {{0, 2, 6}}}, {{{0, 6, 8}, {0, 2, 3}}, {}}};
  const std::vector<std::vector<uint32_t>> want{{}, {0}, {0, 1}, {0, 2}};
  EXPECT_EQ(Dependences(tasks), want);
}

}  // namespace
}  // namespace tessera::dependences_test
