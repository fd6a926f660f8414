// SPDX-License-Identifier: Apache-2.0
//
// What is tested: BuildLoops and every pass of the lowering keep what te::Evaluate computes, and
// refuse for reasons that are named here; the search itself. Space: 480 random expressions (windows
// with pads, strides, dilation and groups, products, regrouped indices) under random schedules of
// up to 24 steps of every kind; the interpreter runs the function after each pass; the first and
// the last text round-trip through the parser. Not tested here: instructions other than copies
// (tensorize_test), code generation (tests/compiler/llvm).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include "compiler/ir/equal.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/lower/agree.h"
#include "tests/compiler/lower/random_schedule.h"

namespace tessera::lower::passes_test {
namespace {

// "" if the text of |func| reads back as the same function.
std::string RoundTripDifference(const ir::Func& func) {
  const std::string text = ir::Print(func);
  const Result<ir::Func> again = ir::ParseFunc(text);
  if (!again) return again.error().message + "\n" + text;
  const bool same = ir::Equal(func, *again) && ir::Hash(func) == ir::Hash(*again);
  return same && text == ir::Print(*again) ? "" : text + ir::Print(*again);
}

// What steps that are legal one by one can make of a whole that is not, in the words of BuildLoops:
// readers out of reach, followers of what moved, iterations or instructions that do not fit.
constexpr const char* kRefusals[] = {
    "which a later step took away",
    "computed in the loops of what others read with them; attach one less",
    "which a later step made it read no longer",
    "is needed where it is computed",
    "; leave in_place out",
    "which a condition skips; choose factors that divide them, leave 'skip' out, or attach further "
    "out",
    "which is computed inside a loop that does not contain",
    "some elements are computed twice",
    "is parallel, and two of its iterations may store to one element",
    "it is computed elsewhere",
    "it runs under a condition",
    "and the virtual threads of",
    "is computed inside it, at",
    ": the nest is not copy_",
};

// "" if |message| is one of those.
std::string RefusalDifference(const std::string& message) {
  const bool known = std::ranges::any_of(
      kRefusals, [&](const char* words) { return message.find(words) != std::string::npos; });
  return known ? "" : "a refusal that is not known: " + message;
}

// Every pass keeps the meaning of |program|. |lowered| counts those that could be built.
std::string PassDifference(const test::ScheduledProgram& program, int* lowered) {
  Result<ir::Func> built = BuildLoops(program.schedule, "f");
  if (!built) return RefusalDifference(built.error().message);
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
      {.seed = GetParam() * 1000, .programs = 40, .target = test::CopyingTarget()});
  EXPECT_FALSE(found.difference.has_value()) << *found.difference;
  EXPECT_GE(lowered * 3, static_cast<int>(found.programs) * 2) << "few could be built";
}

// Every kind of step, and each form of those that have several, is legal in some program.
TEST(LowerSearch, ProgramsHaveEveryKindOfStep) {
  std::set<std::string> wanted{"split",
                               "split pad",
                               "split overlap",
                               "decide list",
                               "decide factors",
                               "decide factors most",
                               "decide factors room",
                               "decide tiles",
                               "decide tiles most",
                               "decide tiles room",
                               "decide places",
                               "decide orders",
                               "decide loops",
                               "compute_at before"};
  for (const std::string& usage : schedule::StepUsages()) {
    const std::string name = usage.substr(0, usage.find(' '));
    if (name != "split" && name != "decide") wanted.insert(name);
  }
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 2400; ++seed) {
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    const schedule::Schedule s = test::RandomSchedule(out, 24, rng, test::CopyingTarget());
    for (const schedule::Step& step : s.trace()) seen.insert(test::KindOf(step));
  }
  std::set<std::string> never;
  std::ranges::set_difference(wanted, seen, std::inserter(never, never.end()));
  EXPECT_EQ(never, std::set<std::string>{});
  EXPECT_EQ(seen, wanted);
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
  EXPECT_EQ(text.find("seed "), 0u);
  EXPECT_NE(text.find("TESSERA_SCHEDULE_PROGRAMS=1 and "
                      "--gtest_filter=LowerSearch.ADifferenceIsMadeShort\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("both are there"), std::string::npos);
  EXPECT_LE(std::ranges::count(text.substr(text.find("fuse ")), '\n'), 4) << text;
}

// Factors and extents too: one that is wrong wherever an axis of a sum is split into parts of more
// than one, the last of them not whole, needs three iterations in parts of two, and no epilogue.
TEST(LowerSearch, ADifferenceIsMadeSmall) {
  const auto wrong = [](const test::ScheduledProgram& p) -> std::string {
    for (const schedule::Stage& s : p.schedule.stages()) {
      const auto iterations = s.Iterations(s.shape);
      for (const schedule::Relation& r : s.relations) {
        const int64_t part = iterations.at(r.inner.get()), all = iterations.at(r.parent.get());
        const bool sum = std::ranges::any_of(
            s.reduce_axes, [&](const ir::Axis& a) { return a.var.get() == r.parent.get(); });
        if (sum && r.is_split && !r.pad && part > 1 && all % part != 0)
          return "a part is not whole";
      }
    }
    return "";
  };
  for (const uint64_t seed : {0, 1000, 2000}) {
    const test::SearchResult found = test::FindDifference(wrong, {.seed = seed, .programs = 200});
    ASSERT_TRUE(found.difference.has_value());
    const std::string& text = *found.difference;
    const size_t sum = text.find("\nsum: ");
    ASSERT_NE(sum, std::string::npos) << text;
    EXPECT_EQ(std::ranges::count(text.substr(sum + 1), '\n'), 2) << text;  // and one step
    EXPECT_NE(text.find(" 2 o", sum), std::string::npos) << text;
    EXPECT_EQ(text.find("decide "), std::string::npos) << text;
    EXPECT_EQ(text.find("scaled"), std::string::npos) << text;
    EXPECT_NE(text.find(" in [0, 3)"), std::string::npos) << text;
    for (int64_t more = 4; more <= test::kMostExtent; ++more)
      EXPECT_EQ(text.find(fmt::format(" in [0, {})", more)), std::string::npos) << text;
  }
}

// A pick that is refused is the last but one of the steps that are reported, with none that it does
// not need.
TEST(LowerSearch, AnIllegalPickIsReportedAsItWasPicked) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  const te::Tensor y =
      te::Compute("y", {4, 6}, {"i", "j"}, [&](const auto& i) { return x(i) + 1; });
  schedule::Schedule s = *schedule::Schedule::Create({y});
  ASSERT_TRUE(
      s.Apply("cache_write y global t\nsplit y j 2 p q\nunroll y q\ndecide d {4 2} 4\n"
              "storage_align t 0 $d 3\nreorder y i p q"));
  int illegal = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    test::IllegalPick pick;
    if (test::PickedAnew(y, s, rng, &pick)) continue;
    ++illegal;
    EXPECT_EQ(schedule::Print(pick.trace),
              "cache_write y global t\ndecide d {4 2} 2\nstorage_align t 0 $d 3\n");
    EXPECT_EQ(pick.why,
              "schedule step 5 (storage_align t 0 $d 3): an offset of 3 is no remainder of 2");
  }
  EXPECT_GT(illegal, 0);
  EXPECT_LT(illegal, 20);
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
}  // namespace tessera::lower::passes_test
