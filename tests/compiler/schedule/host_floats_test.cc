// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the host's schedules of float32: registers of a tile, in which order a
// channelwise window runs. Space: products of rows of 7 to 56 points at every level that
// multiplies and adds; a channelwise window with pads; rows of a softmax, with their values. Not
// tested here: what the others compute (compiler_driver_evaluate_test), Winograd's transforms
// (lower_winograd_test).
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::schedule::host_floats_test {
namespace {

// Sums, weights and one input fit the registers, or there are so many sums that a processor has
// work while one goes to memory and back: 11 cycles of two instructions. The last tile of a row has
// work for three of the four cycles of a sum. Space: rows of 7 to 56 points, every level that
// multiplies and adds.
TEST(HostFloats, TilesDoNotWaitForMemory) {
  for (const int64_t size : {56, 28, 14, 7}) {
    const te::Tensor x = te::Placeholder("x", DType::kFloat32, {1, 32, size, size}),
                     w = te::Placeholder("w", DType::kFloat32, {64, 32, 1, 1});
    const te::Axis c = te::ReduceAxis("ci", 32);
    const te::Tensor y = te::Compute(
        "y", {1, 64, size, size}, {"n", "c", "y", "x"}, [&](const std::vector<ir::Expr>& i) {
          return te::Sum(x(i[0], c.var, i[2], i[3]) * w(i[1], c.var, 0, 0), {c});
        });
    for (const target::HostLevel& level : target::HostLevels()) {
      if (!level.units.fma) continue;
      SCOPED_TRACE(level.name);
      const Result<Schedule> s = HostSchedule({y}, {.target = target::Host(level)});
      ASSERT_TRUE(s) << s.error().message;
      const std::string text = Print(s->trace());
      const int64_t lanes = text.find("fma_f32x16") != std::string::npos ? 16 : 8;
      int64_t points = 0, blocks = 0;
      for (const Decision& d : s->decisions()) {
        if (d.name == "points") points = d.value.number;
        if (d.name == "blocks") blocks = d.value.number;
      }
      const int64_t each = std::max<int64_t>(lanes * 4 / level.vector_bytes, 1);
      const int64_t sums = points * blocks * each;
      EXPECT_TRUE(sums + blocks * each + 1 <= level.vector_registers || sums >= 22) << text;
      EXPECT_GE(sums, 7) << text;
      const int64_t rest = size % points;  // of the last tile
      EXPECT_TRUE(rest == 0 || rest * blocks * each >= 6) << text;
    }
  }
}

// A copy of floats has four times as many bytes. Without it channels are the innermost loop.
TEST(HostFloats, CopyNoPads) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {1, 32, 14, 14}),
                   w = te::Placeholder("w", DType::kFloat32, {32, 3});
  const te::Tensor padded =
      te::Compute("p", {1, 32, 14, 16}, {"n", "c", "y", "x"}, [&](const std::vector<ir::Expr>& i) {
        const ir::Expr at = i[3] - ir::Expr(1);
        return ir::Select(ir::And(ir::Le(0, at), ir::Lt(at, 14)), x(i[0], i[1], i[2], at),
                          ir::ImmF32(0));
      });
  const te::Axis k = te::ReduceAxis("k", 3);
  const te::Tensor y =
      te::Compute("y", {1, 32, 14, 14}, {"n", "c", "y", "x"}, [&](const std::vector<ir::Expr>& i) {
        return te::Sum(padded(i[0], i[1], i[2], i[3] + k.var) * w(i[1], k.var), {k});
      });
  const auto sketches = HostSketches(y, {.layouts = {{"x", "0,2,3,1"}, {"y", "0,2,3,1"}}});
  ASSERT_TRUE(sketches) << sketches.error().message;
  EXPECT_EQ((*sketches)[0].name, "pads_in_place");
  EXPECT_NE(Print((*sketches)[0].trace).find("decide order orders y y x.o c.o\n"),
            std::string::npos)
      << Print((*sketches)[0].trace);
}

// Rows of a softmax: the greatest value and the sum of each, in the definition's order. Eight rows
// take turns, of 5, 16 and 37 the last ones fewer.
TEST(HostFloats, RowsThatWaitForThemselvesTakeTurns) {
  for (const int64_t rows : {5, 16, 37}) {
    SCOPED_TRACE(rows);
    const te::Tensor x = te::Placeholder("x", DType::kFloat32, {rows, 23});
    const te::Axis k = te::ReduceAxis("k", 23), l = te::ReduceAxis("l", 23);
    using Index = std::vector<ir::Expr>;
    const te::Tensor most = te::Compute(
        "most", {rows}, {"r"}, [&](const Index& i) { return te::MaxOf(x(i[0], k.var), {k}); });
    const te::Tensor apart = te::Compute("apart", {rows, 23}, {"r", "c"},
                                         [&](const Index& i) { return x(i) - most(i[0]); });
    const te::Tensor sum = te::Compute(
        "sum", {rows}, {"r"}, [&](const Index& i) { return te::Sum(apart(i[0], l.var), {l}); });
    const te::Tensor y = te::Compute("y", {rows, 23}, {"r", "c"}, [&](const Index& i) {
      return ir::Bin(ir::BinOp::kDiv, apart(i), sum(i[0]));
    });
    te::Values values;
    ir::Array input(DType::kFloat32, rows * 23);
    Rng rng(5);
    for (int64_t i = 0; i < input.size(); ++i)
      input.SetFloat(i, static_cast<float>(rng.Range(-1000, 1000)) / 7);
    values[x.get()] = input;
    ASSERT_TRUE(te::Evaluate({y}, &values));
    const Result<Schedule> s = HostSchedule({y});
    ASSERT_TRUE(s) << s.error().message;
    for (const char* step : {"unroll most.acc r", "unroll sum.acc r"})
      EXPECT_NE(Print(s->trace()).find(step), std::string::npos) << Print(s->trace());
    const Result<ir::Func> func = lower::Lower(*s, "f");
    ASSERT_TRUE(func) << func.error().message;
    std::vector<ir::Array> arrays = test::Arguments(*func, *s, values);
    std::vector<ir::Array*> pointers;
    for (ir::Array& a : arrays) pointers.push_back(&a);
    ASSERT_TRUE(ir::Interpret(*func, pointers));
    EXPECT_EQ(test::Logical(*func, *s, arrays.size() - 1, arrays), values.at(y.get()).bytes())
        << ir::Print(*func);
  }
}

}  // namespace
}  // namespace tessera::schedule::host_floats_test
