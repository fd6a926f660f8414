// SPDX-License-Identifier: Apache-2.0
//
// What is tested: te::Evaluate, te::Verify, te::Print. Space: a padded window sum against a
// hand-written loop over random data; each refusal. Not tested here: loops (tests/compiler/lower).
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "compiler/te/te.h"

namespace tessera::te::evaluate_test {
namespace {

using ir::Array;

Tensor Padded(const Tensor& x, int64_t pad, int value) {
  const int64_t n = x.shape()[0];
  return Compute("padded", {n + 2 * pad}, {"i"}, [&](const std::vector<Expr>& i) {
    const Expr at = i[0] - Expr(pad);
    return ir::Select(ir::And(ir::Le(0, at), ir::Lt(at, n)), x(at), Expr(value));
  });
}

TEST(TeEvaluate, WindowSumOverPadsMatchesALoop) {
  const uint64_t seed = 7;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  const Tensor x = Placeholder("x", DType::kInt8, {10});
  const Tensor padded = Padded(x, 2, -5);
  const Axis k = ReduceAxis("k", 3);
  const Tensor y = Compute("y", {6}, {"o"}, [&](const std::vector<Expr>& i) {
    return Sum(ir::Cast(DType::kInt32, padded(i[0] * 2 + k.var)), {k});
  });
  Values values;
  Array in(DType::kInt8, 10);
  for (int i = 0; i < 10; ++i) in.SetInt(i, rng.Range(-128, 127));
  values[x.get()] = in;
  ASSERT_TRUE(Evaluate({y}, &values));
  for (int o = 0; o < 6; ++o) {
    int64_t want = 0;
    for (int j = 0; j < 3; ++j) {
      const int at = 2 * o + j - 2;
      want += at < 0 || at >= 10 ? -5 : in.Int(at);
    }
    EXPECT_EQ(values[y.get()].Int(o), want) << o;
  }
}

TEST(TeEvaluate, TextNamesStagesAxesAndReductions) {
  const Tensor x = Placeholder("x", DType::kInt8, {4, 4});
  const Axis k = ReduceAxis("k", 4);
  const Tensor y = Compute("y", {4}, {"i"},
                           [&](const std::vector<Expr>& i) { return MaxOf(x(i[0], k.var), {k}); });
  EXPECT_EQ(Print({y}),
            "x: i8[4, 4] placeholder\ny: i8[4] (i) = reduce_max(x[i, k]; k in [0, 4))\n");
}

// A sum of products of f32 rounds each term once: against sums of exact products in 128-bit floats,
// which hold a product of 48 bits and a sum of 24 bits whose exponents differ by less than 60.
TEST(TeEvaluate, SumsOfFloatProductsRoundOnce) {
  const uint64_t seed = 9;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  const int64_t rows = 50, terms = 40;
  const Tensor x = Placeholder("x", DType::kFloat32, {rows, terms}),
               w = Placeholder("w", DType::kFloat32, {terms});
  const Axis k = ReduceAxis("k", terms);
  const Tensor y = Compute("y", {rows}, {"i"}, [&](const std::vector<Expr>& i) {
    return Sum(x(i[0], k.var) * w(k.var), {k});
  });
  EXPECT_NE(Print({y}).find("(i) = fused_sum((x[i, k] * w[k]); k in [0, 40))"), std::string::npos)
      << Print({y});
  Values values;
  const auto random = [&](int64_t count) {
    Array made(DType::kFloat32, count);
    for (int64_t n = 0; n < count; ++n) {
      const auto digits = static_cast<float>(rng.Range(-(1 << 24), 1 << 24));
      made.SetFloat(n, std::ldexp(digits, static_cast<int>(rng.Range(-30, -20))));
    }
    return made;
  };
  const Array in = values[x.get()] = random(rows * terms), by = values[w.get()] = random(terms);
  ASSERT_TRUE(Evaluate({y}, &values));
  int differ = 0;
  for (int64_t r = 0; r < rows; ++r) {
    float once = 0, twice = 0;
    for (int64_t n = 0; n < terms; ++n) {
      const float a = in.Float(r * terms + n), b = by.Float(n);
      once = static_cast<float>(static_cast<__float128>(a) * b + once);
      twice += a * b;
    }
    EXPECT_EQ(values[y.get()].Float(r), once) << r;
    differ += once != twice ? 1 : 0;
  }
  EXPECT_GT(differ, rows / 4);
}

// A sum of floats that are no products when the expression is made stays a sum of rounded numbers.
TEST(TeEvaluate, SumsOfOtherFloatsAreNotFused) {
  const Tensor x = Placeholder("x", DType::kFloat32, {4});
  const Axis k = ReduceAxis("k", 4);
  const auto rounded = [&](const Expr& value) { return Sum(value, {k})->reduce(); };
  EXPECT_EQ(rounded(x(k.var)), ir::ReduceOp::kSum);
  EXPECT_EQ(rounded(x(k.var) + x(k.var)), ir::ReduceOp::kSum);
  EXPECT_EQ(rounded(x(k.var) * x(k.var)), ir::ReduceOp::kFusedSum);
  EXPECT_EQ(rounded(ir::Cast(DType::kInt32, x(k.var)) * ir::Cast(DType::kInt32, x(k.var))),
            ir::ReduceOp::kSum);
}

// Integers wrap, floats are rounded in the order of the axes.
TEST(TeEvaluate, ProductsOfElements) {
  for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64, DType::kFloat32}) {
    const Tensor x = Placeholder("x", dtype, {2, 5});
    const Axis k = ReduceAxis("k", 5);
    const Tensor y = Compute("y", {2}, {"i"}, [&](const std::vector<Expr>& i) {
      return ProductOf(x(i[0], k.var), {k});
    });
    EXPECT_NE(Print({y}).find("(i) = reduce_prod(x[i, k]; k in [0, 5))"), std::string::npos);
    Values values;
    Array in(dtype, 10);
    const int64_t numbers[] = {3, -7, 1, 2, -1, 100, 100, 3, 101, 7};  // 42 and 21,210,000
    for (int n = 0; n < 10; ++n) {
      if (ir::IsFloat(dtype)) {
        in.SetFloat(n, static_cast<float>(numbers[n]));
      } else {
        in.SetInt(n, numbers[n]);
      }
    }
    values[x.get()] = in;
    ASSERT_TRUE(Evaluate({y}, &values));
    if (ir::IsFloat(dtype)) {
      EXPECT_EQ(values[y.get()].Float(0), 42.0f);
      EXPECT_EQ(values[y.get()].Float(1), 21210000.0f);
    } else {
      EXPECT_EQ(values[y.get()].Int(0), 42);
      EXPECT_EQ(values[y.get()].Int(1),
                dtype == DType::kInt8 ? static_cast<int8_t>(21210000) : 21210000);
    }
  }
}

// The names of axes are made unique in the start, too; it is not summed.
TEST(TeEvaluate, ASumMayStartAtAValue) {
  const Tensor x = Placeholder("x", DType::kInt32, {2, 3}),
               b = Placeholder("b", DType::kInt32, {2, 2});
  const Axis k = ReduceAxis("i", 3);
  const Tensor y = Compute("y", {2, 2}, {"i", "i"}, [&](const std::vector<Expr>& i) {
    return Sum(x(i[0], k.var), {k}, b(i[0], i[1]) - x(i[1], 2));
  });
  ASSERT_TRUE(Verify({y}));
  EXPECT_EQ(Print({y}),
            "x: i32[2, 3] placeholder\nb: i32[2, 2] placeholder\n"
            "y: i32[2, 2] (i, i1) = sum(x[i, i2]; i2 in [0, 3)) from (b[i, i1] - x[i1, 2])\n");
  Values values;
  Array in(DType::kInt32, 6), from(DType::kInt32, 4);
  for (int n = 0; n < 6; ++n) in.SetInt(n, n * n);                         // rows 0 1 4 and 9 16 25
  for (int n = 0; n < 4; ++n) from.SetInt(n, int64_t{n + 1} * INT32_MAX);  // wraps
  values[x.get()] = in;
  values[b.get()] = from;
  ASSERT_TRUE(Evaluate({y}, &values));
  for (int n = 0; n < 4; ++n) {
    const uint32_t sum = n < 2 ? 5 : 50, last = n % 2 == 0 ? 4 : 25;
    EXPECT_EQ(values[y.get()].Int(n),
              static_cast<int32_t>(sum + static_cast<uint32_t>(from.Int(n)) - last))
        << n;
  }
}

TEST(TeEvaluate, AxisNamesOfAStageAreMadeUnique) {
  const Tensor x = Placeholder("x", DType::kInt32, {4, 4});
  const Axis k = ReduceAxis("i", 4);
  const Tensor y = Compute("y", {4}, {"i"},
                           [&](const std::vector<Expr>& i) { return Sum(x(i[0], k.var), {k}); });
  EXPECT_EQ(y->axes[0].name(), "i");
  EXPECT_EQ(y->reduce_axes[0].name(), "i1");
  Values values;
  values[x.get()] = Array(DType::kInt32, 16);
  for (int i = 0; i < 16; ++i) values[x.get()].SetInt(i, i);
  ASSERT_TRUE(Evaluate({y}, &values));
  EXPECT_EQ(values[y.get()].Int(1), 4 + 5 + 6 + 7);
}

TEST(TeEvaluate, RefusalsNameTheStage) {
  const Tensor x = Placeholder("x", DType::kInt32, {4});
  const Axis k = ReduceAxis("k", 4);
  const Tensor nested = Compute("nested", {4}, {"i"}, [&](const std::vector<Expr>& i) {
    return Sum(x(k.var), {k}) + x(i[0]);
  });
  EXPECT_NE(Verify({nested}).error().message.find("nested: a reduction must be the whole body"),
            std::string::npos);
  const Tensor free =
      Compute("free", {4}, {"i"}, [&](const std::vector<Expr>&) { return x(ir::Var("z")); });
  EXPECT_NE(Verify({free}).error().message.find("'z' is not an axis"), std::string::npos);
  const Tensor twin = Compute("x", {4}, {"i"}, [&](const std::vector<Expr>& i) { return x(i[0]); });
  EXPECT_NE(Verify({twin}).error().message.find("two tensors are called 'x'"), std::string::npos);
  const Tensor vec = Compute("vec", {4}, {"i"},
                             [&](const std::vector<Expr>& i) { return ir::Broadcast(x(i[0]), 2); });
  EXPECT_NE(Verify({vec}).error().message.find("vec: the body is a vector"), std::string::npos);
  const ir::Buffer b = ir::MakeBuffer({.name = "b", .dtype = DType::kInt32, .shape = {4}});
  const Tensor buf =
      Compute("buf", {4}, {"i"}, [&](const std::vector<Expr>& i) { return ir::Load(b, {i[0]}); });
  EXPECT_NE(Verify({buf}).error().message.find("buf: buffers"), std::string::npos);

  const auto from = [&](const char* name, const Expr& start) {
    return Compute(name, {4}, {"i"},
                   [&](const std::vector<Expr>& i) { return Sum(x(i[0]), {k}, start); });
  };
  EXPECT_EQ(Verify({from("wide", ir::Imm(DType::kInt64, 1))}).error().message,
            "wide: it sums i32 and starts at i64; cast the start");
  EXPECT_EQ(Verify({from("moves", x(k.var))}).error().message,
            "moves: its start changes along k, which it sums; what changes there is summed");

  Values values;
  const Tensor far =
      Compute("far", {4}, {"i"}, [&](const std::vector<Expr>& i) { return x(i[0] + 1); });
  EXPECT_NE(Evaluate({far}, &values).error().message.find("x: 4 values of i32 are needed"),
            std::string::npos);
  values[x.get()] = Array(DType::kInt32, 4);
  EXPECT_NE(Evaluate({far}, &values).error().message.find("far reads x at 4 in dimension 0"),
            std::string::npos);
  const Tensor zero = Compute("zero", {4}, {"i"}, [&](const std::vector<Expr>& i) {
    return ir::FloorDiv(x(i[0]), x(i[0]));
  });
  EXPECT_NE(Evaluate({zero}, &values).error().message.find("zero: division by zero"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::te::evaluate_test
