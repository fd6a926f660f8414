// SPDX-License-Identifier: Apache-2.0
//
// What is tested: sums that start at what is added to them give te::Evaluate's values of the
// expression as it was, from the text of what becomes of it; and what stays as it is. Space: terms
// on both sides of a sum, in several stages, of numbers, channels and elements, sums that wrap; one
// and two reductions, the form with dot products; every reason not to move a term. Not tested here:
// the loops (lower_passes_test), the driver's use of it (tests/models).
#include "compiler/te/sum_start.h"

#include <gtest/gtest.h>

#include "compiler/te/product_form.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::te::sum_start_test {
namespace {

using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }
Expr I32(int64_t v) { return ir::Imm(DType::kInt32, v); }

struct Constants {
  Tensor x = Placeholder("x", DType::kInt8, {3, 5});
  Tensor a = Placeholder("a", DType::kInt32, {4}), b = Placeholder("b", DType::kInt32, {4}),
         all = Placeholder("all", DType::kInt32, {3, 4}),
         given = Placeholder("g", DType::kInt32, {4});
  std::set<const TensorNode*> known{a.get(), b.get(), all.get()};
  Axis k = ReduceAxis("k", 5);

  Tensor Sums(const Expr& start = Expr()) const {
    return Compute("s", {3, 4}, {"n", "c"}, [&](const Index& i) {
      return Sum(Wide(x(i[0], k.var)) * (Wide(i[1]) + I32(1)), {k}, start);
    });
  }
};

Tensor Behind(const char* name, const Tensor& of, const std::function<Expr(const Index&)>& body) {
  return Compute(name, of.shape(), {"m", "d"}, body);
}

// Line |name| of the text after the pass, once both forms were evaluated; "": nothing changed.
std::string LineAfter(const Tensor& out, const std::set<const TensorNode*>& constants,
                      const std::string& name) {
  const Tensor moved = WithSumStarts(out, constants);
  if (moved == out) return "";
  const Status verified = Verify({moved});
  EXPECT_TRUE(verified) << verified.error().message;
  Rng rng(5);
  Values values = test::RandomInputs(out, rng);
  EXPECT_TRUE(Evaluate({out}, &values));
  EXPECT_TRUE(Evaluate({moved}, &values));
  EXPECT_EQ(values.at(moved.get()), values.at(out.get())) << Print({moved});
  const std::string text = Print({moved});
  const size_t at = text.find("\n" + name + ": ");
  return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(SumStart, TakesTheTermsOfTheStagesBehind) {
  const Constants c;
  const Tensor s = c.Sums(c.a(Expr(2)));
  const Tensor t = Behind("t", s, [&](const Index& i) { return s(i) - c.a(i[1]); });
  const Tensor y = Behind("y", s, [&](const Index& i) {
    const Expr sum = I32(9) + ((t(i) + c.b(i[1])) - c.all(i));
    return ir::Max(sum * I32(3), I32(0));
  });
  EXPECT_EQ(LineAfter(y, c.known, "s"),
            "s: i32[3, 4] (n, c) = sum((i32(x[n, k]) * (i32(c) + 1i32)); k in [0, 5)) from "
            "((((a[2] + b[c]) + 9i32) - a[c]) - all[n, c])");
  EXPECT_EQ(LineAfter(y, c.known, "t"), "t: i32[3, 4] (m, d) = s[m, d]");
  EXPECT_EQ(LineAfter(y, c.known, "y"), "y: i32[3, 4] (m, d) = max((t[m, d] * 3i32), 0i32)");
}

TEST(SumStart, ReadsTwiceWithTheSameTerms) {
  const Constants c;
  const Tensor s = c.Sums();
  const Tensor y = Behind("y", s, [&](const Index& i) {
    return ir::Max(s(i) + c.a(i[1]), I32(0)) - (s(i) + c.a(i[1])) * I32(2);
  });
  EXPECT_EQ(LineAfter(y, c.known, "y"),
            "y: i32[3, 4] (m, d) = (max(s[m, d], 0i32) - (s[m, d] * 2i32))");
}

TEST(SumStart, OfEachOfTwoSums) {
  const Constants c;
  const Tensor s = c.Sums();
  const Tensor t = Behind("t", s, [&](const Index& i) { return s(i) - c.a(i[1]); });
  const Axis j = ReduceAxis("j", 4);
  const Tensor u =
      Compute("u", {3}, {"n"}, [&](const Index& i) { return Sum(t(i[0], j.var), {j}); });
  const Tensor y = Compute("y", {3}, {"n"}, [&](const Index& i) { return u(i) - I32(70); });
  EXPECT_EQ(LineAfter(y, c.known, "u"),
            "u: i32[3] (n) = sum(t[n, j]; j in [0, 4)) from (0i32 - 70i32)");
  EXPECT_EQ(LineAfter(y, c.known, "t"), "t: i32[3, 4] (m, d) = s[m, d]");
  EXPECT_EQ(LineAfter(y, c.known, "y"), "y: i32[3] (n) = u[n]");
}

class SumStartWindows : public ::testing::TestWithParam<test::WindowShape> {};

// Sums of dot products start at the correction alone: between them and the bias is a shift.
TEST_P(SumStartWindows, KeepTheirValues) {
  const Tensor given = test::WindowExpression(GetParam());
  Rng rng(6);
  Values values = test::RandomInputs(given, rng);
  const Tensor out = test::ProductOutput(given, &values);
  std::set<const TensorNode*> constants;
  for (const Tensor& t : TopologicalOrder({out})) {
    if (t->placeholder && t.name() != "x") constants.insert(t.get());
  }
  const Tensor moved = WithSumStarts(out, constants);
  EXPECT_EQ(moved == out, out == given);
  EXPECT_EQ(Print({moved}).find(" from ") == std::string::npos, out == given) << Print({moved});
  ASSERT_TRUE(Evaluate({given}, &values));
  ASSERT_TRUE(Evaluate({moved}, &values));
  EXPECT_EQ(values.at(moved.get()), values.at(given.get())) << Print({moved});
}

INSTANTIATE_TEST_SUITE_P(Shapes, SumStartWindows, ::testing::ValuesIn(test::WindowShapes()),
                         [](const auto& shape) { return shape.param.name; });

TEST(SumStart, WhatStaysAsItIs) {
  const Constants c;
  const Tensor s = c.Sums();
  const auto stays = [&](const Tensor& y) { return WithSumStarts(y, c.known) == y; };
  const auto behind = [&](const std::function<Expr(const Index&)>& body) {
    return Behind("y", s, body);
  };
  EXPECT_FALSE(stays(behind([&](const Index& i) { return s(i) + c.a(i[1]); })));
  EXPECT_TRUE(stays(s)) << "nothing is behind it";
  EXPECT_TRUE(stays(behind([&](const Index& i) { return s(i) * c.a(i[1]); }))) << "no sum";
  EXPECT_TRUE(stays(behind([&](const Index& i) { return c.a(i[1]) - s(i); }))) << "negated";
  EXPECT_TRUE(stays(behind([&](const Index& i) { return s(i) + c.given(i[1]); }))) << "no constant";
  EXPECT_TRUE(stays(behind([&](const Index& i) { return s(i) + s(i); }))) << "of another sum";
  EXPECT_TRUE(stays(behind([&](const Index& i) { return ir::Max(s(i) + c.a(i[1]), s(i)); })))
      << "read with the term and without";
  EXPECT_TRUE(stays(behind([&](const Index& i) {
    return ir::Max(s(i) + c.a(i[1]), s(i) + c.b(i[1]));
  }))) << "read with two terms";
  EXPECT_TRUE(stays(behind([&](const Index& i) {
    return ir::Max(s(i) + c.a(i[1]), s(Expr(2) - i[0], i[1]));
  }))) << "another element is read, too";
  EXPECT_TRUE(stays(behind([&](const Index& i) {
    return ir::Select(ir::Lt(0, i[1]), s(i) + c.a(i[1] - 1), I32(0));
  }))) << "outside of the constant where the condition does not hold";
  EXPECT_TRUE(stays(Compute("y", {2, 4}, {}, [&](const Index& i) { return s(i) + c.a(i[1]); })))
      << "a part of it";
  EXPECT_TRUE(stays(Compute("y", {3}, {}, [&](const Index& i) {
    const Axis j = ReduceAxis("j", 4);
    return Sum(s(i[0], j.var) + c.a(j.var), {j});
  }))) << "in a sum";
  const Tensor t = Behind("t", s, [&](const Index& i) { return s(i) + c.a(i[1]); });
  EXPECT_TRUE(stays(Behind("y", s, [&](const Index& i) { return s(i) + t(i); })))
      << "two stages read it";
  const Tensor most = Compute(
      "m", {3}, {"n"}, [&](const Index& i) { return MaxOf(Wide(c.x(i[0], c.k.var)), {c.k}); });
  EXPECT_TRUE(stays(Compute("y", {3}, {}, [&](const Index& i) { return most(i) + I32(1); })))
      << "the greatest of them";
  const Tensor real = Compute("f", {3}, {"n"}, [&](const Index& i) {
    return Sum(ir::Cast(DType::kFloat32, c.x(i[0], c.k.var)), {c.k});
  });
  EXPECT_TRUE(stays(Compute("y", {3}, {}, [&](const Index& i) {
    return real(i) + ir::Const(DType::kFloat32, 1);
  }))) << "floats";
}

}  // namespace
}  // namespace tessera::te::sum_start_test
