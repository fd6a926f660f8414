// SPDX-License-Identifier: Apache-2.0
//
// What is tested: BuildLoops and every pass of the lowering keep what te::Evaluate computes. Space:
// 480 random expressions (windows with pads, strides, dilation and groups, products, regrouped
// indices) under random schedules of up to 24 steps; the interpreter runs the function after each
// pass; the first and the last text round-trip through the parser. Not tested here: tensorize
// (tensorize_test), code generation (tests/compiler/llvm).
#include <gtest/gtest.h>

#include <set>

#include "compiler/ir/equal.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::lower {
namespace {

// Runs |func| and compares the output with the definition's.
void ExpectSame(const char* pass, const ir::Func& func, const schedule::Schedule& s,
                const te::Values& values, const te::Tensor& out) {
  std::vector<ir::Array> arrays = test::Arguments(func, s, values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  const Result<ir::InterpStats> run = ir::Interpret(func, pointers);
  ASSERT_TRUE(run.has_value()) << pass << ": " << run.error().message << "\n" << ir::Print(func);
  const std::vector<uint8_t> got = test::Logical(func, s, arrays.size() - 1, arrays);
  ASSERT_EQ(got, values.at(out.get()).bytes()) << pass << "\n" << ir::Print(func);
}

// The text reads back as the same function.
void ExpectRoundTrip(const ir::Func& func) {
  const std::string text = ir::Print(func);
  const Result<ir::Func> again = ir::ParseFunc(text);
  ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << text;
  ASSERT_TRUE(ir::Equal(func, *again)) << text << ir::Print(*again);
  ASSERT_EQ(ir::Hash(func), ir::Hash(*again));
  ASSERT_EQ(text, ir::Print(*again));
}

class LowerPasses : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LowerPasses, EveryPassKeepsTheMeaning) {
  int lowered = 0;
  std::set<size_t> kinds;  // of steps that were legal
  for (uint64_t i = 0; i < 40; ++i) {
    const uint64_t seed = GetParam() * 1000 + i;
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    const schedule::Schedule s = test::RandomSchedule(out, static_cast<int>(rng.Range(0, 24)), rng);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << "\n"
                                      << te::Print({out}) << schedule::Print(s.trace()));
    te::Values values = test::RandomInputs(out, rng);
    ASSERT_TRUE(te::Evaluate({out}, &values));

    Result<ir::Func> built = BuildLoops(s, "f");
    if (!built) {  // the one thing a legal step can make wrong later: a reader out of reach
      EXPECT_NE(built.error().message.find("computed"), std::string::npos) << built.error().message;
      continue;
    }
    ++lowered;
    for (const schedule::Step& step : s.trace()) kinds.insert(step.index());
    ir::Func f = *built;
    ASSERT_NO_FATAL_FAILURE(ExpectSame("build", f, s, values, out));
    ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(f));
    f = ir::Simplify(f);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("simplify", f, s, values, out));
    f = HoistGuards(f);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("hoist", f, s, values, out));
    f = ResolveLayouts(f);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("layouts", f, s, values, out));
    f = PeelGuards(f);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("peel", f, s, values, out));
    f = Vectorize(f, 8);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("vectorize", f, s, values, out));
    f = ir::Simplify(f);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("simplify vectors", f, s, values, out));
    f = ir::Simplify(Unroll(f));
    ASSERT_NO_FATAL_FAILURE(ExpectSame("unroll", f, s, values, out));
    ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(f));
  }
  EXPECT_GE(lowered, 30);
  EXPECT_GE(kinds.size(), 13u) << "most kinds of step were never legal";
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

INSTANTIATE_TEST_SUITE_P(Seeds, LowerPasses, ::testing::Range<uint64_t>(0, 12));

}  // namespace
}  // namespace tessera::lower
