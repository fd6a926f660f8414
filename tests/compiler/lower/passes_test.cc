// SPDX-License-Identifier: Apache-2.0
//
// What is tested: BuildLoops and every pass of the lowering keep what te::Evaluate computes. Space:
// 480 random expressions (windows with pads, strides, dilation and groups, products, regrouped
// indices) under random schedules of up to 24 steps; the interpreter runs the function after each
// pass; the first and the last text round-trip through the parser. Not tested here: tensorize
// (tensorize_test), code generation (tests/compiler/llvm).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "compiler/ir/equal.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::lower {
namespace {

// "" if the text of |func| reads back as the same function.
std::string RoundTripDifference(const ir::Func& func) {
  const std::string text = ir::Print(func);
  const Result<ir::Func> again = ir::ParseFunc(text);
  if (!again) return again.error().message + "\n" + text;
  const bool same = ir::Equal(func, *again) && ir::Hash(func) == ir::Hash(*again);
  return same && text == ir::Print(*again) ? "" : text + ir::Print(*again);
}

// Every pass keeps the meaning of |program|. |lowered| counts those that could be built.
std::string PassDifference(const test::ScheduledProgram& program, int* lowered) {
  Result<ir::Func> built = BuildLoops(program.schedule, "f");
  if (!built) {  // the one thing a legal step can make wrong later: a reader out of reach
    const bool known = built.error().message.find("computed") != std::string::npos;
    return known ? "" : built.error().message;
  }
  ++*lowered;
  struct Pass {
    const char* name;
    std::function<ir::Func(const ir::Func&)> run;
  };
  const Pass kPasses[] = {{"build", [](const ir::Func& f) { return f; }},
                          {"simplify", [](const ir::Func& f) { return ir::Simplify(f); }},
                          {"hoist", HoistGuards},
                          {"threads", [](const ir::Func& f) { return InterleaveThreads(f); }},
                          {"layouts", ResolveLayouts},
                          {"peel", PeelGuards},
                          {"cut", CutSelects},
                          {"vectorize", [](const ir::Func& f) { return Vectorize(f, 8); }},
                          {"simplify vectors", [](const ir::Func& f) { return ir::Simplify(f); }},
                          {"unroll", [](const ir::Func& f) { return ir::Simplify(Unroll(f)); }}};
  ir::Func f = *built;
  for (const Pass& pass : kPasses) {
    f = pass.run(f);
    std::string why = test::DifferenceOf(program, f);
    if (why.empty() && (pass.name == kPasses[0].name || pass.name == std::end(kPasses)[-1].name))
      why = RoundTripDifference(f);
    if (!why.empty()) return std::string(pass.name) + ": " + why;
  }
  return "";
}

class LowerPasses : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LowerPasses, EveryPassKeepsTheMeaning) {
  int lowered = 0;
  const test::SearchResult found = test::FindDifference(
      [&](const test::ScheduledProgram& p) { return PassDifference(p, &lowered); },
      {.seed = GetParam() * 1000, .programs = 40});
  EXPECT_FALSE(found.difference.has_value()) << *found.difference;
  EXPECT_GE(lowered * 4, static_cast<int>(found.programs) * 3) << "few could be built";
  if (found.programs < 40) return;
  EXPECT_GE(found.kinds.size(), 15u) << "most kinds of step were never legal";
}

// A search that is given a wrong back end finds it, and keeps only the steps that show it.
TEST(LowerSearch, ADifferenceIsMadeShort) {
  const auto wrong = [](const test::ScheduledProgram& p) -> std::string {
    bool fused = false, vector = false;
    for (const schedule::Step& step : p.schedule.trace()) {
      fused |= std::holds_alternative<schedule::FuseStep>(step);
      vector |= std::holds_alternative<schedule::VectorizeStep>(step);
    }
    return fused && vector ? "both are there" : "";
  };
  const test::SearchResult found = test::FindDifference(wrong, {.seed = 5, .programs = 200});
  ASSERT_TRUE(found.difference.has_value());
  const std::string& text = *found.difference;
  EXPECT_NE(text.find("seed "), std::string::npos);
  EXPECT_NE(text.find("both are there"), std::string::npos);
  EXPECT_LE(std::ranges::count(text.substr(text.find("fuse ")), '\n'), 4) << text;
}

// What follows a loop is computed on a box; where boxes of two iterations share elements, as those
// of a part of a row and the next row do, the iterations may not run at the same time.
TEST(LowerParallel, FollowersWhoseBoxesMeetAreRefused) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  const te::Tensor a =
      te::Compute("a", {4, 6}, {"i", "j"}, [&](const auto& i) { return x(i) * 2; });
  const te::Tensor y =
      te::Compute("y", {4, 6}, {"i", "j"}, [&](const auto& i) { return a(i) + 1; });
  const auto build = [&](const char* steps) -> std::string {
    Result<schedule::Schedule> s = schedule::Schedule::Create({y});
    const Status applied = s->Apply(steps);
    EXPECT_TRUE(applied) << applied.error().message;
    const Result<ir::Func> f = BuildLoops(*s, "f");
    return f ? "ok" : f.error().message;
  };
  const std::string meet = "fuse a i j f\nsplit a f 4 o n\nreverse_compute_at y a o\n";
  EXPECT_EQ(
      build((meet + "parallel a o").c_str()),
      "loop o of a is parallel, and two of its iterations may store to one element of y, whose "
      "stage is computed behind what the loop holds; mark a loop of y that is a dimension of "
      "it, or a part of one");
  EXPECT_EQ(build(meet.c_str()), "ok");
  EXPECT_EQ(build("split a i 2 o n\nreverse_compute_at y a o\nparallel a o"), "ok");
  EXPECT_EQ(build("fuse a i j f\nsplit a f 4 o n\nparallel a o"), "ok");
}

// A drain in the last chunk of a split reduction: what follows a product's loops runs on a tile
// when its sums are complete, with the tile's buffers where the product's are.
TEST(LowerFollow, TheDrainRunsInTheLastChunk) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6}),
                   w = te::Placeholder("w", DType::kInt32, {4, 6});
  const te::Axis k = te::ReduceAxis("k", 6);
  const te::Tensor sum = te::Compute("sum", {4, 4}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(x(i[0], k.var) * w(i[1], k.var), {k});
  });
  const te::Tensor y =
      te::Compute("y", {4, 4}, {"i", "j"}, [&](const auto& i) { return sum(i) + 7; });
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  ASSERT_TRUE(s);
  const Status applied = s->Apply(
      "cache_write y out y.o\nsplit y i 2 i.o i.i\nsplit sum j 2 j.o j.i\nsplit sum k 3 k.o k.i\n"
      "reorder sum k.o j.o i j.i k.i\ncompute_at y.o y i.o\ncompute_at sum y i.o\n"
      "reverse_compute_at y.o sum j.o\n");
  ASSERT_TRUE(applied) << applied.error().message;
  const Result<ir::Func> f = BuildLoops(*s, "f");
  ASSERT_TRUE(f) << f.error().message;
  EXPECT_EQ(ir::Print(ir::Simplify(*f)), R"(func f(x: i32[4, 6] global,
     w: i32[4, 6] global,
     y: i32[4, 4] global) {
  for i.o in [0, 2) {
    alloc sum: i32[2, 4] global {
      alloc y.o: i32[2, 4] out {
        for j.o in [0, 2) {
          for i in [0, 2) {
            for j.i in [0, 2) {
              sum[i, ((j.o * 2) + j.i)] = 0i32;
            }
          }
        }
        for k.o in [0, 2) {
          for j.o_1 in [0, 2) {
            for i_1 in [0, 2) {
              for j.i_1 in [0, 2) {
                for k.i in [0, 3) {
                  sum[i_1, ((j.o_1 * 2) + j.i_1)] = (sum[i_1, ((j.o_1 * 2) + j.i_1)] + (x[((i.o * 2) + i_1), ((k.o * 3) + k.i)] * w[((j.o_1 * 2) + j.i_1), ((k.o * 3) + k.i)]));
                }
              }
            }
            if (k.o == 1) {
              for i_2 in [0, 2) {
                for j in [0, 2) {
                  y.o[i_2, ((j.o_1 * 2) + j)] = (sum[i_2, ((j.o_1 * 2) + j)] + 7i32);
                }
              }
            }
          }
        }
        for i.i in [0, 2) {
          for j_1 in [0, 4) {
            y[((i.o * 2) + i.i), j_1] = y.o[i.i, j_1];
          }
        }
      }
    }
  }
}
)");
}

// Where a condition skips the last iteration of a reduction, nothing can wait for it there.
TEST(LowerFollow, ASkippedLastIterationIsRefused) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 5});
  const te::Axis k = te::ReduceAxis("k", 5);
  const te::Tensor sum =
      te::Compute("sum", {4}, {"i"}, [&](const auto& i) { return te::Sum(x(i[0], k.var), {k}); });
  const te::Tensor y = te::Compute("y", {4}, {"i"}, [&](const auto& i) { return sum(i) + 7; });
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  ASSERT_TRUE(s);
  ASSERT_TRUE(
      s->Apply("split sum k 2 k.o k.i\nreorder sum k.o k.i i\nreverse_compute_at y sum i\n"));
  const Result<ir::Func> f = BuildLoops(*s, "f");
  ASSERT_FALSE(f);
  EXPECT_NE(f.error().message.find("y is computed in the last iteration of the reductions of sum, "
                                   "which a condition skips; choose factors that divide them"),
            std::string::npos)
      << f.error().message;
}

// What is too much to be written out is a serial loop: a back end would not know where to stop.
TEST(LowerUnroll, WhatIsTooMuchStaysALoop) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {64, 64});
  const te::Tensor y =
      te::Compute("y", {64, 64}, {"i", "j"}, [&](const auto& i) { return x(i) + 7; });
  const auto unrolled = [&](int64_t most) {
    Result<schedule::Schedule> s = schedule::Schedule::Create({y});
    EXPECT_TRUE(s->Apply("unroll y i\nunroll y j\n"));
    const ir::Func f = Unroll(*BuildLoops(*s, "f"), most);
    EXPECT_EQ(ir::Print(f).find("unroll"), std::string::npos);
    return f;
  };
  EXPECT_EQ(ir::CountWork(unrolled(4096).body), 4096);
  EXPECT_EQ(ir::CountWork(unrolled(4095).body), 64);
  EXPECT_EQ(unrolled(4095).body->loop, ir::LoopKind::kSerial);
  EXPECT_EQ(ir::CountWork(unrolled(63).body), 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LowerPasses, ::testing::Range<uint64_t>(0, 12));

}  // namespace
}  // namespace tessera::lower
