// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs collected by ProgramBuilder run on the functional simulator as if
// instructions ran one after the other; the builder loads micro-ops that are not resident; source
// map, constants, counts and errors. Space: one hand-made product per interleaving of the units;
// directed cases. Not tested here: tokens by themselves (tokens_test), compiled networks
// (tests/compiler/accel).
#include "jit/program_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "isa/check/check.h"
#include "isa/encoding.h"
#include "sim/func/func_device.h"

namespace tessera::jit::program_builder_test {
namespace {

using isa::Memory;
using isa::Segment;

isa::Load BoxLoad(Memory memory, Segment segment, int64_t tiles, int64_t bytes, int64_t from,
                  int64_t to) {
  isa::Load load;
  load.memory = static_cast<int64_t>(memory);
  load.segment = static_cast<int64_t>(segment);
  load.x_size = tiles, load.y_size = load.z_size = 1;
  load.x_bytes = load.x_step = bytes;
  load.dram_base = from;
  load.sram_base = to;
  return load;
}

// out[p] = clamp(sum over blocks, channels of in[p][i] * w[o][i]) for |pixels| pixels, one after
// the other through the same scratchpad tiles: every unit waits for every other.
TEST(ProgramBuilder, AProductRunsUnderEveryInterleaving) {
  const isa::Config config;
  constexpr int64_t kPixels = 8, kBlocks = 2;
  Rng rng(1);
  std::vector<uint8_t> weights(kBlocks * 256), input(kPixels * kBlocks * 16);
  for (uint8_t& w : weights) w = static_cast<uint8_t>(rng.Range(-3, 3));
  for (uint8_t& x : input) x = static_cast<uint8_t>(rng.Range(-3, 3));

  ProgramBuilder builder(config);
  builder.BeginSource(3, "product");
  builder.ReserveSegment(Segment::kInput, static_cast<int64_t>(input.size()));
  builder.ReserveSegment(Segment::kOutput, kPixels * 16);
  builder.Emit(BoxLoad(Memory::kWgt, Segment::kConstants, kBlocks, 256,
                       builder.AddConstants(weights, 64), 0));
  const std::vector<isa::Uop> uops = {{0, 0, 0, 1}, {0, 1, 1, 0}};
  for (int64_t p = 0; p < kPixels; ++p) {
    builder.Emit(BoxLoad(Memory::kInp, Segment::kInput, kBlocks, 16, p * kBlocks * 16, 5));
    isa::Gemm gemm;
    gemm.iter_out = gemm.iter_in = 1;
    gemm.src_base = 5, gemm.dst_base = 9;
    ASSERT_TRUE(builder.EmitGemm(gemm, uops).has_value());
    isa::Requant requant;
    requant.dst_mem = static_cast<int64_t>(isa::VectorMemory::kOut);
    requant.per_tensor = 1, requant.multiplier = 1 << 30, requant.shift = 1;
    requant.lo = -128, requant.hi = 127;
    requant.src_base = 9, requant.dst_base = 2;
    requant.iter_out = requant.iter_in = 1;
    builder.Emit(requant);
    isa::Store store;
    store.segment = static_cast<int64_t>(Segment::kOutput);
    store.x_bytes = 16, store.x_size = store.y_size = store.z_size = 1;
    store.sram_base = 2, store.dram_base = p * 16;
    builder.Emit(store);
  }
  const auto image = builder.Finish();
  ASSERT_TRUE(image.has_value()) << image.error().message;
  EXPECT_EQ(isa::CheckProgram(*image, config).ToString(), "");
  EXPECT_EQ(builder.stats().kernel_loads, 1) << "the kernel stays resident";
  EXPECT_EQ(builder.stats().instructions, 1 + 4 * kPixels + 1 + 1);
  EXPECT_EQ(builder.stats().gemm_steps, kPixels * kBlocks);
  EXPECT_EQ(image->insn_count(), builder.stats().instructions);
  EXPECT_EQ(image->SourceOf(0), "product");
  EXPECT_EQ(image->source.at(0).layer, 3u);

  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    sim::FuncOptions options;
    options.schedule_seed = seed;
    auto device = sim::MakeFuncDevice(config, options).value();
    Launch launch;
    launch.insn_count = static_cast<uint32_t>(image->insn_count());
    launch.insn_addr = device->Allocate(image->code.size()).value();
    ASSERT_TRUE(device->Write(launch.insn_addr, image->code).has_value());
    for (size_t s = 0; s < image->segments.size(); ++s) {
      const isa::SegmentData& segment = image->segments[s];
      if (segment.size == 0) continue;
      launch.segments[s] = {device->Allocate(segment.size).value(), segment.size};
      ASSERT_TRUE(device->Write(launch.segments[s].base, segment.data).has_value());
    }
    const auto at = [&](Segment s) { return launch.segments[static_cast<size_t>(s)].base; };
    ASSERT_TRUE(device->Write(at(Segment::kInput), input).has_value());
    const auto report = device->Run(launch);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_FALSE(report->leftover_tokens);
    std::vector<uint8_t> got(kPixels * 16);
    ASSERT_TRUE(device->Read(at(Segment::kOutput), got).has_value());
    for (int64_t p = 0; p < kPixels; ++p) {
      for (int64_t o = 0; o < 16; ++o) {
        int64_t sum = 0;
        for (int64_t i = 0; i < 16 * kBlocks; ++i) {
          sum += static_cast<int8_t>(input[static_cast<size_t>(p * 32 + i)]) *
                 static_cast<int8_t>(weights[static_cast<size_t>(i / 16 * 256 + o * 16 + i % 16)]);
        }
        EXPECT_EQ(static_cast<int8_t>(got[static_cast<size_t>(p * 16 + o)]),
                  std::clamp<int64_t>(sum, -128, 127));
      }
    }
  }
}

TEST(ProgramBuilder, EqualConstantsAreKeptOnce) {
  ProgramBuilder builder((isa::Config()));
  const std::vector<uint8_t> a = {1, 2, 3}, b = {1, 2, 4};
  EXPECT_EQ(builder.AddConstants(a, 64), 0);
  EXPECT_EQ(builder.AddConstants(b, 64), 64);
  EXPECT_EQ(builder.AddConstants(a, 64), 0);
}

// A long product of a box, a load of the next box into the same place, short products, each of a
// box of its own, and a product of the second box.
ProgramBuilder TwoLayers(const isa::Config& config) {
  ProgramBuilder builder(config);
  builder.ReserveSegment(Segment::kInput, 4096);
  const std::vector<isa::Uop> uops = {{0, 0, 0, 1}};
  const auto box = [&](int64_t place) {
    builder.Emit(BoxLoad(Memory::kInp, Segment::kInput, 1, 16, place * 16, place));
  };
  const auto product = [&](int64_t place, int64_t cycles) {
    isa::Gemm gemm;
    gemm.iter_out = 1, gemm.iter_in = cycles, gemm.src_base = place;
    EXPECT_TRUE(builder.EmitGemm(gemm, uops).has_value());
  };
  builder.BeginSource(1, "long");
  builder.Emit(BoxLoad(Memory::kWgt, Segment::kInput, 1, 256, 0, 0));
  box(0);
  product(0, 5000);
  box(0);
  builder.BeginSource(2, "short");
  for (int64_t k = 1; k < 6; ++k) {
    box(k);
    product(k, 1);
  }
  product(0, 1);
  return builder;
}

std::vector<int64_t> PlacesOfLoads(const isa::ProgramImage& image) {
  std::vector<int64_t> places;
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    const auto insn = isa::Decode(image.Word(n));
    const auto* load = insn ? std::get_if<isa::Load>(&*insn) : nullptr;
    if (load != nullptr && load->memory == static_cast<int64_t>(Memory::kInp))
      places.push_back(load->sram_base);
  }
  return places;
}

TEST(ProgramBuilder, LoadsPassOneThatWaitsAndKeepTheirLayer) {
  const isa::Config config;
  const auto image = TwoLayers(config).Finish();
  ASSERT_TRUE(image.has_value()) << image.error().message;
  EXPECT_EQ(isa::CheckProgram(*image, config).ToString(), "");
  EXPECT_THAT(PlacesOfLoads(*image), ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 0));
  std::vector<uint32_t> layers;
  for (const isa::SourceRange& range : image->source) layers.push_back(range.layer);
  EXPECT_THAT(layers, ::testing::ElementsAre(1, 2, 1, 2));
}

TEST(ProgramBuilder, LoadsStayWhereCountersHoldNoMoreTokens) {
  isa::Config config;
  config.token_depth = 2;
  const auto image = TwoLayers(config).Finish();
  ASSERT_TRUE(image.has_value()) << image.error().message;
  EXPECT_EQ(isa::CheckProgram(*image, config).ToString(), "");
  EXPECT_THAT(PlacesOfLoads(*image), ::testing::ElementsAre(0, 0, 1, 2, 3, 4, 5));
}

TEST(ProgramBuilder, AnEvictedKernelIsLoadedAgain) {
  isa::Config config;
  config.uop_bytes = 4 * 8;
  ProgramBuilder builder(config);
  isa::Gemm gemm;
  gemm.iter_out = gemm.iter_in = 1;
  const std::vector<isa::Uop> a(3, isa::Uop{0, 0, 0, 1}), b(3, isa::Uop{0, 1, 0, 1});
  for (const auto* uops : {&a, &b, &b, &a}) ASSERT_TRUE(builder.EmitGemm(gemm, *uops).has_value());
  EXPECT_EQ(builder.stats().kernel_loads, 3);
}

TEST(ProgramBuilder, AFieldThatDoesNotFitIsNamed_bad) {
  ProgramBuilder builder((isa::Config()));
  builder.BeginSource(0, "stage_a");
  isa::Store store;
  store.x_size = 70000;
  store.y_size = store.z_size = store.x_bytes = 1;
  builder.Emit(store);
  const auto image = builder.Finish();
  ASSERT_FALSE(image.has_value());
  EXPECT_EQ(image.error().code, Code::kOutOfRange);
  EXPECT_THAT(image.error().message, ::testing::HasSubstr("instruction 0 (stage_a)"));
  EXPECT_THAT(image.error().message, ::testing::HasSubstr("x_size"));
}

TEST(ProgramBuilder, AKernelLargerThanUopIsAnError_bad) {
  isa::Config config;
  config.uop_bytes = 4 * 8;
  ProgramBuilder builder(config);
  const std::vector<isa::Uop> uops(5);
  EXPECT_EQ(builder.EmitGemm({}, uops).error().code, Code::kOutOfRange);
}

}  // namespace
}  // namespace tessera::jit::program_builder_test
