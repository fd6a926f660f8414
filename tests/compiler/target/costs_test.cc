// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every intrinsic of the accelerator has the cycles that the text of isa/units.def
// says for its instruction; memories have a tile a cycle, device memory a beat; figures of the host
// and of GPUs against this machine and what is published of processors; what a sum of products is,
// against the numbers in an intrinsic's name. Space: two accelerators, the host, both GPUs. Not
// tested here: that the machine takes so long (tests of hw/rtl), estimates made of it
// (tests/compiler/accel).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "compiler/target/accelerator.h"
#include "compiler/target/cuda.h"
#include "compiler/target/host_level.h"

namespace tessera::target::costs_test {
namespace {

// Instruction -> cycles of a step, as the table is written.
std::map<std::string, int64_t> StepsOfTheTable() {
  std::ifstream in("isa/units.def");  // tests run at the root of the source
  EXPECT_TRUE(in.good());
  const std::regex line(R"(^STEP_COST\((\w+), (\d+),)");
  std::map<std::string, int64_t> steps;
  std::smatch found;
  for (std::string text; std::getline(in, text);) {
    if (std::regex_search(text, found, line)) steps[found[1]] = std::stoll(found[2]);
  }
  return steps;
}

isa::Config Narrow() {
  isa::Config config;
  config.bus_bits = 64;
  config.block_in = config.block_out = 4;
  config.dram = isa::DramModel::kZynq;
  return config;
}

TEST(Costs, IntrinsicsCostWhatTheirInstructionsDo) {
  const std::map<std::string, int64_t> steps = StepsOfTheTable();
  ASSERT_EQ(steps.size(), 5u);
  for (const isa::Config& config : {isa::Config(), Narrow()}) {
    const auto target = Accelerator(config);
    size_t seen = 0;
    for (const TensorIntrin& intrin : target->intrinsics) {
      SCOPED_TRACE(intrin.name);
      const auto starts = [&](const char* prefix) { return intrin.name.starts_with(prefix); };
      if (starts("tile.load") || starts("tile.store") || starts("tile.fill")) {
        EXPECT_EQ(intrin.cycles, 0) << "the memory's figures are what a copy costs";
      } else if (starts("tile.gemm")) {
        EXPECT_EQ(intrin.cycles, steps.at("Gemm"));
      } else if (starts("tile.window")) {
        // Nine taps, of which a step takes as many as a tile of weights has columns.
        const int64_t nine = (9 + config.block_in - 1) / config.block_in;
        EXPECT_EQ(intrin.cycles, nine * steps.at("Depthwise"));
      } else if (starts("tile.add")) {
        EXPECT_EQ(intrin.cycles, steps.at("Add"));
      } else if (starts("tile.alu") || starts("tile.reduce")) {
        // Two reads of ACC: by another accumulator, not by int8 nor by a number.
        const bool both = starts("tile.alu") && intrin.name.find('.', 6) == std::string::npos;
        EXPECT_EQ(intrin.cycles, steps.at("Alu") * (both ? 2 : 1));
      } else {
        EXPECT_TRUE(starts("tile.requant") || starts("tile.narrow") || starts("tile.widen") ||
                    starts("tile.copy"));
        EXPECT_EQ(intrin.cycles, steps.at("Requant"));
      }
      ++seen;
    }
    EXPECT_GE(seen, 30u);
  }
}

TEST(Costs, MemoriesMoveATileOrABeatACycle) {
  const isa::Config config = Narrow();
  const auto target = Accelerator(config);
  const auto rate = [&](ir::Scope scope) { return target->FindMemory(scope)->bytes_a_cycle; };
  EXPECT_EQ(rate(ir::Scope::kGlobal), 8);
  EXPECT_EQ(rate(ir::Scope::kInp), static_cast<double>(config.batch * config.block_in));
  EXPECT_EQ(rate(ir::Scope::kWgt), static_cast<double>(config.block_out * config.block_in));
  EXPECT_EQ(rate(ir::Scope::kAcc), static_cast<double>(4 * config.batch * config.block_out));
  EXPECT_EQ(rate(ir::Scope::kOut), static_cast<double>(config.batch * config.block_out));
  EXPECT_EQ(target->FindMemory(ir::Scope::kGlobal)->shared, 0.85);
  EXPECT_EQ(DeviceMemory(isa::Config()).shared, 0);
  EXPECT_LT(DeviceMemory(isa::Config()).start_cycles, DeviceMemory(config).start_cycles);
}

TEST(Costs, TheHostIsACoreWithWideVectors) {
  const Target& host = *Host();
  EXPECT_EQ(host.vector_registers, 32);  // zmm0 to zmm31, v0 to v31
  EXPECT_EQ(host.vector_bytes, 512 / 8);
  EXPECT_EQ(host.least_shared_work, int64_t{1} << 17);
  EXPECT_GE(host.processors, 2);
  EXPECT_EQ(Gpu()->line_bytes, 0);
  // Of the machine that runs this, where it says it.
  const int64_t line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  if (line > 0) {
    EXPECT_EQ(host.line_bytes, line);
  }
  // A vector of products reads a vector of weights, a byte each.
  const TensorIntrin& dot = *host.FindIntrinsic("dot_u8s8x16");
  EXPECT_EQ(ProductsOf(dot)->products(), host.vector_bytes);
  // Ice Lake's and later servers' vpdpbusd of 64 bytes: one on each of two ports, 5 cycles.
  EXPECT_EQ(dot.cycles, 1.0 / 2);
  EXPECT_EQ(dot.latency, 5);
  EXPECT_EQ(host.loads_a_cycle, 2);
  EXPECT_EQ(host.FindIntrinsic("dot_u8s8x8")->cycles, dot.cycles) << "half the products in a cycle";
}

TEST(Costs, ALevelHasTheRegistersOfItsManual) {
  struct Known {
    const char* prefix;
    int64_t registers, bytes;
  };
  // The first that fits: zmm0 to 31, ymm0 to 15, xmm0 to 15, q0 to 15, v0 to 31.
  const Known known[] = {{"x86-64-v4", 32, 64},
                         {"x86-64-v3", 16, 32},
                         {"x86-64-v2", 16, 16},
                         {"armv7", 16, 16},
                         {"aarch64", 32, 16}};
  for (const HostLevel& level : HostLevels()) {
    SCOPED_TRACE(level.name);
    const auto it = std::ranges::find_if(
        known, [&](const Known& k) { return std::string_view(level.name).starts_with(k.prefix); });
    ASSERT_NE(it, std::end(known));
    const auto host = Host(level);
    EXPECT_EQ(host->vector_registers, it->registers);
    EXPECT_EQ(host->vector_bytes, it->bytes);
    EXPECT_EQ(FindHostLevel(level.name), &level);
    // Sixteen sums of 4 bytes are as many instructions as they are registers.
    const TensorIntrin &wide = *host->FindIntrinsic("dot_u8s8x16"),
                       &narrow = *host->FindIntrinsic("dot_u8s8x8");
    EXPECT_EQ(wide.cycles / narrow.cycles, it->bytes == 64 ? 1 : 2);
    EXPECT_EQ(wide.latency, narrow.latency);
  }
  EXPECT_EQ(FindHostLevel("x86-64"), nullptr);
  const std::string some[] = {"armv7", "x86-64-v3", "aarch64", "x86-64-v2", "vax"};
  EXPECT_STREQ(WidestLevel(some)->name, "x86-64-v3");
  EXPECT_EQ(WidestLevel({}), nullptr);
}

// An sm_80 processor sums 2048 products of int8 in a cycle, or 1024 of float16, in four quarters.
TEST(Costs, FragmentsTakeWhatAQuarterOfAProcessorDoes) {
  for (const auto& [name, rate] : {std::pair{kMmaS8, 2048}, std::pair{kMmaF16, 1024}}) {
    const TensorIntrin& mma = *Cuda()->FindIntrinsic(name);
    EXPECT_EQ(mma.cycles, static_cast<double>(ProductsOf(mma)->products()) / (rate / 4)) << name;
  }
  for (const auto& gpu : {Gpu(), Cuda()}) {
    EXPECT_EQ(gpu->group_threads % kWarpThreads, 0);
    EXPECT_LE(gpu->group_threads, gpu->max_threads);
    EXPECT_GE(gpu->processors, 100);  // 108 of an A100, 132 of an H100
    EXPECT_LE(gpu->processors, 132);
  }
  // A thread's share of the sums is in 64 registers, which have 4 bytes.
  EXPECT_EQ(Cuda()->FindMemory(ir::Scope::kAcc)->bytes, int64_t{64} * 4 * kWarpThreads);
}

struct Product {
  std::shared_ptr<const Target> target;
  const char* intrin;
  DType left, right, sums;
  std::vector<int64_t> shape;
  int64_t depth;
  bool own = false;
};

TEST(Costs, SumsOfProductsAreWhatTheirNamesSay) {
  const Product products[] = {
      {Host(), "dot_u8s8x16", DType::kUint8, DType::kInt8, DType::kInt32, {16}, 4},
      {Host(), "dot_u8s8x8", DType::kUint8, DType::kInt8, DType::kInt32, {8}, 4},
      {Host(), "own_u8s8x16", DType::kUint8, DType::kInt8, DType::kInt32, {16}, 4, true},
      {Host(), "own_u8s8x8", DType::kUint8, DType::kInt8, DType::kInt32, {8}, 4, true},
      {Host(), "dot_s16s8x16", DType::kInt16, DType::kInt8, DType::kInt32, {16}, 2},
      {Host(), "dot_s16s8x8", DType::kInt16, DType::kInt8, DType::kInt32, {8}, 2},
      {Host(), "dot_s16s16x16", DType::kInt16, DType::kInt16, DType::kInt32, {16}, 2},
      {Host(), "fma_f32x16", DType::kFloat32, DType::kFloat32, DType::kFloat32, {16}, 1},
      {Host(), "amx_u8s8", DType::kUint8, DType::kInt8, DType::kInt32, {16, 16}, 64},
      {Cuda(), kMmaS8, DType::kInt8, DType::kInt8, DType::kInt32, {16, 8}, 32},
      {Cuda(), kMmaF16, DType::kFloat16, DType::kFloat16, DType::kFloat32, {16, 8}, 16}};
  for (const Product& p : products) {
    SCOPED_TRACE(p.intrin);
    const auto tile = ProductsOf(*p.target->FindIntrinsic(p.intrin));
    ASSERT_TRUE(tile);
    EXPECT_EQ(tile->left, p.left);
    EXPECT_EQ(tile->right, p.right);
    EXPECT_EQ(tile->sums, p.sums);
    EXPECT_EQ(tile->shape, p.shape);
    EXPECT_EQ(tile->depth, p.depth);
    EXPECT_EQ(tile->own, p.own);
  }
  EXPECT_FALSE(ProductsOf(*Cuda()->FindIntrinsic(kMmaStoreI32)));
  const auto accelerator = Accelerator(isa::Config());
  for (const char* name : {"tile.requant", "tile.reduce_add", "tile.alu_mul", "tile.load_inp"})
    EXPECT_FALSE(ProductsOf(*accelerator->FindIntrinsic(name))) << name;
  EXPECT_EQ(ProductsOf(*accelerator->FindIntrinsic("tile.gemm"))->products(), 16 * 16);
}

}  // namespace
}  // namespace tessera::target::costs_test
