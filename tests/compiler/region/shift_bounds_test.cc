// SPDX-License-Identifier: Apache-2.0
//
// What is tested: WithShiftBounds keeps every value and says that no shift of a constant is above
// 0, in stages that others read, and of nothing else. Not tested here: the code
// (llvm_requant_test).
#include "compiler/region/shift_bounds.h"

#include <gtest/gtest.h>

#include "compiler/ir/intrin.h"

namespace tessera::te::shift_bounds_test {
namespace {

using Index = std::vector<Expr>;

TEST(ShiftBounds, SayThatNoneIsAboveZeroAndKeepTheValues) {
  const std::vector<int32_t> shifts{-7, -2, -9};
  const Tensor x = Placeholder("x", DType::kInt32, {4, 3}),
               m = Placeholder("m", DType::kInt32, {3}), s = Placeholder("s", DType::kInt32, {3}),
               t = Placeholder("t", DType::kInt32, {3});
  const auto scaled = [&](const Tensor& from, const Tensor& shift) {
    return [&, from, shift](const Index& i) {
      return ir::Requant(from(i), m(i[1]), shift(i[1]), isa::Round::kEven);
    };
  };
  const Tensor a = Compute("a", {4, 3}, {"i", "j"}, scaled(x, s));
  const Tensor b = Compute("b", {4, 3}, {"i", "j"}, [&](const Index& i) { return a(i) + x(i); });
  const Tensor y = Compute("y", {4, 3}, {"i", "j"}, scaled(b, t));
  RegionTe region{.name = "region", .output = y, .output_id = 5};
  const auto* bytes = reinterpret_cast<const uint8_t*>(shifts.data());
  region.bindings = {{x, 1, {}}, {m, 2, {}}, {t, 3, {}}, {s, -1, {bytes, bytes + 12}}};
  const RegionTe bounded = WithShiftBounds(region);
  const Status verified = Verify({bounded.output});
  ASSERT_TRUE(verified) << verified.error().message;

  Values values;
  ir::Array numbers(DType::kInt32, 12), multipliers(DType::kInt32, 3, 0x40),
      constant(DType::kInt32, 3), given(DType::kInt32, 3);
  for (int64_t i = 0; i < 12; ++i) numbers.SetInt(i, (i - 6) * 12345677);
  for (int64_t i = 0; i < 3; ++i) {
    constant.SetInt(i, shifts[static_cast<size_t>(i)]);
    given.SetInt(i, i - 1);
  }
  values = {{x.get(), numbers}, {m.get(), multipliers}, {s.get(), constant}, {t.get(), given}};
  ASSERT_TRUE(Evaluate({y}, &values));
  ASSERT_TRUE(Evaluate({bounded.output}, &values));
  EXPECT_EQ(values.at(bounded.output.get()), values.at(y.get()));
  EXPECT_FALSE(bounded.output == y);

  const std::string text = Print({bounded.output});
  EXPECT_NE(text.find("min(s[j], 0i32)"), std::string::npos) << text;
  EXPECT_EQ(text.find("min(t"), std::string::npos) << text;

  const std::vector<int32_t> left{-7, 1, -9};
  bytes = reinterpret_cast<const uint8_t*>(left.data());
  region.bindings.back().constant.assign(bytes, bytes + 12);
  EXPECT_EQ(Print({WithShiftBounds(region).output}).find("min(s"), std::string::npos);
}

TEST(ShiftBounds, WithoutConstantShiftsNothingChanges) {
  const Tensor x = Placeholder("x", DType::kInt32, {4});
  const Tensor y = Compute("y", {4}, {"i"}, [&](const Index& i) {
    return ir::Requant(x(i), ir::Imm(DType::kInt32, 1 << 30), ir::Imm(DType::kInt32, -3),
                       isa::Round::kEven);
  });
  const RegionTe region{.name = "region", .bindings = {{x, 1, {}}}, .output = y};
  EXPECT_TRUE(WithShiftBounds(region).output == y);
}

}  // namespace
}  // namespace tessera::te::shift_bounds_test
