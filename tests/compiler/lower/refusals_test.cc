// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what BuildLoops refuses of steps that are legal one by one, where no other test
// of a part does: boxes that wait for each other, that are empty, or that meet. Space: directed.
// Elsewhere: readers out of reach and intrinsics (tensorize_test), parallel loops and skipped
// reductions (passes_test).
#include <gtest/gtest.h>

#include "compiler/lower/lower.h"

namespace tessera::lower::refusals_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

std::string RefusalOf(const te::Tensor& y, const char* steps) {
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  const Status applied = s->Apply(steps);
  EXPECT_TRUE(applied) << applied.error().message;
  const Result<ir::Func> f = BuildLoops(*s, "f");
  return f ? "" : f.error().message;
}

// The copy of s is complete in front of y, which is in the loops of s.
TEST(LowerRefusals, AFollowerThatReadsACopyOfAllItFollows) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4});
  const te::Tensor s = te::Compute("s", {4}, {"i"}, [&](const Index& i) { return x(i) + 1; });
  const te::Tensor y = te::Compute("y", {4}, {"i"}, [&](const Index& i) { return s(i) * 2; });
  EXPECT_EQ(RefusalOf(y, "reverse_compute_at y s i\ncache_read s local c y"),
            "y: computed in the loops of what others read with them; attach one less");
}

// The only read of s is an index that nothing depends on, which inlining takes away.
TEST(LowerRefusals, AFollowerThatReadsNothingOfWhatItFollows) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4});
  const te::Tensor s = te::Compute("s", {4}, {"i"}, [&](const Index& i) { return x(i) + 1; });
  const te::Tensor t = te::Compute("t", {4}, {"i"}, [&](const Index&) { return x(0) + 2; });
  const te::Tensor y = te::Compute(
      "y", {4}, {"i"}, [&](const Index& i) { return t(ir::Cast(DType::kInt64, s(i))); });
  EXPECT_EQ(RefusalOf(y, "reverse_compute_at y s i\ninline t"),
            "y is computed in the loops of s, which a later step made it read no longer");
}

// A condition that never holds guards reads in front of the tensor.
TEST(LowerRefusals, AStageOfWhichNothingIsNeeded) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4});
  const te::Tensor a = te::Compute("a", {4}, {"i"}, [&](const Index& i) { return x(i) + 1; });
  const te::Tensor y = te::Compute("y", {2, 4}, {"i", "j"}, [&](const Index& i) {
    return ir::Select(ir::Le(9, i[1]), a(i[1] - 9), ir::Imm(DType::kInt32, 0));
  });
  EXPECT_EQ(RefusalOf(y, "compute_at a y i"),
            "a: no element of dimension 0 is needed where it is computed, at i of y");
}

// Parts of four of a row of six: the box of the second one begins in the first row too.
TEST(LowerRefusals, InPlaceOfWhatIsComputedTwice) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  const te::Tensor a =
      te::Compute("a", {4, 6}, {"i", "j"}, [&](const Index& i) { return x(i) * 2; });
  const te::Tensor y =
      te::Compute("y", {4, 6}, {"i", "j"}, [&](const Index& i) { return a(i) + 1; });
  EXPECT_EQ(
      RefusalOf(y, "fuse a i j f\nsplit a f 4 o n\nreverse_compute_at y a o\nin_place a y"),
      "y cannot be in place of a: in loop o of a some elements are computed twice; attach it where "
      "its boxes lie apart, or leave in_place out");
}

// A padded split makes room in a stage's own buffer, not in one that it shares.
TEST(LowerRefusals, InPlaceOfABufferWithoutThePadding) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {6});
  const te::Tensor y = te::Compute("y", {6}, {"i"}, [&](const Index& i) { return x(i) * 2; });
  EXPECT_EQ(
      RefusalOf(y,
                "layout x 0/4,0%4\ncache_write y global t\nin_place t y\n"
                "split t i 4 o n pad"),
      "t: loop i cannot be split by 4 with 'pad': t writes up to index 7 of dimension 0 of t, "
      "which has room for 6; 'layout t ..' has more with that dimension in blocks, or leave "
      "'pad' out");
}

}  // namespace
}  // namespace tessera::lower::refusals_test
