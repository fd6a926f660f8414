// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tensorize. Space: a 2x4x4 tile product declared by behaviour, with a separate
// start and with a flag, over a blocked window reduction; each way in which a nest does not match.
// Not tested here: the accelerator's own intrinsics (tests/compiler/accel).
#include <gtest/gtest.h>

#include "compiler/ir/interp.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::lower::tensorize_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

// out[b, o] (+)= sum over i of inp[b, i] * wgt[o, i], 2 x 4 x 4.
std::shared_ptr<const target::Target> Tiles() {
  const te::Tensor inp = te::Placeholder("inp", DType::kInt8, {2, 4}),
                   wgt = te::Placeholder("wgt", DType::kInt8, {4, 4});
  const te::Axis i = te::ReduceAxis("i", 4);
  const te::Tensor out = te::Compute("out", {2, 4}, {"b", "o"}, [&](const Index& x) {
    return te::Sum(Wide(inp(x[0], i.var)) * Wide(wgt(x[1], i.var)), {i});
  });
  auto run = [](std::span<ir::TileOperand> o, bool overwrite) -> Status {
    if (!o[0].Holds(8) || !o[1].Holds(8) || !o[2].Holds(16))
      return Fail(Code::kOutOfRange, "a tile leaves its buffer");
    for (int b = 0; b < 2; ++b) {
      for (int c = 0; c < 4; ++c) {
        int64_t sum = overwrite ? 0 : o[0].array->Int(o[0].offset + b * 4 + c);
        for (int k = 0; k < 4; ++k)
          sum +=
              o[1].array->Int(o[1].offset + b * 4 + k) * o[2].array->Int(o[2].offset + c * 4 + k);
        o[0].array->SetInt(o[0].offset + b * 4 + c, sum);
      }
    }
    return {};
  };
  using ir::OperandKind;
  ir::RegisterTileIntrin({"tile_test",
                          {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead},
                          [run](std::span<ir::TileOperand> o) { return run(o, false); }});
  ir::RegisterTileIntrin(
      {"tile_test_flag",
       {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead, OperandKind::kValue},
       [run](std::span<ir::TileOperand> o) { return run(o, o[3].value != 0); }});
  target::Target target = *target::Interpreter();
  target.intrinsics = {{"tile_test", "tile_test", out},
                       {"tile_test_flag", "tile_test_flag", out, {target::FirstStep()}}};
  return std::make_shared<const target::Target>(std::move(target));
}

// y[p, c] = sum over ci, k of x[p + 2 * k, ci] * w[k, c, ci], on 4-channel blocks.
// |starts|: from a[c] + 3.
te::Tensor Product(DType dtype = DType::kInt8, bool starts = false) {
  const te::Tensor x = te::Placeholder("x", dtype, {12, 8}),
                   w = te::Placeholder("w", dtype, {3, 8, 8});
  const te::Axis ci = te::ReduceAxis("ci", 8), k = te::ReduceAxis("k", 3);
  return te::Compute("y", {8, 8}, {"p", "c"}, [&](const Index& i) {
    const Expr start = te::Placeholder("a", DType::kInt32, {8})(i[1]) + Wide(Expr(3));
    return te::Sum(Wide(x(i[0] + k.var * 2, ci.var)) * Wide(w(k.var, i[1], ci.var)), {ci, k},
                   starts ? start : Expr());
  });
}

constexpr const char* kBlocked =
    "layout x 1/4,0,1%4\nlayout w 0,1/4,2/4,1%4,2%4\nlayout y 1/4,0,1%4\n"
    "split y p 2 po pi\nsplit y c 4 co cl\nsplit y ci 4 io il\nreorder y co po io k pi cl il\n";

Result<schedule::Schedule> Scheduled(const te::Tensor& y, const std::string& steps) {
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(steps));
  return schedule::Schedule::Replay({y}, trace, Tiles());
}

// Of a sum that starts at a value, the calls add to what was stored before them.
TEST(Tensorize, ANestBecomesCallsThatComputeTheSame) {
  const std::pair<std::string, bool> kCases[] = {
      {"tile_test", false}, {"tile_test_flag", false}, {"tile_test", true}};
  for (const auto& [intrin, starts] : kCases) {
    Rng rng(9);
    const te::Tensor y = Product(DType::kInt8, starts);
    const Result<schedule::Schedule> s =
        Scheduled(y, kBlocked + std::string("tensorize y pi ") + intrin);
    ASSERT_TRUE(s.has_value()) << s.error().message;
    const Result<ir::Func> f = Lower(*s, "f");
    ASSERT_TRUE(f.has_value()) << f.error().message;
    const std::string text = ir::Print(*f);
    EXPECT_NE(text.find("eval " + intrin + "(y["), std::string::npos) << text;
    // With the flag nothing else stores to the output.
    EXPECT_EQ(text.find("] = ") == std::string::npos, intrin == "tile_test_flag") << text;
    te::Values values = test::RandomInputs(y, rng);
    ASSERT_TRUE(te::Evaluate({y}, &values));
    std::vector<ir::Array> arrays = test::Arguments(*f, *s, values);
    std::vector<ir::Array*> pointers;
    for (ir::Array& a : arrays) pointers.push_back(&a);
    const Result<ir::InterpStats> run = ir::Interpret(*f, pointers);
    ASSERT_TRUE(run.has_value()) << run.error().message << text;
    EXPECT_EQ(test::Logical(*f, *s, arrays.size() - 1, arrays), values.at(y.get()).bytes()) << text;
  }
}

// The call that starts sums is the first tap's, which is a pad for the first row.
TEST(Tensorize, AnInstructionThatStartsASumCannotBeSkipped) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {12, 8}),
                   w = te::Placeholder("w", DType::kInt8, {3, 8, 8});
  const te::Tensor padded = te::Compute("padded", {14, 8}, {"i", "j"}, [&](const Index& i) {
    return ir::Select(ir::Le(2, i[0]), x(i[0] - 2, i[1]), ir::Imm(DType::kInt8, 0));
  });
  const te::Axis ci = te::ReduceAxis("ci", 8), k = te::ReduceAxis("k", 3);
  const te::Tensor y = te::Compute("y", {8, 8}, {"p", "c"}, [&](const Index& i) {
    return te::Sum(Wide(padded(i[0] + k.var * 2, ci.var)) * Wide(w(k.var, i[1], ci.var)), {ci, k});
  });
  for (const bool flag : {false, true}) {
    const Result<schedule::Schedule> s = Scheduled(
        y,
        "skip y k\nlayout padded 1/4,0,1%4\nlayout w 0,1/4,2/4,1%4,2%4\nlayout y 1/4,0,1%4\n"
        "split y p 2 po pi\nsplit y c 4 co cl\nsplit y ci 4 io il\n"
        "reorder y co po io k pi cl il\ntensorize y pi tile_test" +
            std::string(flag ? "_flag" : ""));
    ASSERT_TRUE(s) << s.error().message;
    const Result<ir::Func> f = Lower(*s, "f");
    if (flag) {
      ASSERT_FALSE(f);
      EXPECT_EQ(f.error().message,
                "y: tile_test_flag starts the sum in its first iteration, which a condition may "
                "skip; choose another intrinsic, or leave 'skip' or 'align' out");
      continue;
    }
    ASSERT_TRUE(f) << f.error().message;
    Rng rng(10);
    te::Values values = test::RandomInputs(y, rng);
    ASSERT_TRUE(te::Evaluate({y}, &values));
    EXPECT_EQ(test::DifferenceOf({*s, y, values}, *f), "") << ir::Print(*f);
  }
}

TEST(Tensorize, AMismatchSaysWhatDiffers) {
  const auto message = [](const te::Tensor& y, const std::string& steps) {
    const Result<schedule::Schedule> s = Scheduled(y, steps);
    EXPECT_TRUE(s.has_value()) << s.error().message;
    const Result<ir::Func> f = BuildLoops(*s, "f");
    EXPECT_FALSE(f.has_value());
    return f ? std::string() : f.error().message;
  };
  const std::string tail = "tensorize y pi tile_test";
  const std::string plain =
      "split y p 2 po pi\nsplit y c 4 co cl\nsplit y ci 4 io il\nreorder y co po io k pi cl il\n";
  EXPECT_NE(message(Product(), plain + tail)
                .find("y: the nest is not tile_test: out (y) steps by 8 in loop pi, the tile by 4"),
            std::string::npos);
  EXPECT_NE(message(Product(), "split y p 4 po pi\nreorder y po ci k pi c\n" + tail)
                .find("axis b has 2 iterations, loop pi has 4"),
            std::string::npos);
  EXPECT_NE(message(Product(),
                    "split y p 2 po pi\nsplit y c 4 co cl\nsplit y ci 4 io il\nreorder y co po io "
                    "pi cl il k\n" +
                        tail)
                .find("loop k is one too many"),
            std::string::npos);
  EXPECT_NE(message(Product(DType::kUint8), kBlocked + tail).find("the expression differs"),
            std::string::npos);
  EXPECT_NE(message(Product(), "split y p 3 po pi\nreorder y po c ci k pi\n" + tail)
                .find("it runs under a condition"),
            std::string::npos);
  EXPECT_NE(message(Product(), kBlocked + ("vthread y cl\n" + tail))
                .find("y: loop pi is tile_test, and the virtual threads of cl are inside it; make "
                      "them of a loop further out"),
            std::string::npos);
  EXPECT_EQ(message(Product(), kBlocked + ("cache_read x local c y\ncompute_at c y cl\n" + tail)),
            "y: loop pi is tile_test, and c is computed inside it, at cl; attach it further out");
  EXPECT_EQ(message(Product(), kBlocked + ("layout y 1/3,0,1%3\n" + tail)),
            "y: the nest is not tile_test: out (y) does not step linearly; change its loops or "
            "layouts in front of 'tensorize y pi', or leave that out");
  EXPECT_EQ(message(Product(DType::kInt8, true), kBlocked + tail + "_flag"),
            "y: the nest is not tile_test_flag: it starts sums at 0, and this one starts at a "
            "value; add that behind the sum; change its loops or layouts in front of 'tensorize y "
            "pi', or leave that out");
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {2, 4});
  const te::Tensor copy =
      te::Compute("y", {2, 4}, {"pi", "c"}, [&](const Index& i) { return Wide(x(i)); });
  EXPECT_NE(message(copy, tail).find("the reduction differs"), std::string::npos);
}

TEST(BuildLoops, ParametersAndReachAreChecked) {
  const te::Tensor y = Product();
  const Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  EXPECT_NE(BuildLoops(*s, "f", {"x", "y"}).error().message.find("f: 'w' is missing"),
            std::string::npos);
  EXPECT_NE(BuildLoops(*s, "f", {"x", "x"}).error().message.find("'x' is named twice"),
            std::string::npos);
  EXPECT_NE(
      BuildLoops(*s, "f", {"x", "q"}).error().message.find("'q' is neither an input nor an output"),
      std::string::npos);
  ASSERT_TRUE(BuildLoops(*s, "f", {"y", "w", "x"}).has_value());

  const te::Tensor a =
      te::Compute("a", {8, 8}, {"i", "j"}, [&](const Index& i) { return y(i) + 1; });
  const te::Tensor b =
      te::Compute("b", {8, 8}, {"i", "j"}, [&](const Index& i) { return a(i) + 2; });
  const auto build = [&](const char* steps) { return BuildLoops(*Scheduled(b, steps), "f"); };
  EXPECT_NE(build("compute_at a b i\ncompute_at y b j")
                .error()
                .message.find("a reads y, which is computed inside a loop that does not"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::lower::tensorize_test
