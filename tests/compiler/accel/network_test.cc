// SPDX-License-Identifier: Apache-2.0
//
// What is tested: networks of several regions as one program: a residual network with every kind of
// region, and random chains and branches; on-chip rings and tokens carry over from region to
// region. Every region's result equals the definition, under several interleavings of the units;
// the static checker accepts the program; it notices the removal of a single token. Space: seeds
// below, all named shapes. Not tested here: single shapes (region_test), the RTL (tests/cosim).
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/ir/intrin.h"
#include "compiler/network/layers.h"
#include "isa/check/check.h"
#include "isa/encoding.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::network_test {
namespace {

graph::Window Rect(int64_t ky, int64_t kx, int64_t sy, int64_t sx) {
  graph::Window w;
  w.kernel = {ky, kx};
  w.stride = {sy, sx};
  return w;
}

// Three stages of two 3x3 layers with a sum each, of |width|, 2 |width| and 4 |width| channels.
void ResidualNetwork(Net& net, int64_t channels, int64_t extent, int64_t width) {
  auto x = net.Conv(net.Input({1, channels, extent, extent}), width, Square(3));
  for (int64_t stage = 0; stage < 3; ++stage) {
    const int64_t outs = width << stage, stride = stage == 0 ? 1 : 2;
    const auto first = net.Conv(x, outs, Square(3, stride));
    const auto second = net.Conv(first, outs, Square(3));
    const auto skip = stage == 0 ? x : net.Conv(x, outs, Rect(1, 1, 2, 2));
    x = net.Add(second, skip);
  }
  const int64_t last = net.graph().tensor(x).shape[2];
  const auto mean = net.AvgPool(x, Rect(last, last, 1, 1));
  net.Output(net.Dense(net.Reshape(mean, {1, 4 * width}), 10));
}

void ExpectRight(Net& net, const isa::Config& config) {
  auto compiled = Compile(net.graph(), config, true);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  for (uint64_t seed : {0, 1, 2})
    EXPECT_EQ(RunAndCompare(*compiled, config, values, seed), "") << "interleaving " << seed;
  EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
  // Then with the results that stay on chip stored too: every region's result is compared.
  auto stored = Compile(net.graph(), config, false, true);
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
  EXPECT_EQ(stored->program.results.size(), stored->regions.size());
  EXPECT_EQ(RunAndCompare(*stored, config, values, 3), "");
  EXPECT_EQ(isa::CheckProgram(stored->program.image, config).ToString(), "");
}

class ResidualTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ResidualTest, EveryLayerIsExact) {
  Net net(11);
  ResidualNetwork(net, 1, 14, 16);
  ExpectRight(net, NamedConfig(GetParam()));
}

// INP of tiny holds 512 tiles: the sums and the maxima of such windows go over pieces of them.
TEST(LargeWindows, AddUpFromPieces) {
  const isa::Config config = NamedConfig("tiny");
  for (const bool most : {false, true}) {
    SCOPED_TRACE(most ? "maximum" : "mean");
    Net net(7);
    const auto x = net.Input({1, 20, 35, 30});
    net.Output(most ? net.MaxPool(x, Rect(35, 30, 1, 1)) : net.AvgPool(x, Rect(35, 30, 1, 1)));
    ExpectRight(net, config);
  }
}

// For 512 channels the plan with the fewest cycles takes five blocks at all 49 positions, which
// nearly fill ACC of tiny: a part of the other operand must fit beside them.
TEST(ResidualTiles, LeaveRoomForWhatIsWidened) {
  const isa::Config config = NamedConfig("tiny");
  Net net(5);
  const auto x = net.Input({1, 512, 7, 7});
  net.Output(net.Add(net.Conv(x, 512, Square(3)), x));
  const auto compiled = Compile(net.graph(), config, true);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
}

// Windows of each channel are tile products there, with weights of 0 for the other channels.
TEST(WithoutDepthwise, WindowsOfAChannelAreProducts) {
  for (const char* machine : {"default", "tiny"}) {
    SCOPED_TRACE(machine);
    isa::Config config = NamedConfig(machine);
    config.depthwise = 0;
    Net net(13);
    auto x = net.Conv(net.Input({1, 3, 12, 11}), 20, Square(3, 2));
    for (const int64_t kernel : {3, 5})
      x = net.Conv(net.Conv(x, 20, Square(kernel), 20), 20, Square(1));
    net.Output(net.Conv(x, 20, Square(3, 2), 20));
    ExpectRight(net, config);
  }
}

// y[n, m] = requantised sum over channels of a[c, m] b[c, n]; a and b are results of layers of the
// same program. The generator has LOAD bring b to WGT as it lies. The test gives schedules: they
// read both from memory, or a from INP, where it stays.
class GivenRegionTest : public ::testing::TestWithParam<bool> {};

TEST_P(GivenRegionTest, AProductOfTwoLayersResultsIsExact) {
  using ir::Expr;
  const isa::Config config = NamedConfig("default");
  constexpr int64_t kRows = 7, kColumns = 32;
  Net net(12);
  const graph::TensorId a_id = net.Conv(net.Input({1, 16, 1, kRows}), 32, Square(1)),
                        b_id = net.Conv(net.Input({1, 16, 1, kColumns}), 32, Square(1));
  net.Output(a_id);
  net.Output(b_id);
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto placeholder = [&](const char* name, graph::TensorId id) {
    return te::Placeholder(name, DType::kInt8, net.graph().tensor(id).shape);
  };
  const te::Tensor a = placeholder("a", a_id), b = placeholder("b", b_id);
  const te::Axis k = te::ReduceAxis("k", 32);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  const std::vector<std::string> axes{"n", "c", "y", "x"};
  const te::Tensor sum =
      te::Compute("sum", {1, kColumns, 1, kRows}, axes, [&](const std::vector<Expr>& i) {
        return te::Sum(wide(a(i[0], k.var, i[2], i[3])) * wide(b(i[0], k.var, i[2], i[1])), {k});
      });
  const te::Tensor y = te::Compute("y", sum.shape(), axes, [&](const std::vector<Expr>& i) {
    const Expr scaled = ir::Requant(sum(i), number(1518500250), number(-9), isa::Round::kEven);
    return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(3), number(-128), number(127)));
  });
  te::RegionTe region{.name = "product", .output = y};
  region.bindings = {{a, a_id, {}}, {b, b_id, {}}};
  region.output_id = static_cast<int>(compiled->activations.size());
  compiled->activations.push_back({"y", y.shape(), network::Activation::Kind::kOutput});
  compiled->te.push_back(region);
  compiled->regions.push_back(network::BindRegion(region));
  const auto generated = CompileAlone(compiled->activations, compiled->regions, config);
  EXPECT_TRUE(generated) << generated.error().message;
  const bool stays = GetParam();
  std::string steps = "cache_write y out y.o\nset_scope sum acc\ncache_read b wgt b.i sum\n";
  steps += stays ? "set_scope a inp\n"
                 : "cache_read a inp a.i sum\nlayout a.i 0,1/16,2,3,1%16\n"
                   "split a.i i1 16 k.t lane\nreorder a.i i0 k.t i2 i3 lane\n"
                   "tensorize a.i lane tile.load_inp\n";
  steps +=
      "layout sum 0,1/16,2,3,1%16\nlayout y.o 0,1/16,2,3,1%16\n"
      "layout b.i 0,2,3/16,1/16,3%16,1%16\n"
      "split y c 16 c.t lane\nreorder y n c.t y x lane\ncompute_at y.o y c.t\n"
      "compute_at sum y c.t\nsplit y.o c 16 c.t lane\nreorder y.o n c.t y x lane\n"
      "split sum c 16 c.t o\nsplit sum k 16 k.t l\nreorder sum n c.t y x k.t o l\n"
      "split b.i i3 16 n.t o\nsplit b.i i1 16 k.t l\nreorder b.i i0 i2 n.t k.t o l\n"
      "fuse b.i o l lane\ntensorize b.i lane tile.load_wgt\ntensorize sum o tile.gemm\n"
      "tensorize y.o lane tile.requant\ntensorize y lane tile.store\n";
  const auto trace = schedule::ParseTrace(steps);
  ASSERT_TRUE(trace) << trace.error().message;
  compiled->regions.back().schedule = *trace;
  auto program = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_TRUE(program.has_value()) << program.error().message;
  const bool there = std::ranges::count(program->residents, a_id) > 0;
  EXPECT_EQ(there, stays);
  compiled->program = std::move(*program);
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  for (uint64_t seed : {0, 1, 2})
    EXPECT_EQ(RunAndCompare(*compiled, config, values, seed), "") << "interleaving " << seed;
  EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
}

INSTANTIATE_TEST_SUITE_P(Reads, GivenRegionTest, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "WhatStays" : "Memory");
});

INSTANTIATE_TEST_SUITE_P(Configurations, ResidualTest,
                         ::testing::Values("default", "tiny", "wide", "batch4"));

class RandomNetTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RandomNetTest, EveryLayerIsExact) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Net net(GetParam());
  Rng& rng = net.rng();
  const std::vector<std::string> names = {"default", "tiny", "wide", "batch4"};
  const isa::Config config = NamedConfig(names[static_cast<size_t>(rng.Range(0, 3))]);
  SCOPED_TRACE(config.name);
  std::vector<graph::TensorId> made = {
      net.Input({rng.Range(1, 5), rng.Range(1, 40), rng.Range(4, 16), rng.Range(4, 16)})};
  const int64_t layers = rng.Range(3, 7);
  for (int64_t k = 0; k < layers; ++k) {
    const auto x = made[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(made.size()) - 1))];
    const std::vector<int64_t> shape = net.graph().tensor(x).shape;
    const isa::Round round = rng.Range(0, 1) ? isa::Round::kEven : isa::Round::kTflite;
    graph::Window w;
    for (size_t d = 0; d < 2; ++d) {
      w.kernel[d] = rng.Range(1, 5);
      w.stride[d] = rng.Range(1, 3);
      w.dilation[d] = rng.Range(1, 2);
      w.pad_before[d] = rng.Range(0, w.kernel[d] - 1);
      w.pad_after[d] = rng.Range(0, w.kernel[d] - 1);
    }
    const bool fits = w.OutExtent(0, shape[2]) > 0 && w.OutExtent(1, shape[3]) > 0;
    switch (rng.Range(0, 7)) {
      case 0:
      case 1:
      case 2:
        if (fits) made.push_back(net.Conv(x, rng.Range(1, 40), w, 1, round));
        break;
      case 3:
        if (fits) made.push_back(net.Conv(x, shape[1], w, shape[1], round));
        break;
      case 4:
        if (fits && shape[1] % 2 == 0)
          made.push_back(net.Conv(x, 2 * rng.Range(1, 12), w, 2, round));
        break;
      case 5:
        if (fits) made.push_back(net.MaxPool(x, w));
        break;
      case 6:
        w.pad_before = w.pad_after = {0, 0};
        w.dilation = {1, 1};
        if (w.OutExtent(0, shape[2]) > 0 && w.OutExtent(1, shape[3]) > 0)
          made.push_back(net.AvgPool(x, w));
        break;
      default: {
        const auto y = net.Conv(x, shape[1], Square(3), 1, round);
        made.push_back(net.Add(y, x, round));
      }
    }
  }
  for (graph::TensorId id : made) {
    if (net.graph().ConsumersOf(id).empty() && net.graph().ProducerOf(id)) net.Output(id);
  }
  if (net.graph().outputs.empty()) net.Output(net.Rescale(made[0]));
  ExpectRight(net, config);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomNetTest, ::testing::Range(uint64_t{0}, uint64_t{30}));

TEST(Tokens, RemovingAnyOneIsNoticed) {
  const isa::Config config = NamedConfig("default");
  Net net(5);
  const auto x = net.Input({1, 16, 12, 12});
  const auto y = net.Conv(x, 16, Square(3));
  net.Output(net.Add(net.Conv(y, 16, Square(3)), y));
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const isa::ProgramImage& image = compiled->program.image;
  // The k-th push and the k-th pop of a pair of units are one token: clear both bits.
  auto decode = [&](int64_t n) { return isa::Decode(image.Word(n)).value(); };
  int64_t removed = 0;
  for (unsigned from = 0; from < isa::kUnits; ++from) {
    for (unsigned to = 0; to < isa::kUnits; ++to) {
      std::vector<int64_t> pushes, pops;
      for (int64_t n = 0; n + 1 < image.insn_count(); ++n) {
        const isa::Insn insn = decode(n);
        const auto unit = static_cast<unsigned>(isa::UnitOf(insn));
        std::visit(
            [&](const auto& i) {
              if (unit == from && (i.push >> to & 1)) pushes.push_back(n);
              if (unit == to && (i.pop >> from & 1)) pops.push_back(n);
            },
            insn);
      }
      ASSERT_EQ(pushes.size(), pops.size());
      for (size_t k = 0; k < pushes.size(); ++k) {
        isa::ProgramImage broken = image;
        broken.code.clear();
        for (int64_t n = 0; n < image.insn_count(); ++n) {
          isa::Insn insn = decode(n);
          std::visit(
              [&](auto& i) {
                if (n == pushes[k]) i.push &= ~(1 << to);
                if (n == pops[k]) i.pop &= ~(1 << from);
              },
              insn);
          broken.Append(isa::Encode(insn).value());
        }
        EXPECT_FALSE(isa::CheckProgram(broken, config).ok())
            << "token " << pushes[k] << " to " << pops[k];
        ++removed;
      }
    }
  }
  EXPECT_EQ(removed, compiled->program.stats.tokens);
  EXPECT_GT(removed, 10);
}

TEST(Image, SourceMapNamesEveryInstruction) {
  const isa::Config config = NamedConfig("default");
  Net net(6);
  ResidualNetwork(net, 1, 14, 16);
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value());
  const isa::ProgramImage& image = compiled->program.image;
  for (int64_t n = 0; n + 1 < image.insn_count(); ++n) EXPECT_NE(image.SourceOf(n), "") << n;
  // Ranges follow each other without a gap; a region may continue after loads of the next one's
  // weights.
  std::vector<std::string> ends;
  for (size_t k = 0; k < image.source.size(); ++k) {
    EXPECT_EQ(image.source[k].begin, k == 0 ? 0 : image.source[k - 1].end);
    EXPECT_EQ(image.source[k].op, compiled->regions[image.source[k].layer].op);
    std::erase(ends, image.source[k].op);
    ends.push_back(image.source[k].op);
  }
  std::vector<std::string> regions;
  for (const auto& region : compiled->regions) regions.push_back(region.op);
  EXPECT_EQ(ends, regions);
}

TEST(Image, TheSameNetworkGivesTheSameBytes) {
  const isa::Config config = NamedConfig("default");
  std::vector<uint8_t> first;
  for (int round = 0; round < 2; ++round) {
    Net net(6);
    ResidualNetwork(net, 1, 14, 16);
    const auto bytes = isa::SerializeImage(Compile(net.graph(), config)->program.image);
    if (round == 0) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

}  // namespace
}  // namespace tessera::test::network_test
