// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the operation absdiff of docs/adding/accelerator-instruction.md, in a copy of the
// tree that has it (instruction_test). Space: its text and encoding; the checker; its results in
// the semantics, in the functional simulator and in the HLS twin, against min(|a - b|, 2^31 - 1) of
// 64-bit numbers, for all pairs of edges of int32. Not tested here: the RTL (requant_test and
// vector_test, which the same program has), loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "isa/asm/asm.h"
#include "isa/check/check.h"
#include "isa/encoding.h"
#include "isa/insns.h"
#include "isa/semantics/alu.h"
#include "sim/func/execute.h"
#include "tsr_alu.h"

namespace tessera::docs::absdiff_test {
namespace {

constexpr int32_t kEdges[] = {INT32_MIN, INT32_MIN + 1, -0x40000000, -2, -1,       0, 1,
                              2,         0x40000000,    77,          -3, INT32_MAX};
constexpr int64_t kPairs = std::size(kEdges) * std::size(kEdges);

int32_t First(int64_t pair) { return kEdges[pair / std::ssize(kEdges) % std::ssize(kEdges)]; }
int32_t Second(int64_t pair) { return kEdges[pair % std::ssize(kEdges)]; }
int32_t Expected(int32_t a, int32_t b) {
  return static_cast<int32_t>(std::min(std::llabs(int64_t{a} - b), (1LL << 31) - 1));
}

// Loads the pairs as ACC tiles, the first operands before the second, and combines them in place.
isa::ProgramImage Program(const isa::Config& config) {
  const int64_t tiles = (kPairs + config.lanes() - 1) / config.lanes();
  std::string numbers;
  for (int64_t n = 0; n < 2 * tiles * config.lanes(); ++n) {
    const int64_t pair = n % (tiles * config.lanes());
    const uint32_t bits = static_cast<uint32_t>(n == pair ? First(pair) : Second(pair));
    for (int byte = 0; byte < 4; ++byte) numbers += fmt::format("{:02x}", bits >> 8 * byte & 0xff);
  }
  const auto image = isa::Assemble(fmt::format(
      ".profile tessera\n.config {} 0x{:016x}\n.segment constants {}\n  .hex {}\n.code\n"
      "  load memory=acc segment=constants x_bytes={} x_step={} x_size={} y_size=1 z_size=1 "
      "push=vector\n"
      "  alu pop=load alu_op=absdiff src_base={} iter_out=1 iter_in={} red_out=1 red_in=1 dst_in=1 "
      "src_in=1\n  finish\n",
      config.name, config.Hash(), numbers.size() / 2, numbers, config.acc_tile_bytes(),
      config.acc_tile_bytes(), 2 * tiles, tiles, tiles));
  EXPECT_TRUE(image) << image.error().message;
  return image.value_or(isa::ProgramImage{});
}

TEST(AbsDiff, HasATextAndAnEncodingAndPassesTheChecker) {
  const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  const isa::ProgramImage image = Program(config);
  ASSERT_EQ(image.insn_count(), 3);
  const Result<isa::Insn> insn = isa::Decode(image.Word(1));
  ASSERT_TRUE(insn && std::holds_alternative<isa::Alu>(*insn));
  EXPECT_EQ(std::get<isa::Alu>(*insn).alu_op, 6);
  EXPECT_NE(isa::Disassemble(image).find("alu pop=load alu_op=absdiff"), std::string::npos);
  const Status status = isa::RequireChecked(image, config);
  EXPECT_TRUE(status) << status.error().message;
}

TEST(AbsDiff, FuncAndTheSemanticsComputeIt) {
  const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  isa::ProgramImage image = Program(config);
  isa::SegmentData& constants = image.segments[static_cast<size_t>(isa::Segment::kConstants)];
  for (const sim::Effects effects : {sim::Effects::kSemantics, sim::Effects::kKernels}) {
    isa::MachineState machine(config);
    machine.dram = constants.data;
    machine.segments[static_cast<size_t>(isa::Segment::kConstants)] = {0, constants.size};
    sim::InsnExecutor executor(machine, effects);
    for (int64_t n = 0; n < image.insn_count(); ++n) {
      const isa::Stop stop = executor.Execute(isa::Decode(image.Word(n)).value(), nullptr);
      ASSERT_FALSE(stop) << stop.detail;
    }
    for (int64_t pair = 0; pair < kPairs; ++pair) {
      EXPECT_EQ(machine.acc[static_cast<size_t>(pair)], Expected(First(pair), Second(pair)))
          << First(pair) << " and " << Second(pair);
    }
  }
}

TEST(AbsDiff, TheTwinComputesIt) {
  for (int64_t pair = 0; pair < kPairs; ++pair) {
    EXPECT_EQ(hls_default::alu_result(6, First(pair), Second(pair)),
              Expected(First(pair), Second(pair)))
        << First(pair) << " and " << Second(pair);
  }
}

}  // namespace
}  // namespace tessera::docs::absdiff_test
