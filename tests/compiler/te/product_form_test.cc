// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the forms of a contraction by factors of uint8 and int16 give te::Evaluate's
// values of the contraction itself, and what has no such form. Space: windows, strides, dilation,
// pads that hold a value, a product of matrices with the factors in either order, sums near 2^31.
// Not tested here: the schedules made of it.
#include "compiler/te/product_form.h"

#include <gtest/gtest.h>

#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::te::product_form_test {
namespace {

using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

constexpr DType kFactors[] = {DType::kUint8, DType::kInt16};

void ExpectSame(const Tensor& out, Values values) {
  ASSERT_TRUE(Evaluate({out}, &values));
  for (const DType factor : kFactors) {
    const std::optional<ProductForm> form = ToProducts(out, factor);
    ASSERT_TRUE(form.has_value()) << Print({out});
    EXPECT_EQ(static_cast<bool>(form->correction), factor == DType::kUint8);
    const Status verified = Verify({form->output});
    ASSERT_TRUE(verified) << verified.error().message;
    Values own = values;
    const Tensor product_out = test::ProductOutput(out, &own, factor);
    ASSERT_TRUE(Evaluate({product_out}, &own));
    EXPECT_EQ(own.at(product_out.get()), values.at(out.get())) << Print({product_out});
  }
}

class ProductWindows : public ::testing::TestWithParam<test::WindowShape> {};

TEST_P(ProductWindows, GiveTheSameIntegers) {
  const Tensor out = test::WindowExpression(GetParam());
  if (GetParam().groups > 1) {
    for (const DType factor : kFactors) EXPECT_FALSE(ToProducts(out, factor).has_value());
    return;
  }
  Rng rng(4);
  ASSERT_NO_FATAL_FAILURE(ExpectSame(out, test::RandomInputs(out, rng)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, ProductWindows, ::testing::ValuesIn(test::WindowShapes()),
                         [](const auto& shape) { return shape.param.name; });

Tensor Product(int64_t k, DType x_type, DType w_type) {
  const Tensor x = Placeholder("x", x_type, {3, k}), w = Placeholder("w", w_type, {k, 8});
  const Axis i = ReduceAxis("i", k);
  return Compute("y", {3, 8}, {"n", "c"}, [&](const Index& at) {
    return Sum(Wide(x(at[0], i.var)) * Wide(w(i.var, at[1])), {i});
  });
}

TEST(ProductForm, ProductsOfMatricesWithLargeSums) {
  constexpr int64_t kDepth = 9000;
  const Tensor y = Product(kDepth, DType::kInt8, DType::kInt8);
  Values values;
  for (const Tensor& t : TopologicalOrder({y})) {  // all -128: 147,456,000; of the uint8 product 0
    if (t->placeholder)
      values[t.get()] = ir::Array(DType::kInt8, t.shape()[0] * t.shape()[1], 0x80);
  }
  ASSERT_NO_FATAL_FAILURE(ExpectSame(y, values));
}

TEST(ProductForm, WhatHasNoSuchForm) {
  EXPECT_TRUE(ToProducts(Product(4, DType::kInt8, DType::kInt8), DType::kInt16).has_value());
  EXPECT_FALSE(ToProducts(Product(4, DType::kUint8, DType::kInt8), DType::kInt16).has_value());
  EXPECT_FALSE(ToProducts(Product(4, DType::kInt8, DType::kInt32), DType::kInt16).has_value());
  const Tensor x = Placeholder("x", DType::kInt8, {3, 8});
  const Axis k = ReduceAxis("k", 8);
  const auto sum_of = [&](const Tensor& w) {
    return Compute("y", {3, 8}, {"n", "c"}, [&](const Index& i) {
      return Sum(Wide(x(i[0], k.var)) * Wide(w(k.var, i[1])), {k});
    });
  };
  const Tensor w = Placeholder("w", DType::kInt8, {8, 8});
  EXPECT_TRUE(ToProducts(sum_of(w), DType::kInt16).has_value());
  const Tensor made = Compute("m", {8, 8}, {}, [&](const Index& i) { return w(i[1], i[0]); });
  EXPECT_FALSE(ToProducts(sum_of(made), DType::kInt16).has_value()) << "weights that are computed";
  EXPECT_FALSE(
      ToProducts(sum_of(Placeholder("w", DType::kInt8, {9, 8})), DType::kInt16).has_value())
      << "weights that are not all read";
  const Tensor largest = Compute("y", {3, 8}, {"n", "c"}, [&](const Index& i) {
    return MaxOf(Wide(x(i[0], k.var)) * Wide(w(k.var, i[1])), {k});
  });
  EXPECT_FALSE(ToProducts(largest, DType::kInt16).has_value());
  const Tensor y = sum_of(w);
  const Tensor twice = Compute("z", {3}, {"n"}, [&](const Index& i) {
    const Axis c = ReduceAxis("c", 8);
    return Sum(y(i[0], c.var), {c});
  });
  EXPECT_FALSE(ToProducts(twice, DType::kInt16).has_value()) << "two reductions";
  const Tensor plain = Compute("p", {3, 8}, {}, [&](const Index& i) { return x(i); });
  EXPECT_FALSE(ToProducts(plain, DType::kInt16).has_value());
}

}  // namespace
}  // namespace tessera::te::product_form_test
