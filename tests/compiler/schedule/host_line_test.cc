// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the host's schedules of channelwise sums in quads of a line compute what
// te::Evaluate computes of the definition, by the instruction with inputs of its own, with any
// decisions; each sum takes as many products as its taps lie in quads; weights are prepared once
// for the results of a quad. Space: 60 random windows (the seed is printed) of 1 to 40 channels, 1
// to 5 x 2 to 5 taps, steps of 1 to 3, lines of 2 to 40 results, pads of zeros and others, on two
// levels of processors; bands. Not tested here: the code (llvm_random_test), whole networks.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/bits.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"
#include "compiler/schedule/picks.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::schedule::host_line_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

struct Line {
  int64_t channels = 16, rows = 3, results = 8, kernel_rows = 3, taps = 3, stride = 1;
  int64_t before = 1, filler = -128;

  int64_t inputs() const { return (results - 1) * stride + taps - before; }
};

// y[c, r, i] = sum of w[c, k, t] * p[c, r + k, i * stride + t]; p is x behind |before| pads a row.
te::Tensor Windows(const Line& line) {
  const int64_t height = line.rows + line.kernel_rows - 1, width = line.inputs();
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {line.channels, height, width}),
                   w = te::Placeholder("w", DType::kInt8,
                                       {line.channels, line.kernel_rows, line.taps});
  const te::Tensor p = te::Compute(
      "p", {line.channels, height, width + line.before}, {"c", "r", "i"}, [&](const Index& i) {
        const Expr at = i[2] - Expr(line.before);
        return ir::Select(ir::Le(0, at), x(i[0], i[1], at), ir::Imm(DType::kInt8, line.filler));
      });
  const te::Axis k = te::ReduceAxis("k", line.kernel_rows), t = te::ReduceAxis("t", line.taps);
  return te::Compute(
      "y", {line.channels, line.rows, line.results}, {"c", "r", "i"}, [&](const Index& i) {
        const Expr input = p(i[0], i[1] + k.var, i[2] * line.stride + t.var);
        return te::Sum(
            ir::Cast(DType::kInt32, input) * ir::Cast(DType::kInt32, w(i[0], k.var, t.var)),
            {k, t});
      });
}

// Products of a quad with taps, of all results of a channel.
int64_t QuadsWithTaps(const Line& line) {
  int64_t quads = 0;
  for (int64_t i = 0; i < line.results; ++i)
    quads += (i * line.stride + line.taps - 1) / 4 - i * line.stride / 4 + 1;
  return quads * line.rows * line.kernel_rows;
}

// How often the function of |s| calls instructions that begin with |name|, if it computes |out|.
void ExpectExact(const Schedule& s, const te::Tensor& out, const te::Values& values,
                 int64_t* calls = nullptr) {
  SCOPED_TRACE(te::Print({out}) + Print(s.trace()));
  const Result<ir::Func> func = lower::Lower(s, "f");
  ASSERT_TRUE(func) << func.error().message;
  std::vector<ir::Array> arrays = test::Arguments(*func, s, values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  const Result<ir::InterpStats> run = ir::Interpret(*func, pointers);
  ASSERT_TRUE(run) << run.error().message << "\n" << ir::Print(*func);
  ASSERT_EQ(test::Logical(*func, s, arrays.size() - 1, arrays), values.at(out.get()).bytes())
      << ir::Print(*func);
  if (calls) *calls = run->calls;
}

// The form of |line|, and the values of the form's tensors.
te::Tensor FormOf(const Line& line, Rng& rng, te::Values* values) {
  const te::Tensor given = Windows(line);
  *values = test::RandomInputs(given, rng);
  te::Values own = *values;
  EXPECT_TRUE(te::Evaluate({given}, &own));
  const te::Tensor out = test::ProductOutput(given, values);
  EXPECT_FALSE(out == given);
  EXPECT_TRUE(te::Evaluate({out}, values));
  EXPECT_EQ(values->at(out.get()), own.at(given.get())) << te::Print({out});
  return out;
}

const target::HostLevel& Level(const char* name) { return *target::FindHostLevel(name); }

TEST(HostLines, AreExactAndReadTheQuadsOfTheirTaps) {
  constexpr uint64_t kSeed = 20261130;
  Rng rng(kSeed);
  for (int n = 0; n < 60; ++n) {
    const Line line{.channels = rng.Range(1, 40),
                    .rows = rng.Range(1, 4),
                    .results = rng.OneIn(4) ? rng.Range(2, 40) : rng.Range(2, 9),
                    .kernel_rows = rng.OneIn(2) ? 3 : rng.Range(1, 5),
                    .taps = rng.OneIn(2) ? 3 : rng.Range(2, 5),
                    .stride = rng.Range(1, 3),
                    .before = rng.Range(0, 1),
                    .filler = rng.OneIn(2) ? -128 : rng.Range(-127, 127)};
    SCOPED_TRACE(fmt::format(
        "seed {}, draw {}: {} channels, {} x {} results, {} x {} taps, steps {}", kSeed, n,
        line.channels, line.rows, line.results, line.kernel_rows, line.taps, line.stride));
    te::Values values;
    const te::Tensor out = FormOf(line, rng, &values);
    const auto target = target::Host(Level(rng.OneIn(3) ? "aarch64-dotprod" : "x86-64-v4-vnni"));
    const Result<Schedule> s = HostSchedule({out}, {.target = target});
    ASSERT_TRUE(s) << s.error().message;
    int64_t calls = 0;
    ASSERT_NO_FATAL_FAILURE(ExpectExact(*s, out, values, &calls));
    // Pads of 0, which no result needs, are left out too where a whole quad has them.
    const int64_t lanes = Print(s->trace()).find("own_u8s8x16") != std::string::npos ? 16 : 8;
    const int64_t quads = QuadsWithTaps(line) * CeilDiv(line.channels, lanes);
    EXPECT_LE(calls, quads) << Print(s->trace());
    EXPECT_GT(calls, 0);
    if (line.filler != -128) {
      EXPECT_EQ(calls, quads) << Print(s->trace());
    }
    const Result<Trace> trace = PickedBy(out, s->trace(), target, AnyOf(rng));
    ASSERT_TRUE(trace) << trace.error().message;
    const Result<Schedule> other = Schedule::Replay({out}, *trace, target);
    ASSERT_TRUE(other) << other.error().message;
    ASSERT_NO_FATAL_FAILURE(ExpectExact(*other, out, values));
  }
}

// Two quads of inputs for each of four results, for any number of results.
TEST(HostLines, PrepareWeightsForOneQuadOfResults) {
  for (const int64_t results : {4, 13, 40}) {
    Rng rng(1);
    te::Values values;
    const te::Tensor out = FormOf({.results = results}, rng, &values);
    const Result<Schedule> s = HostSchedule({out});
    ASSERT_TRUE(s) << s.error().message;
    const Stage* const weights = s->Find("w.quads");
    ASSERT_NE(weights, nullptr) << Print(s->trace());
    EXPECT_TRUE(weights->prepared);
    EXPECT_EQ(std::accumulate(weights->shape.begin(), weights->shape.end(), int64_t{1},
                              std::multiplies<>()),
              16 * 4 * 3 * 8);
  }
}

// A row of 512 channels and 116 inputs takes 59,392 bytes. 256 KiB have room for four such rows,
// which two rows of results read.
TEST(HostLines, RunInBandsWhoseInputsStayInTheSecondCache) {
  const auto band = [](const Line& line) {
    Rng rng(1);
    const te::Tensor given = Windows(line);
    te::Values values = test::RandomInputs(given, rng);
    const Result<Schedule> s = HostSchedule({test::ProductOutput(given, &values)});
    EXPECT_TRUE(s);
    for (const Decision& d : s->decisions()) {
      if (d.name == "band") return d.value.number;
    }
    return int64_t{0};
  };
  EXPECT_EQ(band({.channels = 512, .rows = 8, .results = 112}), 2);
  EXPECT_EQ(band({.channels = 512, .rows = 2, .results = 112}), 0) << "all fit";
  Rng rng(2);
  const Line line{.channels = 512, .rows = 4, .results = 112};
  te::Values values;
  const te::Tensor out = FormOf(line, rng, &values);
  const Result<Schedule> s = HostSchedule({out});
  ASSERT_TRUE(s) << s.error().message;
  ExpectExact(*s, out, values);
}

// A level without quads, windows of one tap along the line and sums of two channels have vectors.
TEST(HostLines, AreOnlyWhereQuadsAreOneInstruction) {
  Rng rng(3);
  te::Values values;
  const te::Tensor out = FormOf({}, rng, &values);
  const Result<Schedule> plain = HostSchedule({out}, {.target = target::Host(Level("x86-64-v3"))});
  ASSERT_TRUE(plain);
  EXPECT_EQ(Print(plain->trace()).find("own_u8s8"), std::string::npos);
  ExpectExact(*plain, out, values);
  const te::Tensor one = Windows({.taps = 1, .before = 0});
  values = test::RandomInputs(one, rng);
  EXPECT_TRUE(test::ProductOutput(one, &values) == one);
  const test::WindowShape pairs{.in_channels = 8, .out_channels = 4, .kernel = 3, .groups = 4};
  const te::Tensor grouped = test::WindowExpression(pairs);
  values = test::RandomInputs(grouped, rng);
  EXPECT_TRUE(test::ProductOutput(grouped, &values) == grouped);
}

}  // namespace
}  // namespace tessera::schedule::host_line_test
