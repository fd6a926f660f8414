// SPDX-License-Identifier: Apache-2.0
//
// What is tested: BuildLoops and every pass of the lowering keep what te::Evaluate computes. Space:
// 400 random expressions (windows with pads, strides, dilation and groups, products, regrouped
// indices) under random schedules of up to 24 steps; the interpreter runs the function after each
// pass; the first and the last text round-trip through the parser. Not tested here: tensorize
// (tensorize_test), code generation (tests/compiler/llvm).
#include <gtest/gtest.h>

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
}

INSTANTIATE_TEST_SUITE_P(Seeds, LowerPasses, ::testing::Range<uint64_t>(0, 10));

}  // namespace
}  // namespace tessera::lower
