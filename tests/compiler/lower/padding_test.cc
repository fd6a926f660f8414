// SPDX-License-Identifier: Apache-2.0
//
// What is tested: splits with `pad` that do not divide: each way in which an iteration behind the
// end would read or write where there is no place, run twice, or add to a sum, is refused; what is
// accepted computes the definition, with padding that holds other numbers where it may. Space:
// directed, a product of 4x6 and 5x6 numbers. Not tested here: what the generators make of it
// (tests/compiler/accel, tests/compiler/gpu, schedule_host_test).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/params.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::lower::padding_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

// y[i, j] = the sum, or the greatest, of x[i, k] * w[j, k].
te::Tensor Product(ir::ReduceOp op = ir::ReduceOp::kSum, DType dtype = DType::kInt32) {
  const te::Tensor x = te::Placeholder("x", dtype, {4, 6}), w = te::Placeholder("w", dtype, {5, 6});
  const te::Axis k = te::ReduceAxis("k", 6);
  return te::Compute("y", {4, 5}, {"i", "j"}, [&](const Index& i) {
    const Expr product = x(i[0], k.var) * w(i[1], k.var);
    return op == ir::ReduceOp::kSum ? te::Sum(product, {k}) : te::MaxOf(product, {k});
  });
}

// Why the loops of |steps| are not made; "": they compute the definition.
std::string Lowered(const te::Tensor& y, const std::string& steps) {
  const Result<schedule::Trace> trace = schedule::ParseTrace(steps);
  EXPECT_TRUE(trace) << trace.error().message;
  const auto s = schedule::Schedule::Replay({y}, *trace);
  if (!s) return s.error().message;
  const Result<ir::Func> func = BuildLoops(*s, "f");
  if (!func) return func.error().message;
  Rng rng(5);
  te::Values values = test::RandomInputs(y, rng);
  EXPECT_TRUE(te::Evaluate({y}, &values));
  for (const ir::Func& f : {*func, *Lower(*s, "f")})
    EXPECT_EQ(test::DifferenceOf({*s, y, values}, f), "") << steps;
  return "";
}

const std::string kPadded = "split y k 4 o n pad\n";
const std::string kBlocks = "layout x 0,1/4,1%4 7\nlayout w 0,1/4,1%4\n";  // x has sevens there

TEST(LowerPadding, WhatHasNoPlaceIsRefused) {
  const std::pair<std::string, std::string> kBad[] = {
      {"split y i 3 o n pad",
       "y: loop i cannot be split by 3 with 'pad': y writes up to index 5 of dimension 0 of y, "
       "which has room for 4; 'layout y ..' has more with that dimension in blocks, or leave 'pad' "
       "out"},
      {"layout y 0/3,0%3,1\nsplit y i 3 o n pad",
       "y reads up to index 5 of dimension 0 of x, which has room for 4; 'layout x ..'"},
      {"layout y 0/3,0%3,1\nlayout x 0/2,0%2,1\nsplit y i 3 o n pad", "which has room for 4"},
      {kPadded,
       "y reads up to index 7 of dimension 1 of x, which has room for 6; 'layout x ..' has more "
       "with that dimension in blocks, 'reindex x y NAME 0' a copy that has, or leave 'pad' out"},
      {"layout x 0,1/4,1%4\n" + kPadded, "y reads up to index 7 of dimension 1 of w"},
      {"layout x 0,0+1+1\nlayout w 0,0+1+2\n" + kPadded, "up to index 7 of dimension 1 of x"},
      {"cache_read x local c y\ncompute_at c y i\n" + kBlocks + kPadded,
       "y reads up to index 7 of dimension 1 of c, which has room for 6"},
      {kBlocks + "fuse y i j f\nsplit y f 3 o n pad",
       "y writes up to index 4 of dimension 0 of y, which has room for 4"},
      // Boxes of two rows become three, and the last one ends with the tensor.
      {"cache_read x local c y\nsplit y i 2 o n\ncompute_at c y o\nsplit c i0 3 a b pad",
       "c reads up to index 4 of dimension 0 of x"},
  };
  for (const auto& [steps, message] : kBad) {
    const std::string why = Lowered(Product(), steps);
    EXPECT_NE(why.find(message), std::string::npos) << steps << ": " << why;
  }
}

// Behind a part of a loop is the next part.
TEST(LowerPadding, APartOfALoopIsNotPadded) {
  const std::string why = Lowered(Product(), "split y k 3 o n\nsplit y n 2 a b pad\n");
  EXPECT_NE(
      why.find("y: loop n cannot be split by 2 with 'pad': it is a part of another loop, whose "
               "next part the iterations behind its end belong to; choose a factor that "
               "divides 3"),
      std::string::npos)
      << why;
  EXPECT_NE(Lowered(Product(), "split y i 2 o n\nsplit y n 3 a b pad\n"), "");
  // The part is all of the loop, or is the outer one: then it is the loop that ends.
  EXPECT_EQ(Lowered(Product(), kBlocks + "split y k 6 o n\nsplit y n 4 a b pad\n"), "");
  EXPECT_EQ(Lowered(Product(),
                    "layout x 0,1/4,1%4 7\nlayout w 0,1/8,1%8\nlayout x 0,1/8,1%8 7\n"
                    "split y k 2 o n\nsplit y o 2 a b pad\n"),
            "");
}

TEST(LowerPadding, WhatIsAddedBehindTheEndIsZero) {
  const std::string nothing =
      "what the iterations behind its end add is not 0, and a factor of the "
      "sum has to be: an input's by the fill of its layout, or by 'reindex "
      "TENSOR y NAME 0'";
  const std::string full = "layout x 0,1/4,1%4 7\nlayout w 0,1/4,1%4 5\n";
  EXPECT_NE(Lowered(Product(), full + kPadded).find(nothing), std::string::npos);
  EXPECT_EQ(Lowered(Product(), kBlocks + kPadded), "");
  EXPECT_EQ(Lowered(Product(), full + kPadded + "reindex w y r 0\n"), "");
  EXPECT_EQ(Lowered(Product(), kPadded + "reindex x y r 0\nreindex w y q 3\n"), "");
  EXPECT_NE(Lowered(Product(), kPadded + "reindex x y r 2\nreindex w y q 3\n").find(nothing),
            std::string::npos);
  // By way of copies, whose padding is what they read.
  EXPECT_EQ(Lowered(Product(), kBlocks +
                                   "cache_read w local c y\nlayout c 0,1/4,1%4\n"
                                   "split c i1 4 a b pad\n" +
                                   kPadded),
            "");
  EXPECT_NE(Lowered(Product(), kBlocks + "cache_read w local c y\nlayout c 0,1/4,1%4\n" + kPadded)
                .find(nothing),
            std::string::npos)
      << "nobody has written the padding of c";
  // The greatest is another number than without zeros; a float's zero times what is no number.
  EXPECT_NE(Lowered(Product(ir::ReduceOp::kMax), kBlocks + kPadded).find(nothing),
            std::string::npos);
  const te::Tensor real = Product(ir::ReduceOp::kSum, DType::kFloat32);
  EXPECT_NE(Lowered(real, kPadded + "reindex x y r 0\nreindex w y q 1\n").find(nothing),
            std::string::npos);
  EXPECT_EQ(Lowered(real, kPadded + "reindex x y r 0\nreindex w y q 0\n"), "");
}

TEST(LowerPadding, WhatHasAPlaceComputesTheDefinition) {
  for (const char* steps :
       {"split y i 2 o n pad\n", "layout y 0/3,0%3,1\nlayout x 0/3,0%3,1\nsplit y i 3 o n pad\n",
        "layout y 0,1/4,1%4\nlayout w 0/4,0%4,1\nsplit y j 4 o n pad\n",
        "layout y 0/3,0%3,1\nlayout x 0/3,0%3,1\nfuse y i j f\nsplit y f 3 o n pad\n",
        "cache_read x local c y\nsplit y i 2 o n\ncompute_at c y o\nsplit c i0 4 a b pad\n",
        "split y k 4 o n pad\nrfactor y o part\n", "split y k 4 o n pad\nrfactor y n part\n",
        "split y k 4 o n pad\nreindex x y r 0\nreindex w y q 0\nprepare q\nsplit q n 3 a b "
        "pad\n"}) {
    EXPECT_EQ(Lowered(Product(), steps), "") << steps;
  }
}

}  // namespace
}  // namespace tessera::lower::padding_test
