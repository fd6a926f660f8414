// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `skip`: iterations in which a sum is added 0 are not run, which is counted, and
// what it computes stays: pads in front and behind, by strides, through stages and a form with
// other numbers, windows of pads alone, beside an input whose pads are not 0; what cannot be built
// with it. Space: directed; random programs have the step too (lower_passes_test). Not tested here:
// the host's default schedules (schedule_host_test).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::lower::skip_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

struct Row {
  int64_t inputs = 8, before = 1, after = 1, stride = 1, taps = 3, pad = 0;
};

// y[c, i] = sum over k of w[c, k] times p, a row of numbers with pads around it.
te::Tensor Windows(const Row& row) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {row.inputs}),
                   w = te::Placeholder("w", DType::kInt8, {2, row.taps});
  const int64_t length = row.inputs + row.before + row.after;
  const te::Tensor p = te::Compute("p", {length}, {"i"}, [&](const Index& i) {
    const Expr at = i[0] - Expr(row.before);
    const Expr inside = ir::And(ir::Le(0, at), ir::Lt(at, row.inputs));
    return ir::Select(inside, x(at), ir::Imm(DType::kInt8, row.pad));
  });
  const te::Axis k = te::ReduceAxis("k", row.taps);
  const int64_t outputs = (length - row.taps) / row.stride + 1;
  return te::Compute("y", {2, outputs}, {"c", "i"}, [&](const Index& i) {
    return te::Sum(Wide(p(i[1] * row.stride + k.var)) * Wide(w(i[0], k.var)), {k});
  });
}

// Products of a row that are not with pads, counted by hand.
int64_t Inside(const Row& row) {
  int64_t inside = 0;
  const int64_t outputs = (row.inputs + row.before + row.after - row.taps) / row.stride + 1;
  for (int64_t i = 0; i < outputs; ++i) {
    for (int64_t k = 0; k < row.taps; ++k) {
      const int64_t at = i * row.stride + k - row.before;
      inside += at >= 0 && at < row.inputs;
    }
  }
  return inside;
}

// Elements that |steps| on |y| store, which computes its definition.
int64_t StoresOf(const te::Tensor& y, const std::string& steps) {
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  const Status applied = s->Apply(steps);
  EXPECT_TRUE(applied) << applied.error().message;
  Rng rng(7);
  te::Values values = test::RandomInputs(y, rng);
  EXPECT_TRUE(te::Evaluate({y}, &values));
  int64_t stores = 0;
  for (const Result<ir::Func>& func : {BuildLoops(*s, "f"), Lower(*s, "f")}) {
    EXPECT_TRUE(func) << func.error().message;
    if (!func) return -1;
    EXPECT_EQ(test::DifferenceOf({*s, y, values}, *func), "") << steps << ir::Print(*func);
    std::vector<ir::Array> arrays = test::Arguments(*func, *s, values);
    std::vector<ir::Array*> pointers;
    for (ir::Array& a : arrays) pointers.push_back(&a);
    stores = ir::Interpret(*func, pointers)->stores;
  }
  return stores;
}

TEST(LowerSkip, IterationsThatAddNothingAreNotRun) {
  const Row kRows[] = {{},
                       {.taps = 1},  // of one tap the condition asks y alone
                       {.before = 3, .after = 5, .stride = 2, .taps = 4},  // a window of pads alone
                       {.before = 0, .after = 8, .stride = 2, .taps = 2},  // y * 2 + k < 8 is y < 4
                       {.inputs = 5, .before = 2, .after = 2, .stride = 3}};
  for (const Row& row : kRows) {
    const te::Tensor y = Windows(row);
    const int64_t outputs = 2 * y.shape()[1], all = outputs * (1 + row.taps);
    SCOPED_TRACE(te::Print({y}));
    EXPECT_EQ(StoresOf(y, "inline p\n"), all);
    const int64_t least = outputs + 2 * Inside(row);
    EXPECT_EQ(StoresOf(y, "inline p\nskip y k\n"), least);
    EXPECT_EQ(StoresOf(y, "skip y k\ninline p\n"), least);
    EXPECT_EQ(StoresOf(y, "inline p\nskip y k\nsplit y k 2 o n\nsplit y i 3 a b\n"), least);
    EXPECT_EQ(StoresOf(y, "inline p\nskip y k\nreorder y k c i\n"), least);
    // Pads in a buffer of their own are read no more than others.
    EXPECT_EQ(StoresOf(y, "skip y k\n"), least + row.inputs + row.before + row.after);
  }
}

// Every number has 128 added, as dot products want it: pads of -128 are 0 there.
TEST(LowerSkip, PadsAreSeenThroughWhatIsMadeOfThem) {
  for (const int64_t pad : {-128, -127, 0}) {
    const te::Tensor x = te::Placeholder("x", DType::kInt8, {8});
    const te::Tensor p = te::Compute("p", {10}, {"i"}, [&](const Index& i) {
      return ir::Select(ir::And(ir::Le(1, i[0]), ir::Lt(i[0], 9)), x(i[0] - 1),
                        ir::Imm(DType::kInt8, pad));
    });
    const te::Tensor u = te::Compute("u", {10}, {"i"}, [&](const Index& i) {
      return ir::Bin(ir::BinOp::kXor, ir::Cast(DType::kUint8, p(i)), ir::Imm(DType::kUint8, 128));
    });
    const te::Axis k = te::ReduceAxis("k", 3);
    const te::Tensor y = te::Compute(
        "y", {8}, {"i"}, [&](const Index& i) { return te::Sum(Wide(u(i[0] + k.var)) * 3, {k}); });
    if (pad == -128) {
      EXPECT_EQ(StoresOf(y, "inline p\nskip y k\n"), 10 + 8 + 22);
      EXPECT_EQ(StoresOf(y, "skip y k\ninline p\ninline u\n"), 8 + 22);
    } else {
      Result<schedule::Schedule> s = schedule::Schedule::Create({y});
      EXPECT_FALSE(s->Apply("skip y k")) << pad;
    }
  }
}

// A sum that starts at a value has it where nothing is added.
TEST(LowerSkip, AWindowOfPadsIsItsStart) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {4}),
                   b = te::Placeholder("b", DType::kInt32, {8});
  const te::Axis k = te::ReduceAxis("k", 2);
  const te::Tensor y = te::Compute("y", {8}, {"i"}, [&](const Index& i) {
    const Expr at = i[0] * 2 + k.var;
    return te::Sum(ir::Select(ir::Lt(at, 4), Wide(x(at)), ir::Imm(DType::kInt32, 0)), {k},
                   b(i[0]) + 1);
  });
  EXPECT_EQ(StoresOf(y, ""), 8 + 16);
  EXPECT_EQ(StoresOf(y, "skip y k\n"), 8 + 4);
  EXPECT_EQ(StoresOf(y, "skip y k\nsplit y i 2 o n\nvectorize y n\n"), 8 + 4);
}

// Each iteration once, and none behind the steps that make other axes of a sum's.
TEST(LowerSkip, StepsThatDoNotGoTogetherAreRefused) {
  const std::pair<const char*, const char*> kBad[] = {
      {"skip y k\nskip y k", "y leaves out such iterations of k already"},
      {"skip y k\nrfactor y k r", "y has been scheduled; rfactor comes behind splits"},
      {"inline p\nskip y k\nalign y k x 2",
       "y has been scheduled, or k is no axis of its reduction"}};
  for (const auto& [steps, message] : kBad) {
    Result<schedule::Schedule> s = schedule::Schedule::Create({Windows({})});
    const Status applied = s->Apply(steps);
    ASSERT_FALSE(applied) << steps;
    EXPECT_NE(applied.error().message.find(message), std::string::npos) << applied.error().message;
  }
}

// What waits for the last iteration, or starts sums in the first, needs those.
TEST(LowerSkip, IterationsThatOthersNeedAreNotLeftOut) {
  const te::Tensor sum = Windows({});
  const te::Tensor y =
      te::Compute("z", sum.shape(), {"c", "i"}, [&](const Index& i) { return sum(i) + 7; });
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  ASSERT_TRUE(s->Apply("skip y k\nreorder y k c i\nreverse_compute_at z y i\n"));
  const Result<ir::Func> f = BuildLoops(*s, "f");
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error().message,
            "z is computed in the last iteration of the reductions of y, which a condition skips; "
            "choose factors that divide them, leave 'skip' out, or attach further out than i");
}

}  // namespace
}  // namespace tessera::lower::skip_test
