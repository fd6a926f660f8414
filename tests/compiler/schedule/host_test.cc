// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the host's schedules, lowered, compute what te::Evaluate computes, and use
// vectors and registers. Space: windows of 1x1 to 5x5, stride 1 to 3, dilation, groups,
// channelwise, one dimension, 1 to 40 channels, with pads and epilogue, by dot products and the
// tiles of four levels where they have that form; 300 random expressions; prefetched weights;
// windows that read a part of their input; pads that are not copied; each schedule again with two
// random draws of its decisions; which sketches there are, and which is preferred. Not tested here:
// code generation, what other sketches compute (compiler_driver_evaluate_test).
#include "compiler/schedule/host.h"

#include <gtest/gtest.h>

#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/picks.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::schedule::host_test {
namespace {

// Lowers |s|, runs the function on the inputs in |values|, and compares its result with the value
// of |out| in |values|.
void ExpectExact(const Schedule& s, const te::Tensor& out, const te::Values& values,
                 ir::Func* lowered = nullptr) {
  SCOPED_TRACE(te::Print({out}) + Print(s.trace()));
  const Result<ir::Func> func = lower::Lower(s, "f");
  ASSERT_TRUE(func.has_value()) << func.error().message;
  std::vector<ir::Array> arrays = test::Arguments(*func, s, values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  const Result<ir::InterpStats> run = ir::Interpret(*func, pointers);
  ASSERT_TRUE(run.has_value()) << run.error().message << "\n" << ir::Print(*func);
  ASSERT_EQ(test::Logical(*func, s, arrays.size() - 1, arrays), values.at(out.get()).bytes())
      << ir::Print(*func);
  if (lowered) *lowered = *func;
}

// |given| as it is or, |dots|, in its form with products of |factor| and with channels innermost in
// memory.
void ExpectExact(const te::Tensor& given, Rng& rng, ir::Func* lowered = nullptr, bool dots = false,
                 const std::string& level = "x86-64-v4-vnni", DType factor = DType::kUint8) {
  te::Values values = test::RandomInputs(given, rng);
  HostOptions options{.target = target::Host(*target::FindHostLevel(level))};
  const te::Tensor out = dots ? test::ProductOutput(given, &values, factor) : given;
  for (const te::Tensor& t : te::TopologicalOrder({out})) {
    if (dots && t.shape().size() == 4 && (t == out || t.name() == "x"))
      options.layouts[t.name()] = "0,2,3,1";
  }
  Result<Schedule> s = HostSchedule({out}, options);
  ASSERT_TRUE(s.has_value()) << s.error().message << "\n" << te::Print({out});
  ASSERT_TRUE(te::Evaluate({out}, &values));
  ir::Func func;
  ASSERT_NO_FATAL_FAILURE(ExpectExact(*s, out, values, &func));
  if (lowered) *lowered = func;

  // The trace is the schedule: from its text, on the same expression, comes the same function.
  const Result<Trace> parsed = ParseTrace(Print(s->trace()));
  ASSERT_TRUE(parsed.has_value());
  const Result<Schedule> again = Schedule::Replay({out}, *parsed, target::Host());
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(ir::Print(*lower::Lower(*again, "f")), ir::Print(func));

  // Any other picks are legal together, and exact.
  if (s->decisions().empty()) return;
  for (int draw = 0; draw < 2; ++draw) {
    const Result<Trace> trace = PickedBy(out, s->trace(), options.target, AnyOf(rng));
    ASSERT_TRUE(trace) << trace.error().message << "\n" << te::Print({out}) << Print(s->trace());
    const Result<Schedule> other = Schedule::Replay({out}, *trace, options.target);
    ASSERT_TRUE(other) << other.error().message;
    ASSERT_NO_FATAL_FAILURE(ExpectExact(*other, out, values));
  }
}

class HostWindows : public ::testing::TestWithParam<test::WindowShape> {};

TEST_P(HostWindows, AreExactAndUseVectors) {
  Rng rng(11);
  ir::Func func;
  ASSERT_NO_FATAL_FAILURE(ExpectExact(test::WindowExpression(GetParam()), rng, &func));
  if (GetParam().out_channels >= 4) {
    EXPECT_NE(ir::Print(func).find("ramp("), std::string::npos) << ir::Print(func);
  }
}

TEST_P(HostWindows, AreExactByDotProducts) {
  for (const char* level : {"x86-64-v4-vnni", "x86-64-v3", "aarch64", "armv7"}) {
    for (const auto& [factor, call] : {std::pair(DType::kUint8, "eval dot_u8s8x"),
                                       std::pair(DType::kInt16, "eval dot_s16s8x")}) {
      Rng rng(12);
      ir::Func func;
      ASSERT_NO_FATAL_FAILURE(
          ExpectExact(test::WindowExpression(GetParam()), rng, &func, true, level, factor));
      const bool dots = GetParam().groups == 1;
      EXPECT_EQ(ir::Print(func).find(call) != std::string::npos, dots) << ir::Print(func);
      // Lanes behind the last channel run without asking, and a shorter vector is stored.
      if (GetParam().out_channels % 8 != 0) {
        EXPECT_EQ(ir::Print(func).find("if ("), std::string::npos) << ir::Print(func);
      }
    }
  }
}

// Sums of a tile are in the registers of every level, and take half of them at least.
TEST(HostTiles, FitTheRegistersOfTheirLevel) {
  const te::Tensor given = test::WindowExpression(
      {.name = "w", .in_channels = 32, .out_channels = 64, .size = 28, .kernel = 3, .pad = 1});
  for (const target::HostLevel& level : target::HostLevels()) {
    SCOPED_TRACE(level.name);
    Rng rng(2);
    te::Values values = test::RandomInputs(given, rng);
    const te::Tensor out = test::ProductOutput(given, &values);
    const Result<Schedule> s = HostSchedule({out}, {.target = target::Host(level)});
    ASSERT_TRUE(s) << s.error().message;
    const std::string text = Print(s->trace());
    int64_t sums = text.find("dot_u8s8x16") != std::string::npos ? 16 : 8;
    for (const Decision& d : s->decisions()) {
      if (d.name == "points" || d.name == "blocks") sums *= d.value.number;
    }
    const int64_t registers = sums * 4 / level.vector_bytes;
    EXPECT_LT(registers, level.vector_registers) << text;
    EXPECT_GE(registers, level.vector_registers / 2) << text;
  }
}

// Six quads of taps instead of seven of channels, of which one would be empty.
TEST(HostQuads, AreTapsWhereChannelsAreThree) {
  for (const test::WindowShape& shape : test::WindowShapes()) {
    Rng rng(1);
    const te::Tensor given = test::WindowExpression(shape);
    te::Values values = test::RandomInputs(given, rng);
    const te::Tensor out = test::ProductOutput(given, &values);
    if (out == given) continue;
    const Result<Schedule> s = HostSchedule({out});
    ASSERT_TRUE(s);
    const bool taps = Print(s->trace()).find(" kx $dot.depth kx.o kx.i pad") != std::string::npos;
    EXPECT_EQ(taps, shape.name == "taps") << shape.name << "\n" << Print(s->trace());
  }
}

// Tiles of 5 points x 4 blocks of 16 lanes, so 5 rows of positions ask for the next 64 channels. Of
// 288 quads with 4 lines each 18 are summed between two requests of 72 / 5 lines: 36 would be more
// than 16 at once. Up to 48 KiB, or for one position, none are asked for.
TEST(HostQuads, AskForTheNextBlocksWeights) {
  const auto text = [](const test::WindowShape& shape) {
    Rng rng(1);
    const te::Tensor given = test::WindowExpression(shape);
    te::Values values = test::RandomInputs(given, rng);
    const Result<Schedule> s = HostSchedule({test::ProductOutput(given, &values)});
    EXPECT_TRUE(s);
    return Print(s->trace());
  };
  const test::WindowShape wide{.in_channels = 1152, .out_channels = 256, .size = 5};
  const std::string asks = text(wide);
  EXPECT_NE(asks.find("decide ahead factors sum.u8 ci.o 18\n"), std::string::npos) << asks;
  EXPECT_NE(asks.find("decide distance {0 1 2} 1\n"), std::string::npos) << asks;
  EXPECT_NE(asks.find(".t $distance of "), std::string::npos) << asks;
  test::WindowShape small = wide, single = wide;
  small.in_channels = 192;
  single.size = 1;
  for (const test::WindowShape& shape : {small, single})
    EXPECT_NE(text(shape).find("decide distance {0 1 2} 0\n"), std::string::npos) << text(shape);
  Rng rng(2);
  ExpectExact(test::WindowExpression({.in_channels = 512, .out_channels = 128, .size = 2}), rng,
              nullptr, true);
}

// The input's copy has what windows read of it: a quarter of the positions for 1x1 at stride 2, 36
// of 10 x 10 for 2x2 at stride 3 (six channels in two quads). 3x3 at stride 2 reads 81 times from
// 64 positions, so the copy is whole.
TEST(HostQuads, AreCopiedWhereWindowsReadThem) {
  const auto copied = [](const test::WindowShape& shape) -> int64_t {
    Rng rng(3);
    const te::Tensor given = test::WindowExpression(shape);
    ExpectExact(given, rng, nullptr, true);
    te::Values values = test::RandomInputs(given, rng);
    const Result<Schedule> s = HostSchedule({test::ProductOutput(given, &values)});
    EXPECT_TRUE(s);
    int64_t elements = 0;
    for (const Stage& st : s->stages()) {
      if (st.placeholder || st.attach != Attach::kRoot || st.output) continue;
      EXPECT_EQ(elements, 0) << "two copies\n" << Print(s->trace());
      elements = 1;
      for (const int64_t extent : st.shape) elements *= extent;
    }
    return elements;
  };
  EXPECT_EQ(copied({.in_channels = 16, .out_channels = 32, .size = 8, .stride = 2}), 16 * 4 * 4);
  EXPECT_EQ(
      copied({.in_channels = 6, .out_channels = 16, .size = 8, .kernel = 2, .stride = 3, .pad = 1}),
      6 * 36);
  EXPECT_EQ(copied({.in_channels = 8, .out_channels = 16, .size = 8, .kernel = 3, .stride = 2}),
            8 * 8 * 8);
}

// The greatest of windows with pads reads the input itself where its channels are innermost.
TEST(HostPads, AreNotCopiedWithoutWeights) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, 32, 7, 9});
  const te::Tensor padded = te::Compute(
      "padded", {1, 32, 9, 11}, {"n", "c", "y", "x"}, [&](const std::vector<ir::Expr>& i) {
        const ir::Expr row = i[2] - ir::Expr(1), column = i[3] - ir::Expr(1);
        const auto inside = [](const ir::Expr& at, int64_t n) {
          return ir::And(ir::Le(ir::Expr(0), at), ir::Lt(at, ir::Expr(n)));
        };
        return ir::Select(ir::And(inside(row, 7), inside(column, 9)), x(i[0], i[1], row, column),
                          ir::Imm(DType::kInt8, -128));
      });
  const te::Axis ky = te::ReduceAxis("ky", 3), kx = te::ReduceAxis("kx", 3);
  const te::Tensor out =
      te::Compute("out", {1, 32, 4, 5}, {"n", "c", "y", "x"}, [&](const std::vector<ir::Expr>& i) {
        return te::MaxOf(
            padded(i[0], i[1], i[2] * ir::Expr(2) + ky.var, i[3] * ir::Expr(2) + kx.var), {ky, kx});
      });
  for (const bool last : {false, true}) {
    Rng rng(7);
    te::Values values = test::RandomInputs(out, rng);
    HostOptions options;
    if (last) options.layouts = {{"x", "0,2,3,1"}, {"out", "0,2,3,1"}};
    const Result<Schedule> s = HostSchedule({out}, options);
    ASSERT_TRUE(s) << s.error().message;
    EXPECT_EQ(Print(s->trace()).find("inline padded") != std::string::npos, last)
        << Print(s->trace());
    ASSERT_TRUE(te::Evaluate({out}, &values));
    ASSERT_NO_FATAL_FAILURE(ExpectExact(*s, out, values));
  }
}

// A function of a sum is part of its reader, in however many places that reads one element of it,
// but not if it reads two: then each would be computed twice.
TEST(HostStages, AreInlinedWhereEachElementIsReadOnce) {
  const auto made = [](int64_t step) {
    const te::Tensor x = te::Placeholder("x", DType::kInt8, {8, 16}),
                     w = te::Placeholder("w", DType::kInt8, {16, 16});
    const te::Axis k = te::ReduceAxis("k", 16);
    const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
    const te::Tensor sum =
        te::Compute("sum", {8, 16}, {"n", "c"}, [&](const std::vector<ir::Expr>& i) {
          return te::Sum(
              ir::Cast(DType::kInt32, x(i[0], k.var)) * ir::Cast(DType::kInt32, w(i[1], k.var)),
              {k});
        });
    const te::Tensor scaled =
        te::Compute("scaled", {8, 16}, {"n", "c"}, [&](const std::vector<ir::Expr>& i) {
          return ir::Requant(sum(i), number(1518500250), number(-6), isa::Round::kTflite);
        });
    return te::Compute("out", {8, 16 - step}, {"n", "c"}, [&](const std::vector<ir::Expr>& i) {
      const ir::Expr one = scaled(i), other = step == 0 ? one : scaled(i[0], i[1] + ir::Expr(step));
      return ir::Select(ir::Lt(one, number(0)), other * number(3), one);
    });
  };
  for (const int64_t step : {0, 1}) {
    const te::Tensor out = made(step);
    Rng rng(8);
    te::Values values = test::RandomInputs(out, rng);
    const Result<Schedule> s = HostSchedule({out}, {});
    ASSERT_TRUE(s) << s.error().message;
    EXPECT_EQ(Print(s->trace()).find("inline scaled") != std::string::npos, step == 0)
        << Print(s->trace());
    ASSERT_TRUE(te::Evaluate({out}, &values));
    ASSERT_NO_FATAL_FAILURE(ExpectExact(*s, out, values));
  }
}

std::vector<std::string> SketchesOf(const test::WindowShape& shape, bool dots) {
  Rng rng(1);
  const te::Tensor given = test::WindowExpression(shape);
  te::Values values = test::RandomInputs(given, rng);
  HostOptions options;
  options.layouts["x"] = "0,2,3,1";
  const te::Tensor out = dots ? test::ProductOutput(given, &values) : given;
  const auto sketches = HostSketches(out, options);
  EXPECT_TRUE(sketches) << sketches.error().message;
  std::vector<std::string> names;
  for (const Sketch& sketch : *sketches) names.push_back(sketch.name);
  EXPECT_EQ(Print((*sketches)[0].trace), Print(HostSchedule({out}, options)->trace()));
  return names;
}

// Quads for each position: 3 x 2 by taps and 7 by channels of 7 taps and 3 channels, 3 and 3 of 3
// taps, 4 and 4 of 4 taps and channels, 8 and 6 of 3 taps and 8 channels.
TEST(HostSketches, SumTheShorterAxisFirst) {
  using Names = std::vector<std::string>;
  const auto of = [](int64_t channels, int64_t size, int64_t kernel, int64_t stride, int64_t pad) {
    return SketchesOf({.in_channels = channels,
                       .out_channels = 16,
                       .size = size,
                       .kernel = kernel,
                       .stride = stride,
                       .pad = pad},
                      true);
  };
  EXPECT_EQ(of(3, 22, 7, 2, 3), (Names{"tap_quads", "channel_quads"}));
  EXPECT_EQ(of(3, 8, 3, 2, 1), (Names{"tap_quads", "channel_quads"}));
  EXPECT_EQ(of(4, 9, 4, 1, 0), (Names{"channel_quads", "tap_quads"}));
  EXPECT_EQ(of(8, 8, 3, 2, 1), (Names{"channel_quads"}));
  EXPECT_EQ(of(8, 8, 1, 1, 0), (Names{"channel_quads"}));
  EXPECT_EQ(SketchesOf({.in_channels = 8, .out_channels = 16}, false), (Names{"vectors"}));
}

// Elements of the copy for each result: 81 / 49, 256 / 196, and 324 / 64 where windows step.
TEST(HostSketches, CopyPadsWhereTheyAreFew) {
  using Names = std::vector<std::string>;
  const auto of = [](int64_t size, int64_t stride) {
    return SketchesOf({.in_channels = 16,
                       .out_channels = 16,
                       .size = size,
                       .kernel = 3,
                       .stride = stride,
                       .pad = 1,
                       .groups = 16},
                      false);
  };
  EXPECT_EQ(of(7, 1), (Names{"pads_in_place", "vectors"}));
  EXPECT_EQ(of(14, 1), (Names{"vectors", "pads_in_place"}));
  EXPECT_EQ(of(16, 2), (Names{"pads_in_place", "vectors"}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostWindows, ::testing::ValuesIn(test::WindowShapes()),
                         [](const auto& shape) { return shape.param.name; });

class HostRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(HostRandom, IsExact) {
  for (uint64_t i = 0; i < 30; ++i) {
    const uint64_t seed = GetParam() * 1000 + i;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    ASSERT_NO_FATAL_FAILURE(ExpectExact(out, rng, nullptr, i % 2 == 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, HostRandom, ::testing::Range<uint64_t>(0, 10));

// Rows of taps that are with pads of 0 for all points of a tile are left out: of the numbers that
// are multiplied, whose pads are -128 before 128 is added to them.
TEST(HostPads, AreNotMultipliedWhereTheyAreZeros) {
  const auto skips = [](const test::WindowShape& shape, bool dots) {
    const te::Tensor given = test::WindowExpression(shape);
    te::Values values;
    Rng rng(13);
    if (dots) values = test::RandomInputs(given, rng);
    const te::Tensor out = dots ? test::ProductOutput(given, &values) : given;
    const Result<Schedule> s = HostSchedule({out}, {.target = target::Host()});
    EXPECT_TRUE(s) << s.error().message;
    std::vector<std::string> axes;
    for (const Step& step : s->trace()) {
      if (const auto* skip = std::get_if<SkipStep>(&step)) axes.push_back(skip->axis);
    }
    return axes;
  };
  const std::vector<std::string> rows{"ky"}, none;
  test::WindowShape shape{
      .in_channels = 8, .out_channels = 32, .size = 7, .kernel = 3, .pad = 1, .filler = -128};
  EXPECT_EQ(skips(shape, true), rows);
  EXPECT_EQ(skips(shape, false), none);
  shape.filler = 0;
  EXPECT_EQ(skips(shape, true), none);
  EXPECT_EQ(skips(shape, false), rows);
  shape.flat = true;  // no row of pads
  EXPECT_EQ(skips(shape, false), none);
  shape = {.in_channels = 16, .out_channels = 16, .size = 9, .kernel = 5, .pad = 2, .groups = 16};
  EXPECT_EQ(skips(shape, false), none);
  shape.filler = 0;
  EXPECT_EQ(skips(shape, false), rows);
}

TEST(HostDecisions, ReplayWithAnotherPickIsExactToo) {
  Rng rng(3);
  const te::Tensor out = test::WindowExpression(
      {.name = "d", .in_channels = 8, .out_channels = 16, .size = 9, .kernel = 3, .pad = 1});
  const Result<Schedule> s = HostSchedule({out});
  ASSERT_TRUE(s.has_value());
  std::vector<std::string> names;
  for (const Decision& d : s->decisions()) names.push_back(d.name);
  EXPECT_EQ(names, (std::vector<std::string>{"lanes", "points", "order", "sums"}));
  te::Values values = test::RandomInputs(out, rng);
  ASSERT_TRUE(te::Evaluate({out}, &values));
  for (int64_t points : {1, 3}) {
    const Trace edited = WithDecisions(s->trace(), {{"points", points}});
    const Result<Schedule> other = Schedule::Replay({out}, edited);
    ASSERT_TRUE(other.has_value()) << other.error().message;
    EXPECT_EQ(other->decisions()[1].value, points);
    ASSERT_NO_FATAL_FAILURE(ExpectExact(*other, out, values));
  }
}

}  // namespace
}  // namespace tessera::schedule::host_test
