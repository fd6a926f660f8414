// SPDX-License-Identifier: Apache-2.0
//
// What is tested: VECTOR's rates in cycles, and every error with its instruction number.
// Space: the loops named below, memories that never refuse.
// Not tested here: values (requant_test, vector_test).
#include <gtest/gtest.h>

#include "isa/costs.h"
#include "tests/hw/vector/vector_bench.h"

namespace tessera::hw::vector_rate_test {
namespace {

const isa::Config& TheConfig() {
  static const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  return config;
}

isa::Requant Requant256() {
  isa::Requant r;
  r.dst_mem = 1;
  r.iter_out = 4, r.iter_in = 64;
  r.src_out = r.dst_out = 64;
  r.src_in = r.dst_in = r.prm_in = 1;
  r.clear = 1;
  return r;
}

// Cycles from taking the first command to the retirement of the last.
int64_t Cycles(const std::vector<isa::Insn>& insns) {
  VectorBench bench(TheConfig(), false);
  std::vector<Command> commands;
  for (const isa::Insn& insn : insns) commands.push_back({*isa::Encode(insn), 0, 0});
  bench.Run(commands, 100000);
  EXPECT_FALSE(bench.error);
  EXPECT_EQ(bench.retired.size(), insns.size());
  return bench.retired.back() - bench.taken.front();
}

constexpr int64_t kPipeline = isa::StartCycles(isa::Unit::kVector);
// With half the lanes every step takes its cycles twice.
const int64_t kPasses = TheConfig().vector_passes;

TEST(VectorRate, TheTablesSayTheSame) {
  EXPECT_EQ(isa::StepCycles<isa::Requant>(TheConfig()), kPasses);
  EXPECT_EQ(isa::StepCycles<isa::Add>(TheConfig()), kPasses);
  EXPECT_EQ(isa::StepCycles<isa::Alu>(TheConfig()), kPasses);
}

TEST(VectorRate, RequantKeepsOneTileACycle) {
  EXPECT_EQ(Cycles({Requant256()}), 256 * kPasses + kPipeline);
  isa::Requant from_out = Requant256();
  from_out.src_mem = 1, from_out.dst_mem = 2, from_out.clear = 0, from_out.per_tensor = 1;
  EXPECT_EQ(Cycles({from_out}), 256 * kPasses + kPipeline);
  from_out.table = TheConfig().tab_bytes == 0 ? 0 : 1;
  EXPECT_EQ(Cycles({from_out}), 256 * kPasses + kPipeline) << "looked up in TAB";
}

TEST(VectorRate, AddKeepsOneTileACycle) {
  isa::Add r;
  r.src_mem = 1, r.dst_mem = 1, r.clear = 1;
  r.iter_out = 4, r.iter_in = 64;
  r.src_out = r.dst_out = 64;
  r.src_in = r.dst_in = 1;
  EXPECT_EQ(Cycles({r}), 256 * kPasses + kPipeline);
}

TEST(VectorRate, CommandsFollowWithoutAGap) {
  std::vector<isa::Insn> insns;
  for (int n = 0; n < 32; ++n) {
    isa::Requant r = Requant256();
    r.iter_out = 1, r.iter_in = 3;
    r.src_base = r.dst_base = 3 * n;
    insns.push_back(r);
  }
  EXPECT_EQ(Cycles(insns), 96 * kPasses + kPipeline);
}

TEST(VectorRate, ReductionTakesOneOperandACycle) {
  isa::Alu pool;
  pool.alu_op = static_cast<int64_t>(isa::AluOp::kMax);
  pool.src_mem = static_cast<int64_t>(isa::VectorMemory::kOut);
  pool.iter_out = 4, pool.iter_in = 8;
  pool.red_out = pool.red_in = 3;
  pool.dst_out = 8, pool.dst_in = 1;
  pool.src_out = 20, pool.src_in = 2, pool.red_out_step = 9, pool.red_in_step = 1;
  EXPECT_EQ(Cycles({pool}), 32 * 9 * kPasses + kPipeline) << "from OUT into what ACC holds";
  pool.init = 1;
  EXPECT_EQ(Cycles({pool}), 32 * 9 * kPasses + kPipeline) << "from OUT";
  pool.src_mem = static_cast<int64_t>(isa::VectorMemory::kAcc);
  pool.src_base = 100;
  EXPECT_EQ(Cycles({pool}), 32 * 9 * kPasses + kPipeline) << "from ACC";
  pool.init = 0;
  EXPECT_EQ(Cycles({pool}), 32 * 10 * kPasses + kPipeline)
      << "from ACC into what ACC holds: one read more a tile";
}

TEST(VectorRate, TwoOperandsFromAccTakeTwoCycles) {
  isa::Alu add;
  add.alu_op = static_cast<int64_t>(isa::AluOp::kAdd);
  add.iter_out = 1, add.iter_in = 100;
  add.red_out = add.red_in = 1;
  add.dst_in = add.src_in = 1;
  add.src_base = 128;
  EXPECT_EQ(Cycles({add}), 200 * kPasses + kPipeline);
  add.src_mem = static_cast<int64_t>(isa::VectorMemory::kImm);
  EXPECT_EQ(Cycles({add}), 100 * kPasses + kPipeline);
}

// Commands of one step: the unit holds one in flops and takes the next when that one has begun, so
// that no path runs through its ready. The unit holds each command for a cycle before taking it,
// and compares its counts with one. With half the lanes the second command waits a cycle, and the
// last one has a second pass.
TEST(VectorRate, OneStepCommandsTakeThreeCycles) {
  std::vector<isa::Insn> insns;
  for (int n = 0; n < 32; ++n) {
    isa::Requant r = Requant256();
    r.iter_out = r.iter_in = 1;
    r.src_base = r.dst_base = n;
    insns.push_back(r);
  }
  EXPECT_EQ(Cycles(insns), 3 * 31 + 1 + 2 * (kPasses - 1) + kPipeline);
}

// A step that needs the result of the one before is issued kVectorReuseCycles after that one's last
// pass: the lanes' fourteen stages, the queue of results, the write's register, and the write. A
// step that follows at this distance or later does not wait.
TEST(VectorRate, DependentStepsWaitForTheWrite) {
  isa::Alu shift;
  shift.alu_op = static_cast<int64_t>(isa::AluOp::kShr);
  shift.src_mem = static_cast<int64_t>(isa::VectorMemory::kImm);
  shift.iter_out = 5, shift.iter_in = 1;
  shift.red_out = shift.red_in = 1;
  constexpr int64_t kReuse = isa::kVectorReuseCycles;
  EXPECT_EQ(Cycles({shift}), 4 * (kReuse + kPasses - 1) + kPasses + kPipeline) << "one tile";
  shift.iter_in = kReuse, shift.dst_in = 1;
  EXPECT_EQ(Cycles({shift}), 5 * kReuse * kPasses + kPipeline) << "as many tiles in turn";
}

TEST(VectorRate, VtaAlu) {
  if (!isa::ValidateVtaProfile(TheConfig()))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  const isa::VtaCodec codec = *isa::VtaCodec::Make(TheConfig());
  for (int use_imm : {0, 1}) {
    VectorBench bench(TheConfig(), true);
    isa::VtaAlu r;
    r.uop_end = 1;
    r.iter_out = 1, r.iter_in = 100;
    r.dst_factor_in = 1;
    r.alu_opcode = 2;
    r.use_imm = use_imm;
    r.src_factor_out = 0, r.src_factor_in = 1;
    bench.state.uop[0] = *codec.EncodeUop({.dst_idx = 0, .src_idx = 128, .wgt_idx = 0});
    const isa::VtaInsnWord word = *codec.Encode(r);
    bench.Run({{{word[0], word[1], 0, 0}, 0, 0}}, 1000);
    EXPECT_EQ(bench.retired.at(0) - bench.taken.at(0), (use_imm ? 100 : 200) * kPasses + kPipeline);
  }
}

struct Bad {
  const char* name;
  isa::Insn insn;
  isa::MachineError error;
};

std::vector<Bad> BadCommands() {
  const isa::Config& c = TheConfig();
  const int64_t acc = c.Depth(isa::Memory::kAcc), inp = c.Depth(isa::Memory::kInp),
                out = c.Depth(isa::Memory::kOut);
  using enum isa::MachineError;
  std::vector<Bad> bad;
  const auto requant = [&](const char* name, isa::MachineError error, auto change) {
    isa::Requant r;
    r.iter_out = 1, r.iter_in = 3;
    r.src_in = r.dst_in = r.prm_in = 1;
    r.dst_base = 30;
    change(r);
    bad.push_back({name, r, error});
  };
  const auto add = [&](const char* name, isa::MachineError error, auto change) {
    isa::Add r;
    r.iter_out = 1, r.iter_in = 3;
    r.src_in = r.dst_in = 1;
    r.src_mem = r.dst_mem = 1;
    change(r);
    bad.push_back({name, r, error});
  };
  const auto alu = [&](const char* name, isa::MachineError error, auto change) {
    isa::Alu r;
    r.iter_out = 1, r.iter_in = 3;
    r.red_out = r.red_in = 2;
    r.red_in_step = r.dst_in = 1;
    r.dst_base = 30;
    change(r);
    bad.push_back({name, r, error});
  };
  requant("source in ACC", kSramRange, [&](isa::Requant& r) { r.src_base = acc - 2; });
  requant("source in OUT", kSramRange,
          [&](isa::Requant& r) { r.src_mem = 1, r.src_base = out - 2; });
  requant("source in INP", kSramRange,
          [&](isa::Requant& r) { r.src_mem = 2, r.src_base = inp - 2; });
  requant("destination in OUT", kSramRange,
          [&](isa::Requant& r) { r.dst_mem = 1, r.dst_base = out - 2; });
  requant("destination in INP", kSramRange,
          [&](isa::Requant& r) { r.dst_mem = 2, r.dst_base = inp - 2; });
  requant("parameters", kSramRange, [&](isa::Requant& r) { r.prm_base = c.prm_depth - 2; });
  requant("wrap-around", kSramRange, [&](isa::Requant& r) { r.src_base = 0xfffff, r.src_in = 1; });
  requant("source memory", kIllegalField, [&](isa::Requant& r) { r.src_mem = 3; });
  requant("destination memory", kIllegalField, [&](isa::Requant& r) { r.dst_mem = 3; });
  requant("table of ACC", kIllegalField, [&](isa::Requant& r) { r.table = 1; });
  requant("rounding", kIllegalField, [&](isa::Requant& r) { r.round = 3; });
  requant("shift, nothing to do", kIllegalField,
          [&](isa::Requant& r) { r.shift = -32, r.iter_in = 0; });
  add("addend", kSramRange, [&](isa::Add& r) { r.acc_base = acc - 2; });
  add("source", kSramRange, [&](isa::Add& r) { r.src_base = out - 2; });
  add("destination", kSramRange, [&](isa::Add& r) { r.dst_base = out - 2; });
  add("source memory acc", kIllegalField, [&](isa::Add& r) { r.src_mem = 0; });
  add("source memory imm", kIllegalField, [&](isa::Add& r) { r.src_mem = 3; });
  add("table of ACC", kIllegalField, [&](isa::Add& r) { r.dst_mem = 0, r.table = 1; });
  if (c.tab_bytes == 0) {
    requant("table without TAB", kIllegalField, [&](isa::Requant& r) { r.dst_mem = r.table = 1; });
    add("table without TAB", kIllegalField, [&](isa::Add& r) { r.table = 1; });
  }
  alu("destination", kSramRange, [&](isa::Alu& r) { r.dst_base = acc - 2; });
  alu("reduction", kSramRange, [&](isa::Alu& r) { r.src_base = acc - 1; });
  alu("operation", kIllegalField, [&](isa::Alu& r) { r.alu_op = 7; });
  alu("outer reduction", kIllegalField, [&](isa::Alu& r) { r.red_out = 0; });
  alu("inner reduction", kIllegalField, [&](isa::Alu& r) { r.red_in = 0; });
  return bad;
}

TEST(VectorErrors, StopTheUnitInOrder) {
  const isa::Config& c = TheConfig();
  for (const Bad& bad : BadCommands()) {
    SCOPED_TRACE(bad.name);
    VectorBench bench(c, false);
    isa::Alu good;  // acc tiles 10 and 11 = 7
    good.alu_op = static_cast<int64_t>(isa::AluOp::kMov);
    good.src_mem = static_cast<int64_t>(isa::VectorMemory::kImm);
    good.iter_out = good.red_out = good.red_in = 1;
    good.iter_in = 2, good.dst_in = 1, good.dst_base = 10;
    good.imm = 7;
    isa::Alu after = good;
    after.dst_base = 20;
    bench.Run(
        {{*isa::Encode(good), 4, 0}, {*isa::Encode(bad.insn), 5, 0}, {*isa::Encode(after), 6, 0}},
        500);
    bench.Idle(60);
    EXPECT_TRUE(bench.error);
    EXPECT_EQ(bench.error_code, static_cast<int>(bad.error));
    EXPECT_EQ(bench.error_num, 5u);
    EXPECT_EQ(bench.retired.size(), 1u);
    EXPECT_EQ(bench.state.acc[11 * c.lanes()], 7) << "the command in front of the error";
    EXPECT_EQ(bench.state.acc[20 * c.lanes()], 0) << "the command behind the error ran";
  }
}

TEST(VectorErrors, VtaAlu) {
  if (!isa::ValidateVtaProfile(TheConfig()))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  const isa::Config& c = TheConfig();
  const isa::VtaCodec codec = *isa::VtaCodec::Make(c);
  using enum isa::MachineError;
  for (int n = 0; n < 4; ++n) {
    SCOPED_TRACE(n);
    VectorBench bench(c, true);
    isa::VtaAlu r;
    r.uop_end = r.iter_out = 1;
    r.iter_in = 2;
    if (n == 0) r.alu_opcode = 5;
    if (n == 1)
      r.uop_bgn = c.Depth(isa::Memory::kUop, isa::Profile::kVta) - 1, r.uop_end = r.uop_bgn + 2;
    if (n >= 2) {
      bench.state.uop[0] =
          *codec.EncodeUop({.dst_idx = 0, .src_idx = c.Depth(isa::Memory::kAcc) - 1, .wgt_idx = 0});
      r.src_factor_in = 1;
      r.use_imm = n == 3;  // then the source must not matter
    }
    const isa::VtaInsnWord word = *codec.Encode(r);
    bench.Run({{{word[0], word[1], 0, 0}, 2, 0}}, 200);
    EXPECT_EQ(bench.error, n != 3);
    if (n != 3) {
      EXPECT_EQ(bench.error_code, static_cast<int>(n == 0 ? kIllegalField : kSramRange));
    }
  }
}

}  // namespace
}  // namespace tessera::hw::vector_rate_test
