// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the unsigned form of a contraction gives te::Evaluate's values of the contraction
// itself, and what has no such form. Space: windows, strides, dilation, pads that hold a value, a
// product of matrices with the factors in either order, sums near 2^31. Not tested here: the
// schedules made of it.
#include "compiler/te/unsigned.h"

#include <gtest/gtest.h>

#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::te::unsigned_test {
namespace {

using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

void ExpectSame(const Tensor& out, Values values) {
  const std::optional<UnsignedForm> form = ToUnsigned(out, 8);
  ASSERT_TRUE(form.has_value()) << Print({out});
  const Status verified = Verify({form->output});
  ASSERT_TRUE(verified) << verified.error().message;
  ASSERT_TRUE(Evaluate({out}, &values));
  const Tensor unsigned_out = test::UnsignedOutput(out, &values);
  ASSERT_TRUE(Evaluate({unsigned_out}, &values));
  EXPECT_EQ(values.at(unsigned_out.get()), values.at(out.get())) << Print({unsigned_out});
}

class UnsignedWindows : public ::testing::TestWithParam<test::WindowShape> {};

TEST_P(UnsignedWindows, GiveTheSameIntegers) {
  const Tensor out = test::WindowExpression(GetParam());
  if (GetParam().groups > 1 || GetParam().out_channels % 8 != 0) {
    EXPECT_FALSE(ToUnsigned(out, 8).has_value());
    return;
  }
  Rng rng(4);
  ASSERT_NO_FATAL_FAILURE(ExpectSame(out, test::RandomInputs(out, rng)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, UnsignedWindows, ::testing::ValuesIn(test::WindowShapes()),
                         [](const auto& shape) { return shape.param.name; });

Tensor Product(int64_t k, DType x_type, DType w_type) {
  const Tensor x = Placeholder("x", x_type, {3, k}), w = Placeholder("w", w_type, {k, 8});
  const Axis i = ReduceAxis("i", k);
  return Compute("y", {3, 8}, {"n", "c"}, [&](const Index& at) {
    return Sum(Wide(x(at[0], i.var)) * Wide(w(i.var, at[1])), {i});
  });
}

TEST(Unsigned, ProductsOfMatricesWithLargeSums) {
  constexpr int64_t kDepth = 9000;
  const Tensor y = Product(kDepth, DType::kInt8, DType::kInt8);
  Values values;
  for (const Tensor& t : TopologicalOrder({y})) {  // all -128: 147,456,000; of the uint8 product 0
    if (t->placeholder)
      values[t.get()] = ir::Array(DType::kInt8, t.shape()[0] * t.shape()[1], 0x80);
  }
  ASSERT_NO_FATAL_FAILURE(ExpectSame(y, values));
}

TEST(Unsigned, WhatHasNoSuchForm) {
  EXPECT_TRUE(ToUnsigned(Product(4, DType::kInt8, DType::kInt8), 8).has_value());
  EXPECT_FALSE(ToUnsigned(Product(4, DType::kInt8, DType::kInt8), 16).has_value());
  EXPECT_FALSE(ToUnsigned(Product(4, DType::kUint8, DType::kInt8), 8).has_value());
  EXPECT_FALSE(ToUnsigned(Product(4, DType::kInt8, DType::kInt32), 8).has_value());
  const Tensor x = Placeholder("x", DType::kInt8, {3, 8});
  const Axis k = ReduceAxis("k", 8);
  const auto sum_of = [&](const Tensor& w) {
    return Compute("y", {3, 8}, {"n", "c"}, [&](const Index& i) {
      return Sum(Wide(x(i[0], k.var)) * Wide(w(k.var, i[1])), {k});
    });
  };
  const Tensor w = Placeholder("w", DType::kInt8, {8, 8});
  EXPECT_TRUE(ToUnsigned(sum_of(w), 8).has_value());
  const Tensor made = Compute("m", {8, 8}, {}, [&](const Index& i) { return w(i[1], i[0]); });
  EXPECT_FALSE(ToUnsigned(sum_of(made), 8).has_value()) << "weights that are computed";
  EXPECT_FALSE(ToUnsigned(sum_of(Placeholder("w", DType::kInt8, {9, 8})), 8).has_value())
      << "weights that are not all read";
  const Tensor largest = Compute("y", {3, 8}, {"n", "c"}, [&](const Index& i) {
    return MaxOf(Wide(x(i[0], k.var)) * Wide(w(k.var, i[1])), {k});
  });
  EXPECT_FALSE(ToUnsigned(largest, 8).has_value());
  const Tensor y = sum_of(w);
  const Tensor twice = Compute("z", {3}, {"n"}, [&](const Index& i) {
    const Axis c = ReduceAxis("c", 8);
    return Sum(y(i[0], c.var), {c});
  });
  EXPECT_FALSE(ToUnsigned(twice, 8).has_value()) << "two reductions";
  const Tensor plain = Compute("p", {3, 8}, {}, [&](const Index& i) { return x(i); });
  EXPECT_FALSE(ToUnsigned(plain, 8).has_value());
}

}  // namespace
}  // namespace tessera::te::unsigned_test
