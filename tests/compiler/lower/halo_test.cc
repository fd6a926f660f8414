// SPDX-License-Identifier: Apache-2.0
//
// What is tested: reads of a halo: a select that only asks for the inside of a tensor, whose halo
// holds the other value, is a read; anything else stays a select; what is computed is the
// definition. Space: directed, windows of three over one row. Not tested here: layouts as text
// (tests/compiler/ir), activations that stay (tests/compiler/accel).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/params.h"

namespace tessera::lower::halo_test {
namespace {

// y[i] = the sum of x[i - 1 .. i + 1], which is -3 outside of its ten elements.
te::Tensor Window() {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {10});
  const te::Tensor padded = te::Compute("padded", {12}, {"i"}, [&](const auto& i) {
    return ir::Select(ir::And(ir::Le(1, i[0]), ir::Lt(i[0], 11)), x(i[0] - 1),
                      ir::Imm(DType::kInt8, -3));
  });
  const te::Axis k = te::ReduceAxis("k", 3);
  return te::Compute("y", {10}, {"i"}, [&](const auto& i) {
    return te::Sum(ir::Cast(DType::kInt32, padded(i[0] + k.var)), {k});
  });
}

// The loops of |layout| for x, and whether they compute the definition.
std::string Lowered(const std::string& layout, const std::string& steps = "") {
  const te::Tensor y = Window();
  const auto s =
      schedule::Schedule::Replay({y}, *schedule::ParseTrace("inline padded\n" + layout + steps));
  EXPECT_TRUE(s) << s.error().message;
  const Result<ir::Func> f = BuildLoops(*s, "f");
  EXPECT_TRUE(f) << f.error().message;
  const Result<ir::Func> flat = Lower(*s, "f");
  EXPECT_TRUE(flat) << flat.error().message;
  Rng rng(3);
  ir::Array x(DType::kInt8, 10);
  for (int64_t k = 0; k < 10; ++k) x.SetInt(k, rng.Range(-128, 127));
  te::Values values;
  values.emplace(te::TopologicalOrder({y}).front().get(), x);
  EXPECT_TRUE(te::Evaluate({y}, &values));
  ir::Array packed(DType::kInt8, ir::PackLayout(*schedule::ParamBuffer(*s, "x"), x.bytes())),
      result(DType::kInt32, 10);
  EXPECT_TRUE(ir::Interpret(*flat, {&packed, &result}));
  EXPECT_EQ(result.bytes(), values.at(y.get()).bytes());
  return ir::Print(*f);
}

bool Asks(const std::string& text) { return text.find("select(") != std::string::npos; }

TEST(LowerHalo, ASelectThatAsksForTheInsideIsARead) {
  EXPECT_TRUE(Asks(Lowered("")));
  EXPECT_FALSE(Asks(Lowered("layout x 1+0+1 -3\n")));
  EXPECT_FALSE(Asks(Lowered("layout x 4+0+2 -3\n")));
  // Tiles that do not divide: their conditions say how far the index goes.
  EXPECT_FALSE(Asks(Lowered("layout x 1+0+1 -3\n", "split y i 4 o n\n")));
}

TEST(LowerHalo, AnythingElseStaysASelect) {
  EXPECT_TRUE(Asks(Lowered("layout x 1+0+1 -4\n"))) << "another value";
  EXPECT_TRUE(Asks(Lowered("layout x 0+0+1 -3\n"))) << "no place in front";
  EXPECT_TRUE(Asks(Lowered("layout x 1+0+0 -3\n"))) << "no place behind";
  EXPECT_TRUE(Asks(Lowered("cache_read x local c y\nlayout c 1+0+1 -3\n"))) << "nobody fills it";
}

// Windows that reach behind the last of twelve places, or to those behind the ten elements.
TEST(LowerHalo, LanesBehindTheLastElementAreAHalo) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {10});
  const auto text = [&](int64_t elements, const char* layout) {
    const te::Tensor y = te::Compute("y", {elements}, {"i"}, [&](const auto& i) {
      return ir::Select(ir::Lt(i[0], 10), x(i), ir::Imm(DType::kInt8, -3));
    });
    return ir::Print(
        *BuildLoops(*schedule::Schedule::Replay({y}, *schedule::ParseTrace(layout)), "f"));
  };
  EXPECT_FALSE(Asks(text(12, "layout x 0/4,0%4 -3\n")));
  EXPECT_TRUE(Asks(text(12, "layout x 0/4,0%4\n"))) << "another value";
  EXPECT_TRUE(Asks(text(13, "layout x 0/4,0%4 -3\n"))) << "no place";
}

// A condition that leaves out elements of the tensor is more than a question for the inside.
TEST(LowerHalo, AConditionOnTheInsideStays) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {10});
  const te::Tensor y = te::Compute("y", {12}, {"i"}, [&](const auto& i) {
    return ir::Select(ir::And(ir::Le(2, i[0]), ir::Lt(i[0], 11)), x(i[0] - 1),
                      ir::Imm(DType::kInt8, -3));
  });
  const auto s = schedule::Schedule::Replay({y}, *schedule::ParseTrace("layout x 1+0+1 -3\n"));
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(Asks(ir::Print(*BuildLoops(*s, "f"))));
}

}  // namespace
}  // namespace tessera::lower::halo_test
