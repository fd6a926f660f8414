// SPDX-License-Identifier: Apache-2.0
//
// The threads of parallel loops: each iteration is done once whatever the number of threads, by
// threads with memory of their own; nested loops stay on their thread; more threads than the
// processor set holds are refused; a refusal by the system is reported. Space: 1 to 4 threads as
// far as this process may use them, 0 to 1000 iterations, 2,000 consecutive loops, which find
// threads awake and asleep. Not tested here: loops that a compiler makes (tests/compiler/llvm).
#include "runtime/host/threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

namespace tessera::threads_test {
namespace {

using Body = std::function<void(void* scratch, int64_t begin, int64_t end)>;

void Loop(int64_t iterations, Body body, void* scratch = nullptr, int64_t scratch_bytes = 0) {
  tessera_parallel([](void* context, void* memory, int64_t begin,
                      int64_t end) { (*static_cast<Body*>(context))(memory, begin, end); },
                   &body, iterations, scratch, scratch_bytes);
}

int MostThreads() { return std::min(4, AllowedProcessors()); }

TEST(HostThreads, EveryIterationIsDoneOnce) {
  for (int threads = 0; threads <= MostThreads(); ++threads) {  // 0: no pool
    std::unique_ptr<HostThreads> pool;
    if (threads > 0) pool = *HostThreads::Make(threads);
    const UseThreads use(pool.get());
    for (int round = 0; round < 2000; ++round) {
      const int64_t iterations = round % 7 == 0 ? 1000 : round % 11;
      std::vector<std::atomic<int>> done(static_cast<size_t>(iterations));
      Loop(iterations, [&](void*, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
      });
      for (const std::atomic<int>& n : done) ASSERT_EQ(n.load(), 1) << threads << " threads";
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

TEST(HostThreads, ThreadsHaveScratchMemoryOfTheirOwn) {
  constexpr int64_t kBytes = 1000;
  const auto pool = *HostThreads::Make(MostThreads());
  const UseThreads use(pool.get());
  alignas(64) std::array<std::byte, kBytes> mine;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> wrong = 0;
    Loop(
        64,
        [&](void* scratch, int64_t begin, int64_t) {
          if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0) ++wrong;
          auto* bytes = static_cast<unsigned char*>(scratch);
          std::fill_n(bytes, kBytes, static_cast<unsigned char>(begin));
          for (int64_t i = 0; i < kBytes; ++i) {
            if (bytes[i] != static_cast<unsigned char>(begin)) ++wrong;
          }
        },
        mine.data(), kBytes);
    ASSERT_EQ(wrong.load(), 0);
  }
}

TEST(HostThreads, ALoopInALoopIsItsThreads) {
  const auto pool = *HostThreads::Make(MostThreads());
  const UseThreads use(pool.get());
  std::atomic<int> done = 0, elsewhere = 0;
  Loop(32, [&](void*, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::thread::id self = std::this_thread::get_id();
      Loop(8, [&](void*, int64_t b, int64_t e) {
        done += static_cast<int>(e - b);
        if (std::this_thread::get_id() != self) ++elsewhere;
      });
    }
  });
  EXPECT_EQ(done.load(), 32 * 8);
  EXPECT_EQ(elsewhere.load(), 0);
}

TEST(HostThreads, RefusesThreadsThatTheProcessorSetDoesNotHold) {
  const int most = AllowedProcessors();
  for (const int threads : {0, -1, most + 1}) {
    const auto pool = HostThreads::Make(threads);
    ASSERT_FALSE(pool) << threads;
    EXPECT_EQ(pool.error().code, Code::kOutOfRange);
    EXPECT_NE(pool.error().message.find(std::to_string(threads) + " threads for host code"),
              std::string::npos)
        << pool.error().message;
  }
  // A thread limited to one processor.
  std::thread([] {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    EXPECT_EQ(AllowedProcessors(), 1);
    const auto pool = HostThreads::Make(2);
    ASSERT_FALSE(pool);
    EXPECT_NE(pool.error().message.find("may use 1 processor ("), std::string::npos);
  }).join();
}

// Runs in a process whose threads have stacks larger than the address space.
TEST(HostThreads, SayWhenTheSystemRefusesAThread) {
  if (AllowedProcessors() < 2) GTEST_SKIP() << "one processor: no other thread is asked for";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pthread_attr_t large;
    constexpr size_t kBytes = std::numeric_limits<size_t>::max() >> 1 & ~size_t{0xffff};
    if (pthread_attr_init(&large) != 0 || pthread_attr_setstacksize(&large, kBytes) != 0 ||
        pthread_setattr_default_np(&large) != 0)
      _exit(2);
    const auto pool = HostThreads::Make(2);
    const bool told = !pool && pool.error().code == Code::kUnavailable &&
                      pool.error().message ==
                          "the system refuses thread 2 of 2 for host code; ask for fewer, or raise "
                          "the limit (ulimit -u, ulimit -v)";
    _exit(told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tessera::threads_test
