// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the choice among the algorithms of a layer (cost::CheapestAlgorithm). A processor
// whose memory is slow takes the algorithm that reads the fewest bytes of weights, one whose memory
// costs nothing takes one with few products; what other layers read between two runs makes a shared
// cache worth less. Sketches that compute the same are left to the generator. Space: a convolution
// of 3 x 3 with pads, of small and of large images, of floats and of integers. Not tested here: how
// near estimates are to times (bench/host_sketches.cc).
#include "compiler/cost/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/schedule/host.h"
#include "compiler/schedule/rounding.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::cost::choice_test {
namespace {

using Index = std::vector<ir::Expr>;

te::Tensor Convolution(int64_t channels, int64_t size) {
  const te::Tensor image = te::Placeholder("image", DType::kFloat32, {1, channels, size, size}),
                   w = te::Placeholder("w", DType::kFloat32, {channels, channels, 3, 3});
  const te::Tensor x = te::Compute("x", {1, channels, size + 2, size + 2}, {}, [&](const Index& i) {
    const ir::Expr y = i[2] - 1, q = i[3] - 1;
    const ir::Expr inside =
        ir::And(ir::And(ir::Le(0, y), ir::Lt(y, size)), ir::And(ir::Le(0, q), ir::Lt(q, size)));
    return ir::Select(inside, image(i[0], i[1], y, q), ir::ImmF32(0));
  });
  const te::Axis c = te::ReduceAxis("ci", channels), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  return te::Compute("y", {1, channels, size, size}, {"n", "c", "y", "x"}, [&](const Index& i) {
    return te::Sum(x(i[0], c.var, i[2] + ky.var, i[3] + kx.var) * w(i[1], c.var, ky.var, kx.var),
                   {c, ky, kx});
  });
}

// A processor of level x86-64-v3 whose memory behind all caches gives |bytes_a_cycle|.
std::shared_ptr<const target::Target> Processor(double bytes_a_cycle) {
  target::Target made = *target::Host(*target::FindHostLevel("x86-64-v3"));
  made.caches.back().bytes_a_cycle = bytes_a_cycle;
  return std::make_shared<const target::Target>(std::move(made));
}

// The algorithm that is chosen; "": that of the definition.
std::string ChosenFor(const te::Tensor& output, const std::shared_ptr<const target::Target>& target,
                      double bytes_between) {
  const auto sketches = schedule::HostSketches(output, {.target = target});
  EXPECT_TRUE(sketches) << sketches.error().message;
  const auto chosen = CheapestAlgorithm(*sketches, target, {.bytes_between = bytes_between});
  EXPECT_TRUE(chosen) << chosen.error().message;
  return schedule::RoundingOf(*chosen).algorithm;
}

constexpr double kMuch = 1e12;  // bytes: nothing stays in a cache from one run to the next

// 9 weights of a pair of channels, or 16, 36 and 64 transformed ones.
TEST(Choice, FollowsTheMemory) {
  const te::Tensor small = Convolution(256, 7);
  EXPECT_EQ(ChosenFor(small, Processor(0.05), kMuch), "");
  EXPECT_NE(ChosenFor(small, Processor(1e6), kMuch), "");
  // All of it stays in the shared cache, unless others need the room.
  EXPECT_NE(ChosenFor(small, Processor(0.05), 0), "");
}

// 144 products of 16 results of the definition, 64 and 36 of the transforms.
TEST(Choice, FollowsTheProductsWhereImagesAreLarge) {
  const std::string chosen = ChosenFor(Convolution(64, 56), Processor(6), kMuch);
  EXPECT_TRUE(chosen == "winograd_4" || chosen == "winograd_6") << chosen;
}

// Of integers there is an exact transform where products are of int16: it takes 16 of 36 products.
TEST(Choice, TakesTransformsOfIntegersWhereProductsAreOfPairs) {
  Rng rng(1);
  const te::Tensor given = test::WindowExpression(
      {.name = "w", .in_channels = 128, .out_channels = 128, .size = 28, .kernel = 3, .pad = 1});
  te::Values values = test::RandomInputs(given, rng);
  const te::Tensor pairs = test::ProductOutput(given, &values, DType::kInt16);
  EXPECT_THAT(ChosenFor(pairs, Processor(6), kMuch), ::testing::StartsWith("winograd_"));
  const te::Tensor quads = test::ProductOutput(given, &values);
  EXPECT_EQ(ChosenFor(quads, Processor(6), kMuch), "");
}

TEST(Choice, LeavesEqualResultsToTheGenerator) {
  const te::Tensor output = Convolution(32, 14);
  const auto target = Processor(6);
  auto sketches = schedule::HostSketches(output, {.target = target});
  ASSERT_TRUE(sketches);
  sketches->resize(1);
  schedule::Sketch other = sketches->front();
  for (schedule::Step& step : other.trace) {
    auto* const decide = std::get_if<schedule::DecideStep>(&step);
    if (decide != nullptr && decide->name == "points") decide->value = 1;
  }
  ASSERT_NE(other.trace, sketches->front().trace);
  sketches->insert(sketches->begin(), other);  // slower, but the first
  const auto chosen = CheapestAlgorithm(*sketches, target, {});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->trace(), other.trace);
}

}  // namespace
}  // namespace tessera::cost::choice_test
