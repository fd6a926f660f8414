// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what the translation check says of a wrong program: the first wrong instruction,
// what its operands hold and what they should, a result that is missing, tensors in one place,
// programs that it cannot follow. Space: one program of two layers on tiny, a fault each. Not
// tested here: that faults are found (faults_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/validate/validate.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/validate/rewrite.h"

namespace tessera::test::explain_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Explain : public ::testing::Test {
 protected:
  void SetUp() override {
    Net net(3);
    const auto x = net.Conv(net.Input({1, 8, 6, 6}), 8, Square(3));
    net.Output(net.Conv(x, 4, Square(1)));
    auto compiled = Compile(net.graph(), config_);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    compiled_ = std::move(*compiled);
    program_ = TakeApart(compiled_.program.image, config_);
  }
  std::string Said(const isa::ProgramImage& image, const std::vector<int64_t>& offsets) const {
    const ProgramAlone& p = compiled_.program;
    const auto report = validate::CheckTranslation(p.plan, compiled_.regions, config_, offsets,
                                                   p.arena_bytes, image, {.all = true});
    return report ? "" : report.error().message;
  }
  std::string Said(const BareProgram& program) const {
    const auto image = PutTogether(program, compiled_.program.image, config_);
    return image ? Said(*image, compiled_.program.offsets) : image.error().message;
  }

  const isa::Config config_ = NamedConfig("tiny");
  Compiled compiled_;
  BareProgram program_;
};

TEST_F(Explain, ARightProgramSaysNothing) { EXPECT_EQ(Said(program_), ""); }

TEST_F(Explain, TheFirstWrongInstructionWithItsOperands_bad) {
  // The second load of weights comes where the first one's are.
  std::vector<size_t> loads;
  for (size_t n = 0; n < program_.size(); ++n) {
    const auto* load = std::get_if<isa::Load>(&program_[n].insn);
    if (load != nullptr && load->memory == static_cast<int64_t>(isa::Memory::kWgt))
      loads.push_back(n);
  }
  ASSERT_GE(loads.size(), 1u);
  BareProgram changed = program_;
  std::get<isa::Load>(changed[loads.back()].insn).dram_base = 0;
  EXPECT_THAT(Said(changed), AllOf(ContainsRegex("^instruction [0-9]+ \\("),
                                   HasSubstr("of its layer makes: "), HasSubstr("holds ")));
}

TEST_F(Explain, WhatAnOperandShouldBe_bad) {
  // A sum that goes on reads weights of another tap: the rest of the step tells which.
  for (BareInsn& bare : program_) {
    auto* gemm = std::get_if<isa::Gemm>(&bare.insn);
    if (gemm == nullptr) continue;
    gemm->src_base += 1;
    break;
  }
  EXPECT_THAT(Said(program_),
              AllOf(HasSubstr("makes in acc "), ContainsRegex("inp [0-9]+ holds ")));
}

TEST_F(Explain, AnInputReadAcrossItsTiles_bad) {
  for (BareInsn& bare : program_) {
    auto* load = std::get_if<isa::Load>(&bare.insn);
    if (load == nullptr || load->memory != static_cast<int64_t>(isa::Memory::kInp)) continue;
    load->dram_base += 1;  // bytes of two tiles
    break;
  }
  EXPECT_THAT(Said(program_), ContainsRegex("segment 2 [0-9]+ holds input [0-9]+ \\[[0-9]+\\]"));
}

TEST_F(Explain, AResultThatIsMissing_bad) {
  BareProgram without = program_;
  for (size_t n = without.size(); n-- > 0;) {
    if (without[n].unit != isa::Unit::kStore) continue;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(n));
    break;
  }
  EXPECT_THAT(
      Said(without),
      AllOf(HasSubstr("the program leaves what nothing has written in device memory where "),
            HasSubstr(" should be; an instruction is missing, or writes elsewhere")));
}

TEST_F(Explain, ProgramsThatCannotBeFollowed_bad) {
  BareProgram far = program_;
  for (BareInsn& bare : far) {
    if (auto* store = std::get_if<isa::Store>(&bare.insn)) store->dram_base = 1 << 20;
  }
  EXPECT_THAT(Said(far), HasSubstr("byte 1048576 of the arena"));
  BareProgram deep = program_;
  for (BareInsn& bare : deep) {
    if (auto* requant = std::get_if<isa::Requant>(&bare.insn)) requant->src_base = 1 << 18;
  }
  EXPECT_THAT(Said(deep), HasSubstr("acc tile 262144 of "));
  BareProgram cleared = program_;
  for (BareInsn& bare : cleared) {
    if (auto* requant = std::get_if<isa::Requant>(&bare.insn)) requant->clear = 1;
  }
  EXPECT_THAT(Said(cleared), HasSubstr("a source that is cleared"));
  BareProgram elsewhere = program_;
  for (BareInsn& bare : elsewhere) {
    if (auto* store = std::get_if<isa::Store>(&bare.insn))
      store->segment = static_cast<int64_t>(isa::Segment::kOutput);
  }
  EXPECT_THAT(Said(elsewhere), HasSubstr("a store outside of the arena"));
  // A pop without its push.
  isa::ProgramImage waits = compiled_.program.image;
  waits.code[0] = static_cast<uint8_t>(waits.code[0] | 0x80);  // pops of store
  EXPECT_THAT(Said(waits, compiled_.program.offsets), HasSubstr(" never starts"));
}

TEST(ExplainInputs, TwoInOnePlace_bad) {
  const isa::Config config = NamedConfig("tiny");
  Net net(4);
  const auto a = net.Input({1, 8, 6, 6}), b = net.Input({1, 8, 6, 6});
  net.Output(net.Add(a, b));
  const auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const ProgramAlone& p = compiled->program;
  std::vector<int64_t> offsets = p.offsets;
  for (size_t n = 0; n < offsets.size(); ++n) {
    if (!p.plan.needs[n].made) offsets[n] = 0;
  }
  const auto report = validate::CheckTranslation(p.plan, compiled->regions, config, offsets,
                                                 p.arena_bytes, p.image);
  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().message, HasSubstr("are both in byte 0 of the arena"));
}

}  // namespace
}  // namespace tessera::test::explain_test
