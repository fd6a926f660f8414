// SPDX-License-Identifier: Apache-2.0
//
// What is tested: worker processes: each piece of work is done once and its result comes back
// whole, whatever its length; a crash, a failed check, an exit and a piece without end are reported
// with the last line that the process printed, and the rest is done all the same; an isolated
// process answers many requests and is made anew only after such an end; where the system makes no
// process, the end says so; several threads have processes of their own at a time, which may make
// processes. Space: 1 to 4 processes, 200 pieces. Not tested here: how `tessera regress` and
// `tessera tune` use them (tests/tools).
#include "base/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

#include "base/check.h"

namespace tessera::workers_test {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

std::map<int64_t, WorkEnd> RunPieces(int jobs, int64_t pieces, seconds limit,
                                     const Workers::PieceWork& work) {
  std::map<int64_t, WorkEnd> ends;
  int64_t given = 0;
  Workers(jobs, limit, work)
      .Run(
          [&]() -> std::optional<int64_t> {
            return given < pieces ? std::optional(given++) : std::nullopt;
          },
          [&](int64_t piece, WorkEnd end) {
            EXPECT_TRUE(ends.emplace(piece, std::move(end)).second) << piece << " ended twice";
          },
          [] {});
  return ends;
}

TEST(Workers, EveryPieceEndsOnceWithItsResult) {
  for (int jobs = 1; jobs <= 4; ++jobs) {
    const auto ends = RunPieces(jobs, 200, seconds(60), [](int64_t piece) {
      return std::string(static_cast<size_t>(piece * piece * 10),
                         static_cast<char>('a' + piece % 26));
    });
    ASSERT_EQ(ends.size(), 200u);
    for (const auto& [piece, end] : ends) {
      EXPECT_EQ(end.crash, "");
      EXPECT_EQ(end.bytes, std::string(static_cast<size_t>(piece * piece * 10),
                                       static_cast<char>('a' + piece % 26)));
    }
  }
}

TEST(Workers, CrashesAreResults) {
  const auto ends = RunPieces(2, 40, seconds(60), [](int64_t piece) -> std::string {
    if (piece % 10 == 3) std::raise(SIGKILL);
    if (piece % 10 == 5) TESSERA_CHECK(piece < 0, "piece {}", piece);
    if (piece % 10 == 7) _exit(9);
    return "done";
  });
  ASSERT_EQ(ends.size(), 40u);
  for (const auto& [piece, end] : ends) {
    SCOPED_TRACE(piece);
    if (piece % 10 == 3) {
      EXPECT_EQ(end.crash, "ended by signal 9 (Killed)");
    } else if (piece % 10 == 5) {
      EXPECT_THAT(end.crash, HasSubstr("ended by signal 6 (Aborted)"));
      EXPECT_THAT(end.crash, HasSubstr("piece " + std::to_string(piece)));
    } else if (piece % 10 == 7) {
      EXPECT_EQ(end.crash, "ended with exit code 9");
    } else {
      EXPECT_EQ(end.bytes, "done");
    }
  }
}

TEST(Workers, WhatDoesNotEndIsEnded) {
  const auto ends = RunPieces(2, 4, seconds(1), [](int64_t piece) -> std::string {
    while (piece == 1) usleep(1000);
    return "done";
  });
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends.at(1).crash, "took more than 1 s");
  for (const int64_t piece : {0, 2, 3}) EXPECT_EQ(ends.at(piece).bytes, "done");
}

TEST(Isolated, KeepsItsProcessUntilARequestEndsIt) {
  int asked = 0;  // counts in the child process
  IsolatedProcess process(seconds(1), [&](const std::string& request) -> std::string {
    if (request == "exit") _exit(4);
    while (request == "hang") usleep(1000);
    return request + std::to_string(++asked);
  });
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(process.Ask("a").bytes, "a1");
  EXPECT_EQ(process.Ask(large).bytes, large + "2");
  EXPECT_EQ(process.Ask("exit").crash, "ended with exit code 4");
  EXPECT_EQ(process.Ask("").bytes, "1");
  EXPECT_EQ(process.Ask("hang").crash, "took more than 1 s");
  EXPECT_EQ(process.Ask("b").bytes, "b1");
  EXPECT_EQ(process.Ask("c").bytes, "c2");
  EXPECT_EQ(asked, 0);
}

TEST(Isolated, OnePieceAlone) {
  EXPECT_EQ(RunIsolated([] { return std::string("x"); }, seconds(60)).bytes, "x");
  EXPECT_EQ(RunIsolated([]() -> std::string { _exit(4); }, seconds(60)).crash,
            "ended with exit code 4");
}

TEST(Isolated, SaysInNumbersHowItEnded) {
  const WorkEnd killed = RunIsolated(
      []() -> std::string {
        std::raise(SIGSEGV);
        return "";
      },
      seconds(60));
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_FALSE(killed.late);
  const WorkEnd late = RunIsolated(
      []() -> std::string {
        while (true) usleep(1000);
      },
      seconds(1));
  EXPECT_TRUE(late.late);
  EXPECT_EQ(late.signal, 0);
}

// Without another file, the system makes no pipe to a process.
TEST(Isolated, SaysThatNoProcessCanBeMade) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const WorkEnd end = RunIsolated([] { return std::string("x"); }, seconds(60));
  const auto ends = RunPieces(2, 3, seconds(60), [](int64_t) { return std::string("done"); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(end.unmade);
  EXPECT_EQ(end.crash, "no process can be made: Too many open files");
  ASSERT_EQ(ends.size(), 3u);
  for (const auto& [piece, one] : ends) EXPECT_TRUE(one.unmade) << piece;
  EXPECT_FALSE(RunIsolated([] { return std::string("x"); }, seconds(60)).unmade);
}

// A process that ends is noticed at once, although other threads make processes at the same time.
TEST(Isolated, ThreadsHaveProcessesOfTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (int& mine : good) {
    threads.emplace_back([&mine] {
      for (int k = 0; k < 25; ++k) {
        IsolatedProcess process(seconds(30), [](const std::string& request) -> std::string {
          if (request == "abort") std::abort();
          return RunIsolated([&] { return request + "!"; }, seconds(30)).bytes;
        });
        mine += process.Ask("a").bytes == "a!" && process.Ask("abort").signal == SIGABRT &&
                process.Ask("b").bytes == "b!";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 25));
}

}  // namespace
}  // namespace tessera::workers_test
