// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every refusal of prefetch, by the step itself and by a later step that would
// leave nothing to fetch; the targets that have none. Not tested here: what is asked for
// (tests/compiler/lower/prefetch_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "compiler/target/cuda.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule::prefetch_test {
namespace {

using Index = std::vector<ir::Expr>;

// x -> a (elementwise) -> s (row sums) -> y; b is an input that nothing but y reads.
te::Tensor Sums() {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6}),
                   b = te::Placeholder("b", DType::kInt32, {4});
  const te::Tensor a =
      te::Compute("a", {4, 6}, {"i", "j"}, [&](const Index& i) { return x(i) + 1; });
  const te::Axis k = te::ReduceAxis("k", 6);
  const te::Tensor s =
      te::Compute("s", {4}, {"i"}, [&](const Index& i) { return te::Sum(a(i[0], k.var), {k}); });
  return te::Compute("y", {4}, {"i"}, [&](const Index& i) { return s(i[0]) + b(i[0]); });
}

struct Bad {
  const char* before;  // legal
  const char* step;
  const char* message;
};

TEST(Prefetch, RefusalsSayWhatIsNotThere) {
  const Bad kBad[] = {
      {"", "prefetch q a i 1", "no stage 'q'; there are: x"},
      {"", "prefetch x q i 1", "no stage 'q'"},
      {"", "prefetch x x i 1", "'x' is an input and has no loops"},
      {"", "prefetch x a q 1", "stage a has no loop 'q'; its loops are: i j"},
      {"", "prefetch x a i -1", "a factor of -1 is below 0"},
      {"", "prefetch x a i $d", "no decision 'd'"},
      {"", "prefetch x y i 1", "x cannot be prefetched in loop i of y: nothing in it reads that"},
      {"", "prefetch s s i 1",
       "s cannot be prefetched in loop i of s: it is computed there; choose a loop further in"},
      {"compute_at a s i\n", "prefetch a s i 1",
       "a cannot be prefetched in loop i of s: it is comp"},
      {"inline a\n", "prefetch a s i 1", "a cannot be prefetched in loop i of s: it was inlined"},
      {"set_scope a acc\n", "prefetch a s i 1", "it is in acc, not in global memory"},
      {"vectorize a j\n", "prefetch x a j 1", "loop j is a vector, whose iterations are one"},
      {"", "prefetch x a i 1 at a i", "'at': only 'of OUTER LOOP' may follow"},
      {"", "prefetch x a i 1 of q i", "no stage 'q'"},
      {"", "prefetch x a i 1 of a q", "stage a has no loop 'q'; its loops are: i j"},
      {"", "prefetch x a i 1 of y i",
       "x cannot be prefetched in loop i of a: loop i of y is not around it"},
      {"", "prefetch x a i 1 of a j",
       "x cannot be prefetched in loop i of a: loop j of a is not around it"},
      // Later steps.
      {"prefetch x a i 1\n", "split a i 2 o n", "that loop is no longer there"},
      {"prefetch x a i 1\n", "inline a", "x cannot be prefetched in loop i of a: that loop is no"},
      {"compute_at a s i\nprefetch x a j 1 of s i\n", "compute_at a root",
       "x cannot be prefetched in loop j of a: loop i of s is not around it"},
      {"compute_at a s i\nprefetch x a j 1 of s i\n", "split s i 2 o n",
       "a is computed at loop i of s, which would be gone"},
      {"prefetch a s i 1\n", "inline a", "a cannot be prefetched in loop i of s: it was inlined"},
      {"prefetch a s i 1\n", "compute_at a s i", "it is computed there"},
      {"prefetch a s i 1\n", "set_scope a local", "it is in local, not in global memory"},
      {"prefetch x a i 1\n", "cache_read x global c a", "nothing in it reads that"},
      {"prefetch x a i 1\n", "vectorize a i", "loop i is a vector"},
      {"prefetch x a i 1\n", "prepare a", "the caller computes that stage"},
  };
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(std::string(bad.before) + bad.step);
    Schedule s = *Schedule::Create({Sums()});
    ASSERT_TRUE(s.Apply(bad.before).has_value());
    const test::ScheduleState before = s;
    const Status status = s.Apply(std::string(bad.step));
    ASSERT_FALSE(status.has_value());
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
    EXPECT_EQ(test::StateDifference(before, s), "");
  }
}

TEST(Prefetch, WhatIsReadInsideCounts) {
  Schedule s = *Schedule::Create({Sums()});
  // a reads x, inside s, inside y.
  ASSERT_TRUE(s.Apply("compute_at s y i\ncompute_at a s i\nprefetch x y i 1\nprefetch b y i 2\n"));
  EXPECT_EQ(s.Find("y")->prefetches.size(), 2u);
  ASSERT_TRUE(s.Apply("split s k 3 o n\nreorder y i"));
  EXPECT_FALSE(s.Apply("cache_read x local c a"));  // comes first: the copy is what reads
  EXPECT_FALSE(s.Apply("rfactor s k part"));
}

// Rows of y do not change what is read of u and t.
TEST(Prefetch, WhatAnIterationReadsHasToDiffer) {
  const te::Tensor u = te::Placeholder("u", DType::kInt32, {6});
  const te::Tensor t = te::Compute("t", {6}, {"j"}, [&](const Index& i) { return u(i[0]) + 1; });
  const te::Tensor y = te::Compute("y", {8, 6}, {"i", "j"}, [&](const Index& i) {
    return t(i[1]) + ir::Cast(DType::kInt32, i[0]);
  });
  const auto message = [&](const std::string& before, const std::string& step) {
    Schedule s = *Schedule::Create({y});
    EXPECT_TRUE(s.Apply(before)) << before;
    const Status status = s.Apply(step);
    return status ? "ok" : status.error().message.substr(status.error().message.find(": ") + 2);
  };
  const auto same = [](const char* tensor, const char* loop) {
    return fmt::format(
        "{} cannot be prefetched in loop {}: what is computed there reads the same of it each "
        "time; choose a loop whose iterations differ",
        tensor, loop);
  };
  EXPECT_EQ(message("", "prefetch t y i 1"), same("t", "i of y"));
  EXPECT_EQ(message("", "prefetch t y j 1"), "ok");
  EXPECT_EQ(message("", "prefetch t y j 1 of y i"), same("t", "j of y"));
  EXPECT_EQ(message("split y j 2 o n\nreorder y o i n\n", "prefetch t y i 1"), same("t", "i of y"));
  EXPECT_EQ(message("split y j 2 o n\nreorder y o i n\n", "prefetch t y i 1 of y o"), "ok");
  EXPECT_EQ(message("fuse y i j f\n", "prefetch t y f 1"), "ok");
  // Through a stage that is computed there.
  EXPECT_EQ(message("compute_at t y i\n", "prefetch u y i 1"), same("u", "i of y"));
  EXPECT_EQ(message("compute_at t y i\n", "prefetch u t j 1 of y i"), same("u", "j of t"));
  EXPECT_EQ(message("compute_at t y j\n", "prefetch u t j 1 of y j"), "ok");
  EXPECT_EQ(message("reorder y j i\ncompute_at t y j\n", "prefetch u y j 1"), "ok");
}

TEST(Prefetch, InsideOfAnInstructionIsRefused) {
  target::Target target = *target::Interpreter();
  const te::Tensor p = te::Placeholder("p", DType::kInt32, {6});
  target.intrinsics = {
      {.name = "add.row",
       .call = "add.row",
       .behaviour = te::Compute("out", {6}, {"j"}, [&](const Index& j) { return p(j[0]) + 1; })}};
  Schedule s = *Schedule::Create({Sums()}, std::make_shared<const target::Target>(target));
  ASSERT_TRUE(s.Apply("prefetch x a i 1\ntensorize a j add.row"));
  const Status inside = s.Apply("prefetch x a j 1");
  ASSERT_FALSE(inside);
  EXPECT_NE(inside.error().message.find("from j on it is one instruction"), std::string::npos)
      << inside.error().message;
}

TEST(Prefetch, GpusHaveNone) {
  for (const auto& target : {target::Gpu(), target::Cuda()}) {
    Schedule s = *Schedule::Create({Sums()}, target);
    const Status status = s.Apply("prefetch x a i 1");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kUnsupported);
    EXPECT_NE(
        status.error().message.find(target->name + " has no cache that a program fills ahead; "
                                                   "cache_read makes a copy"),
        std::string::npos)
        << status.error().message;
  }
  EXPECT_TRUE(Schedule::Create({Sums()}, target::Host())->Apply("prefetch x a i 1"));
}

}  // namespace
}  // namespace tessera::schedule::prefetch_test
