// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the stages that the accelerator's compiler refuses, with their messages: unknown
// roles or epilogues, scratchpads that are too small. Space: one case a diagnostic. Not tested
// here: that accepted regions are right (region_test, network_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compiler/accel/expressions.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/accel/shapes.h"

namespace tessera::test::refuse_test {
namespace {

using ir::Expr;
using te::Tensor;
using Index = ExprList;

std::string Refusal(const Tensor& output, const isa::Config& config = NamedConfig("default")) {
  const auto status =
      lower::accel::CheckRegion(lower::accel::AnalysisOf(RegionOf(output), config), config);
  if (status) return "accepted";
  return status.error().message;
}

const Tensor X() { return te::Placeholder("x", DType::kInt8, {1, 8, 6, 6}); }

TEST(Refuse, WeightsThatAreReadBackwards_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8, 2});
  const te::Axis c = te::ReduceAxis("c", 8), k = te::ReduceAxis("k", 2);
  const Tensor sum = te::Compute("sum", {1, 8, 6, 5}, {}, [&](const Index& i) {
    return te::Sum(Wide(x(i[0], c.var, i[2], i[3] + k.var)) * Wide(w(i[1], c.var, Expr(1) - k.var)),
                   {c, k});
  });
  EXPECT_THAT(Refusal(Finish(sum)), testing::HasSubstr("weights that are read backwards"));
}

// The boxes of a schedule in steps must fit beside the activations that stay. Here none stays, and
// the boxes are too large.
TEST(Refuse, StepsWhoseBoxesAreLargerThanInp_bad) {
  Net net(7);
  net.Output(net.Conv(net.Input({1, 16, 60, 60}), 16, Square(3)));
  const isa::Config config = NamedConfig("default");
  auto compiled = CompileBySteps(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  lower::accel::AccelRegion region = compiled->regions[0];
  schedule::Trace trace;
  for (schedule::Step& step : *region.schedule) {
    if (auto* split = std::get_if<schedule::SplitStep>(&step);
        split && (split->outer == "y.o" || split->outer == "x.o"))
      split->factor = 60;
    if (!std::holds_alternative<schedule::DoubleBufferStep>(step)) trace.push_back(step);
  }
  region.schedule = trace;
  const auto program = CompileAlone(compiled->activations, {region}, config);
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message,
              ::testing::HasSubstr("its boxes take 3844 tiles of INP, 2048 are there"));
}

// The first layer's result with its halo, 42 x 42 tiles, stays and leaves 284 tiles of INP; two
// boxes of eight rows have 10 x 42 each.
TEST(Refuse, StepsWhoseBoxesDoNotFitBesideWhatStays_bad) {
  Net net(8);
  net.Output(net.Conv(net.Conv(net.Input({1, 16, 40, 40}), 16, Square(3)), 16, Square(3)));
  const isa::Config config = NamedConfig("default");
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_EQ(compiled->program.residents.size(), 1u);
  for (size_t r = 0; r < 2; ++r) compiled->regions[r].schedule = compiled->program.traces[r];
  const auto message = [&](int64_t rows) {
    for (schedule::Step& step : *compiled->regions[0].schedule) {
      auto* decide = std::get_if<schedule::DecideStep>(&step);
      if (decide == nullptr) continue;
      if (decide->name == "rows") decide->value.number = rows;
      if (decide->name == "columns") decide->value.number = 40;
      // The user's own domain, not the generator's, whose values fit.
      decide->domain = {.values = {decide->value.number}};
    }
    const auto program = CompileAlone(compiled->activations, compiled->regions, config);
    return program ? std::string("accepted") : program.error().message;
  };
  EXPECT_EQ(message(1), "accepted");
  EXPECT_EQ(message(8),
            "t2: its boxes take 840 tiles of INP, 284 are there beside what stays; smaller tiles "
            "of work, or less that stays (set_scope .. inp)");
}

// A layer with a schedule reads in INP what the generator's layer makes; another layer reads it in
// memory.
TEST(Refuse, SchedulesThatReadOneTensorInTwoMemories_bad) {
  Net net(9);
  const auto x = net.Conv(net.Input({1, 16, 10, 10}), 16, Square(3));
  net.Output(net.Conv(x, 16, Square(3)));
  net.Output(net.Conv(x, 32, Square(1)));
  const isa::Config config = NamedConfig("default");
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_EQ(compiled->program.residents.size(), 1u);
  const auto in_memory =
      network::PlanProgram(compiled->activations, compiled->regions, config, {.residency = false});
  ASSERT_TRUE(in_memory) << in_memory.error().message;
  compiled->regions[1].schedule = compiled->program.traces[1];
  const auto stays = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_TRUE(stays) << stays.error().message;
  EXPECT_TRUE(stays->image == compiled->program.image);
  compiled->regions[2].schedule = in_memory->traces[2];
  const auto program = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().message,
            "t2: the schedule of a layer that reads it says that it stays on chip, but a region "
            "whose schedule says each step reads it from device memory");
}

// Layers exchange int8 of up to four dimensions, whoever made the schedule.
TEST(Refuse, AScheduleOfWhatIsNoActivation_bad) {
  const isa::Config config = NamedConfig("default");
  const auto message = [&](const Tensor& x, const Tensor& y) {
    lower::accel::AccelRegion region = RegionOf(y);
    region.result = 1;
    region.schedule.emplace();
    const auto plan = network::PlanProgram({{"x", x.shape(), network::Activation::Kind::kInput},
                                            {"y", y.shape(), network::Activation::Kind::kOutput}},
                                           {region}, config);
    return plan ? std::string("accepted") : plan.error().message;
  };
  const Tensor x = X(), deep = te::Placeholder("x", DType::kInt8, {1, 2, 3, 4, 5});
  EXPECT_EQ(message(x, te::Compute("y", x.shape(), {}, [&](const Index& i) { return Wide(x(i)); })),
            "case: y is i32 of 4 dimensions; layers exchange int8 of 1 to 4; requantise or reshape "
            "it inside of its layer");
  EXPECT_EQ(message(deep, te::Compute("y", {1, 2, 3, 4}, {},
                                      [&](const Index& i) {
                                        return deep(i[0], i[1], i[2], i[3], Expr(0));
                                      })),
            "case: x is i8 of 5 dimensions; layers exchange int8 of 1 to 4; requantise or reshape "
            "it inside of its layer");
}

// One of two activations must have the axes of weights: channels, and images beside them.
TEST(Refuse, ProductsOfTwoActivations_bad) {
  const Tensor x = X(), v = te::Placeholder("v", DType::kInt8, {8, 8});
  const auto of = [&](const std::function<Expr(const Index&, const te::Axis&)>& value) {
    return Finish(SumOf(value, {1, 8, 6, 6}, 8));
  };
  const auto plain = [&](int64_t zero, int64_t other) {
    return of([&, zero, other](const Index& i, const te::Axis& k) {
      return (Wide(x(i[0], k.var, i[2], i[3])) - I32(zero)) * (Wide(v(i[1], k.var)) - I32(other));
    });
  };
  EXPECT_EQ(Refusal(plain(3, -128)), "accepted");
  EXPECT_THAT(Refusal(plain(0, 200)),
              ::testing::HasSubstr("a product of two activations, neither"));
  EXPECT_THAT(Refusal(of([&](const Index& i, const te::Axis& k) {
                return Wide(x(i[0], i[1], i[2], k.var)) * Wide(v(i[3], k.var));
              })),
              ::testing::HasSubstr(
                  "stage sum: a product of two activations, neither of which has the axes of "
                  "weights; the host can run it"));
  const Tensor own = te::Placeholder("x", DType::kInt8, {8, 8});
  EXPECT_THAT(Refusal(Finish(SumOf(
                  [&](const Index& i, const te::Axis& k) {
                    return Wide(own(i[0], k.var)) * Wide(own(k.var, i[1]));
                  },
                  {8, 8}, 8))),
              ::testing::HasSubstr("a product of an activation with itself"));
}

TEST(Refuse, WeightsOfEachImageInRowsOfSeveral_bad) {
  const Tensor a = te::Placeholder("a", DType::kInt8, {3, 8, 16}),
               b = te::Placeholder("b", DType::kInt8, {3, 16, 6});
  const Tensor y = Finish(SumOf(
      [&](const Index& i, const te::Axis& k) {
        return Wide(a(i[0], i[1], k.var)) * Wide(b(i[0], k.var, i[2]));
      },
      {3, 8, 6}, 16));
  EXPECT_EQ(Refusal(y), "accepted");
  EXPECT_EQ(Refusal(y, NamedConfig("batch4")),
            "stage sum: tiles of configuration batch4 have rows of 4 images, which GEMM multiplies "
            "by the same weights, and here each image has its own; the host can run it");
}

TEST(Refuse, ASumThatStartsAtAValue_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8}),
               b = te::Placeholder("wb", DType::kInt32, {8});
  const te::Axis k = te::ReduceAxis("k", 8);
  const Tensor sum = te::Compute("sum", {1, 8, 6, 6}, {}, [&](const Index& i) {
    return te::Sum(Wide(x(i[0], k.var, i[2], i[3])) * Wide(w(i[1], k.var)), {k}, b(i[1]));
  });
  EXPECT_THAT(Refusal(Finish(sum)), ::testing::HasSubstr("a sum that starts at a value"));
}

TEST(Refuse, WeightsWithAZeroPoint_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8});
  const Tensor sum = SumOf(
      [&](const Index& i, const te::Axis& k) {
        return Wide(x(i[0], k.var, i[2], i[3])) * (Wide(w(i[1], k.var)) - I32(3));
      },
      {1, 8, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)), ::testing::HasSubstr("weights with a zero point"));
}

TEST(Refuse, AZeroPointInsideTheProducts_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8});
  const Tensor sum = SumOf(
      [&](const Index& i, const te::Axis& k) {
        return (Wide(x(i[0], k.var, i[2], i[3])) - I32(3)) * Wide(w(i[1], k.var));
      },
      {1, 8, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)), ::testing::HasSubstr("a zero point inside the products"));
}

TEST(Refuse, ASumOverChannelsWithoutWeights_bad) {
  const Tensor x = X();
  const Tensor sum =
      SumOf([&](const Index& i, const te::Axis& k) { return Wide(x(i[0], k.var, i[2], i[3])); },
            {1, 1, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)), ::testing::HasSubstr("a reduction over channels"));
}

TEST(Refuse, ASpatialIndexRunningBackwards_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8});
  const Tensor sum = SumOf(
      [&](const Index& i, const te::Axis& k) {
        return Wide(x(i[0], k.var, Expr(5) - i[2], i[3])) * Wide(w(i[1], k.var));
      },
      {1, 8, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)), ::testing::HasSubstr("out * stride + tap * dilation - pad"));
}

TEST(Refuse, ASpatialIndexThatDoesNotMove_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8});
  const Tensor sum = SumOf(
      [&](const Index& i, const te::Axis& k) {
        return Wide(x(i[0], k.var, Expr(2), i[3])) * Wide(w(i[1], k.var));
      },
      {1, 8, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)), ::testing::HasSubstr("out * stride + tap * dilation - pad"));
}

TEST(Refuse, ADiagonal_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8});
  const Tensor sum = SumOf(
      [&](const Index& i, const te::Axis& k) {
        return Wide(x(i[0], k.var, i[2], i[2])) * Wide(w(i[1], k.var));
      },
      {1, 8, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)),
              ::testing::HasSubstr("an index that is not affine, or an axis in two of them"));
}

TEST(Refuse, APadConditionThatIsNotTheBounds_bad) {
  const Tensor x = X(), w = te::Placeholder("w", DType::kInt8, {8, 8});
  const Tensor sum = SumOf(
      [&](const Index& i, const te::Axis& k) {
        const Expr value =
            ir::Select(ir::Lt(i[2], Expr(3)), x(i[0], k.var, i[2], i[3]), ir::Imm(DType::kInt8, 0));
        return Wide(value) * Wide(w(i[1], k.var));
      },
      {1, 8, 6, 6}, 8);
  EXPECT_THAT(Refusal(Finish(sum)),
              ::testing::HasSubstr("a pad condition that is not the input's bounds"));
}

TEST(Refuse, AProductOfElements_bad) {
  const Tensor x = X();
  const te::Axis a = te::ReduceAxis("a", 2);
  const Tensor all = te::Compute("all", {1, 8, 5, 6}, {}, [&](const Index& i) {
    return te::ProductOf(x(i[0], i[1], i[2] + a.var, i[3]), {a});
  });
  EXPECT_THAT(Refusal(all), ::testing::HasSubstr("a product of elements"));
}

TEST(Refuse, TwoReductions_bad) {
  const Tensor x = X();
  const te::Axis a = te::ReduceAxis("a", 2), b = te::ReduceAxis("b", 2);
  const Tensor first = te::Compute("first", {1, 8, 5, 6}, {}, [&](const Index& i) {
    return te::MaxOf(x(i[0], i[1], i[2] + a.var, i[3]), {a});
  });
  const Tensor second = te::Compute("second", {1, 8, 4, 6}, {}, [&](const Index& i) {
    return te::MaxOf(first(i[0], i[1], i[2] + b.var, i[3]), {b});
  });
  EXPECT_THAT(Refusal(second), ::testing::HasSubstr("both reduce"));
}

TEST(Refuse, AnOperandOfAnotherShape_bad) {
  const Tensor x = X(), z = te::Placeholder("z", DType::kInt8, {1, 8, 4, 6});
  const Tensor y = te::Compute("y", {1, 8, 6, 6}, {}, [&](const Index& i) {
    return Narrow(Wide(x(i)) * Wide(z(i[0], i[1], Expr(0), i[3])));
  });
  EXPECT_THAT(Refusal(y), ::testing::HasSubstr("an operand of another shape"));
}

TEST(Refuse, AnOperandReadElsewhere_bad) {
  const Tensor x = X();
  const Tensor y =
      te::Compute("y", {1, 8, 6, 6}, {}, [&](const Index& i) { return x(i[0], i[1], i[3], i[2]); });
  EXPECT_THAT(Refusal(y), ::testing::HasSubstr("an operand read at another position"));
}

TEST(Refuse, AnEpilogueThatNoStepMakes_bad) {
  const Tensor x = X();
  const Tensor y = te::Compute("y", {1, 8, 6, 6}, {}, [&](const Index& i) {
    return ir::Cast(DType::kInt8, ir::Abs(Wide(x(i))));
  });
  EXPECT_THAT(Refusal(y), ::testing::HasSubstr("an int8 value that no step makes"));
}

TEST(Refuse, AResultThatIsNotInt8_bad) {
  const Tensor x = X();
  const Tensor y = te::Compute("y", {1, 8, 6, 6}, {}, [&](const Index& i) { return Wide(x(i)); });
  EXPECT_THAT(Refusal(y), ::testing::HasSubstr("a result that is not int8"));
}

TEST(Refuse, AVectorWhereTilesHaveRowsOfImages_bad) {
  const Tensor x = te::Placeholder("x", DType::kInt8, {40});
  const Tensor y = te::Compute("y", {40}, {}, [&](const Index& i) { return Narrow(Wide(x(i))); });
  EXPECT_EQ(Refusal(y), "accepted");
  EXPECT_THAT(Refusal(y, NamedConfig("batch4")),
              ::testing::HasSubstr("y has no batch, and tiles of configuration batch4 have rows of "
                                   "4 images; the host can run it"));
}

TEST(Refuse, FiveDimensions_bad) {
  const Tensor x = te::Placeholder("x", DType::kInt8, {1, 2, 3, 4, 5});
  const Tensor y = te::Compute("y", {1, 2, 3, 4, 5}, {}, [&](const Index& i) { return x(i); });
  EXPECT_THAT(Refusal(y), ::testing::HasSubstr("has 5 dimensions"));
}

TEST(Refuse, AWindowLargerThanTheScratchpad_bad) {
  // One row of one window has 600 input tiles; the smallest machine holds 512.
  const Tensor x = te::Placeholder("x", DType::kInt8, {1, 4, 2, 600});
  const te::Axis a = te::ReduceAxis("a", 2), b = te::ReduceAxis("b", 600);
  const Tensor y = te::Compute("y", {1, 4, 1, 1}, {}, [&](const Index& i) {
    return te::MaxOf(x(i[0], i[1], i[2] + a.var, i[3] + b.var), {a, b});
  });
  const std::string message = Refusal(y, NamedConfig("tiny"));
  EXPECT_THAT(message, ::testing::HasSubstr("INP 512 tiles"));
  EXPECT_EQ(Refusal(te::Compute("z", {1, 4, 2, 600}, {}, [&](const Index& i) { return x(i); }),
                    NamedConfig("tiny")),
            "accepted");
}

}  // namespace
}  // namespace tessera::test::refuse_test
