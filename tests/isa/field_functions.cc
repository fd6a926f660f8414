// SPDX-License-Identifier: Apache-2.0
#include "tests/isa/field_functions.h"

#include <gtest/gtest.h>

#include "base/bits.h"
#include "isa/encoding.h"
#include "isa/gen/names.h"
#include "isa/vta_encoding.h"

namespace tessera::isa {
namespace {

// Whether |name| picks exactly the bits that are set in |word|.
template <typename Word>
void ExpectPicks(const FieldFunctions& functions, const std::string& name, const std::string& type,
                 const Word& word, int opcode_bits, bool is_signed) {
  const auto it = functions.find(name);
  ASSERT_NE(it, functions.end()) << name;
  const FieldFunction& function = it->second;
  EXPECT_EQ(function.word, type);
  EXPECT_EQ(function.is_signed, is_signed);
  EXPECT_EQ(function.width, function.high - function.low + 1);
  for (int bit = opcode_bits; bit < static_cast<int>(sizeof(word) * 8); ++bit) {
    const bool set = (word[static_cast<size_t>(bit / 64)] >> (bit % 64) & 1) != 0;
    EXPECT_EQ(set, bit >= function.low && bit <= function.high) << bit;
  }
}

template <typename T>
void ExpectInsn(const FieldFunctions& functions, const WordTypes& words) {
  T every;
  ForEachField(every, [&](const FieldRow& wanted, int64_t) {
    SCOPED_TRACE(std::string(wanted.insn) + "." + std::string(wanted.name));
    T insn;
    ForEachField(insn, [&](const FieldRow& f, int64_t& value) {
      if (f.name == wanted.name)
        value = f.kind == FieldKind::kSigned ? -1 : static_cast<int64_t>(Mask(f.width));
    });
    const bool header = wanted.name == "pop" || wanted.name == "push";
    ExpectPicks(functions,
                (header ? "insn" : LowerSnake(T::kName)) + "_" + std::string(wanted.name),
                words.insn, Encode(insn).value(), kOpcodeBits, wanted.kind == FieldKind::kSigned);
  });
}

template <typename T>
void ExpectVtaInsn(const FieldFunctions& functions, const WordTypes& words, const VtaCodec& codec) {
  for (const FieldRow& wanted : codec.FieldsOf(T::kName)) {
    SCOPED_TRACE(std::string(wanted.insn) + "." + std::string(wanted.name));
    T insn;
    ForEachField(insn, [&](const VtaFieldRow& f, int64_t& value) {
      if (f.name == wanted.name)
        value = f.name == "imm" ? -1 : static_cast<int64_t>(Mask(wanted.width));
    });
    const bool header = wanted.name.starts_with("pop_") || wanted.name.starts_with("push_");
    ExpectPicks(functions,
                (header ? "vta_insn" : LowerSnake(T::kName)) + "_" + std::string(wanted.name),
                words.vta_insn, codec.Encode(insn).value(), kVtaOpcodeBits, wanted.name == "imm");
  }
}

}  // namespace

void ExpectFieldFunctions(const Config& config, const FieldFunctions& functions,
                          const WordTypes& words) {
  ExpectInsn<Load>(functions, words);
  ExpectInsn<Store>(functions, words);
  ExpectInsn<Gemm>(functions, words);
  ExpectInsn<Depthwise>(functions, words);
  ExpectInsn<Requant>(functions, words);
  ExpectInsn<Add>(functions, words);
  ExpectInsn<Alu>(functions, words);
  ExpectInsn<Sync>(functions, words);
  ExpectInsn<Finish>(functions, words);
  EXPECT_EQ(functions.at("uop_init").low, 60);
  EXPECT_EQ(functions.at("uop_wgt").low, 40);
  EXPECT_EQ(functions.at("uop_src").high, 39);
  EXPECT_EQ(functions.at("uop_dst").high, 19);
  EXPECT_EQ(functions.at("uop_dst").word, words.uop);
  if (!ValidateVtaProfile(config)) return;
  const VtaCodec codec = VtaCodec::Make(config).value();
  ExpectVtaInsn<VtaLoad>(functions, words, codec);
  ExpectVtaInsn<VtaStore>(functions, words, codec);
  ExpectVtaInsn<VtaGemm>(functions, words, codec);
  ExpectVtaInsn<VtaFinish>(functions, words, codec);
  ExpectVtaInsn<VtaAlu>(functions, words, codec);
  for (const FieldRow& f : codec.FieldsOf("VtaUop")) {
    const FieldFunction& function = functions.at("vta_uop_" + std::string(f.name));
    EXPECT_EQ(function.word, words.vta_uop);
    EXPECT_EQ(function.low, f.lsb);
    EXPECT_EQ(function.width, f.width);
  }
}

}  // namespace tessera::isa
