// SPDX-License-Identifier: Apache-2.0
//
// What is tested: encode and decode of profile tessera, and the unit of each instruction. Second
// derivation: a few instructions assembled by hand from the bit numbers in isa/insns.def's lines.
// Space: every instruction and every field, extreme and random values; every diagnostic.
// Not tested here: what instructions do (isa/semantics), text (asm_test).
#include "isa/encoding.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/bits.h"
#include "base/rng.h"

namespace tessera::isa::encoding_test {
namespace {

template <typename T>
T Filled(int which, Rng& rng) {
  T insn;
  ForEachField(insn, [&](const FieldRow& f, int64_t& value) {
    const bool is_signed = f.kind == FieldKind::kSigned;
    const int64_t high = static_cast<int64_t>(Mask(is_signed ? f.width - 1 : f.width));
    const int64_t low = is_signed ? -high - 1 : 0;
    value = which == 0 ? low : which == 1 ? high : rng.Range(low, high);
  });
  return insn;
}

template <typename T>
class EveryInsn : public ::testing::Test {};
using Insns = ::testing::Types<Load, Store, Gemm, Depthwise, Requant, Add, Alu, Sync, Finish>;
TYPED_TEST_SUITE(EveryInsn, Insns);

TYPED_TEST(EveryInsn, DecodeUndoesEncode) {
  SCOPED_TRACE("seed 5");
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    const Insn insn = Filled<TypeParam>(round, rng);
    const auto word = Encode(insn);
    ASSERT_TRUE(word) << word.error().message;
    EXPECT_EQ((*word)[0] & 15, static_cast<uint64_t>(TypeParam::kOpcode));
    const auto back = Decode(*word);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, insn);
  }
}

TYPED_TEST(EveryInsn, EveryFieldRefusesOneMoreThanItHolds) {
  ForEachField(*std::make_unique<TypeParam>(), [&](const FieldRow& wanted, int64_t) {
    const bool is_signed = wanted.kind == FieldKind::kSigned;
    for (const bool above : {false, true}) {
      TypeParam insn;
      const int64_t past = above ? int64_t{1} << (is_signed ? wanted.width - 1 : wanted.width)
                                 : (is_signed ? -(int64_t{1} << (wanted.width - 1)) - 1 : -1);
      ForEachField(insn, [&](const FieldRow& f, int64_t& value) {
        if (f.name == wanted.name) value = past;
      });
      const auto word = Encode(insn);
      ASSERT_FALSE(word) << wanted.name;
      EXPECT_EQ(word.error().code, Code::kOutOfRange);
      EXPECT_EQ(word.error().message, std::string(TypeParam::kName) + "." +
                                          std::string(wanted.name) + " is " + std::to_string(past) +
                                          ", the field holds " + std::to_string(wanted.width) +
                                          (is_signed ? " signed bits" : " unsigned bits"));
    }
  });
}

// Flipping a bit changes a field or makes Decode refuse the word: no bit is ignored.
TYPED_TEST(EveryInsn, EveryBitCounts) {
  const InsnWord zero = Encode(TypeParam{}).value();
  for (int bit = kOpcodeBits; bit < kInsnBits; ++bit) {
    InsnWord word = zero;
    word[static_cast<size_t>(bit / 64)] |= uint64_t{1} << (bit % 64);
    const auto insn = Decode(word);
    if (insn) {
      EXPECT_NE(*insn, Insn(TypeParam{})) << bit;
      EXPECT_EQ(Encode(*insn).value(), word) << bit;
    } else {
      EXPECT_EQ(insn.error().message, std::string(TypeParam::kName) + ": bit " +
                                          std::to_string(bit) + " is set but no field names it");
    }
  }
}

TEST(Encoding, PlacesFieldsWhereTheTableSays) {
  Load load;
  load.pop = 0b0010;
  load.push = 0b0100;
  load.memory = 2;
  load.pad_value = -1;
  load.sram_base = 0xabcde;
  load.x_step = 0x123456;
  load.y_pad_1 = 0x7f;
  const InsnWord want{
      0x1u | 0x2u << 4 | 0x4u << 8 | 2u << 12 | uint64_t{0xff} << 18 | uint64_t{0xabcde} << 42, 0,
      0x123456, uint64_t{0x7f} << 56};
  EXPECT_EQ(Encode(load).value(), want);
  Requant requant;
  requant.shift = -31;
  requant.multiplier = 0x7fffffff;
  EXPECT_EQ(Encode(requant).value(),
            (InsnWord{5, 0, 0, uint64_t{0x7fffffff} | uint64_t{0b100001} << 31}));
}

TEST(Encoding, RefusesUnknownOpcodes) {
  for (uint64_t opcode : {0u, 10u, 11u, 12u, 13u, 14u, 15u}) {
    const auto insn = Decode({opcode, 0, 0, 0});
    ASSERT_FALSE(insn);
    EXPECT_EQ(insn.error().code, Code::kInvalidArgument);
    EXPECT_EQ(insn.error().message,
              "opcode " + std::to_string(opcode) + " is not in profile tessera");
  }
}

TEST(Encoding, MicroOps) {
  const Uop uop{0xfffff, 0x12345, 0xabcde, 1};
  const uint64_t word =
      0xfffff | uint64_t{0x12345} << 20 | uint64_t{0xabcde} << 40 | uint64_t{1} << 60;
  EXPECT_EQ(EncodeUop(uop).value(), word);
  EXPECT_EQ(DecodeUop(word).value(), uop);
  const auto stray = DecodeUop(uint64_t{1} << 61);
  ASSERT_FALSE(stray);
  EXPECT_EQ(stray.error().message, "micro-op: bit 61 is set but no field names it");
  const auto large = EncodeUop({1 << 20, 0, 0, 0});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().message, "micro-op.dst is 1048576, the field holds 20 bits");
}

TEST(Encoding, EachInstructionHasItsUnit) {
  EXPECT_EQ(UnitOf(Load{}), Unit::kLoad);
  EXPECT_EQ(UnitOf(Store{}), Unit::kStore);
  EXPECT_EQ(UnitOf(Gemm{}), Unit::kGemm);
  EXPECT_EQ(UnitOf(Depthwise{}), Unit::kGemm);
  EXPECT_EQ(UnitOf(Requant{}), Unit::kVector);
  EXPECT_EQ(UnitOf(Add{}), Unit::kVector);
  EXPECT_EQ(UnitOf(Alu{}), Unit::kVector);
  for (int u = 0; u < kUnits; ++u) {
    Sync sync;
    sync.unit = u;
    EXPECT_EQ(UnitOf(sync), static_cast<Unit>(u));
  }
}

}  // namespace
}  // namespace tessera::isa::encoding_test
