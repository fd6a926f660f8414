// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the bits of each field of profile vta, and encode and decode. Second derivations:
// a table of VTA's documented bits written by hand, and C bit-fields laid out by this compiler, at
// the default configuration and at tiny, where factors start in the lower word. Space: every field
// of every instruction and of the micro-op, extreme and random values, every named configuration
// that VTA's encoding fits. Not tested here: what instructions do (isa/semantics), limits of
// configurations (config_test).
#include "isa/vta_encoding.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/rng.h"

namespace tessera::isa::vta_encoding_test {
namespace {

struct Bits {
  const char* insn;
  const char* name;
  int lsb;
  int width;
};

// VTA's published encoding at its default configuration.
constexpr Bits kDefaultBits[] = {
    {"VtaLoad", "pop_prev", 3, 1},
    {"VtaLoad", "pop_next", 4, 1},
    {"VtaLoad", "push_prev", 5, 1},
    {"VtaLoad", "push_next", 6, 1},
    {"VtaLoad", "memory_type", 7, 3},
    {"VtaLoad", "sram_base", 10, 16},
    {"VtaLoad", "dram_base", 26, 32},
    {"VtaLoad", "y_size", 64, 16},
    {"VtaLoad", "x_size", 80, 16},
    {"VtaLoad", "x_stride", 96, 16},
    {"VtaLoad", "y_pad_0", 112, 4},
    {"VtaLoad", "y_pad_1", 116, 4},
    {"VtaLoad", "x_pad_0", 120, 4},
    {"VtaLoad", "x_pad_1", 124, 4},
    {"VtaStore", "pop_prev", 3, 1},
    {"VtaStore", "pop_next", 4, 1},
    {"VtaStore", "push_prev", 5, 1},
    {"VtaStore", "push_next", 6, 1},
    {"VtaStore", "memory_type", 7, 3},
    {"VtaStore", "sram_base", 10, 16},
    {"VtaStore", "dram_base", 26, 32},
    {"VtaStore", "y_size", 64, 16},
    {"VtaStore", "x_size", 80, 16},
    {"VtaStore", "x_stride", 96, 16},
    {"VtaStore", "y_pad_0", 112, 4},
    {"VtaStore", "y_pad_1", 116, 4},
    {"VtaStore", "x_pad_0", 120, 4},
    {"VtaStore", "x_pad_1", 124, 4},
    {"VtaGemm", "pop_prev", 3, 1},
    {"VtaGemm", "pop_next", 4, 1},
    {"VtaGemm", "push_prev", 5, 1},
    {"VtaGemm", "push_next", 6, 1},
    {"VtaGemm", "reset_reg", 7, 1},
    {"VtaGemm", "uop_bgn", 8, 13},
    {"VtaGemm", "uop_end", 21, 14},
    {"VtaGemm", "iter_out", 35, 14},
    {"VtaGemm", "iter_in", 49, 14},
    {"VtaGemm", "dst_factor_out", 64, 11},
    {"VtaGemm", "dst_factor_in", 75, 11},
    {"VtaGemm", "src_factor_out", 86, 11},
    {"VtaGemm", "src_factor_in", 97, 11},
    {"VtaGemm", "wgt_factor_out", 108, 10},
    {"VtaGemm", "wgt_factor_in", 118, 10},
    {"VtaFinish", "pop_prev", 3, 1},
    {"VtaFinish", "pop_next", 4, 1},
    {"VtaFinish", "push_prev", 5, 1},
    {"VtaFinish", "push_next", 6, 1},
    {"VtaAlu", "pop_prev", 3, 1},
    {"VtaAlu", "pop_next", 4, 1},
    {"VtaAlu", "push_prev", 5, 1},
    {"VtaAlu", "push_next", 6, 1},
    {"VtaAlu", "reset_reg", 7, 1},
    {"VtaAlu", "uop_bgn", 8, 13},
    {"VtaAlu", "uop_end", 21, 14},
    {"VtaAlu", "iter_out", 35, 14},
    {"VtaAlu", "iter_in", 49, 14},
    {"VtaAlu", "dst_factor_out", 64, 11},
    {"VtaAlu", "dst_factor_in", 75, 11},
    {"VtaAlu", "src_factor_out", 86, 11},
    {"VtaAlu", "src_factor_in", 97, 11},
    {"VtaAlu", "alu_opcode", 108, 3},
    {"VtaAlu", "use_imm", 111, 1},
    {"VtaAlu", "imm", 112, 16},
    {"VtaUop", "dst_idx", 0, 11},
    {"VtaUop", "src_idx", 11, 11},
    {"VtaUop", "wgt_idx", 22, 10},
};

Config Named(const std::string& name) { return LoadConfig(name).value(); }

TEST(VtaLayout, DefaultBitsAreThePublishedOnes) {
  const std::vector<FieldRow> fields = VtaFields(Named("default"));
  ASSERT_EQ(fields.size(), std::size(kDefaultBits));
  for (size_t i = 0; i < fields.size(); ++i) {
    SCOPED_TRACE(std::string(kDefaultBits[i].insn) + "." + kDefaultBits[i].name);
    EXPECT_EQ(fields[i].insn, kDefaultBits[i].insn);
    EXPECT_EQ(fields[i].name, kDefaultBits[i].name);
    EXPECT_EQ(fields[i].lsb, kDefaultBits[i].lsb);
    EXPECT_EQ(fields[i].width, kDefaultBits[i].width);
  }
}

// C bit-fields with the widths of a configuration: log2 of the depths of UOP, ACC, INP and WGT.
template <int kUop, int kAcc, int kInp, int kWgt>
struct CFields {
  struct Mem {
    uint64_t opcode : 3, pop_prev : 1, pop_next : 1, push_prev : 1, push_next : 1;
    uint64_t memory_type : 3, sram_base : 16, dram_base : 32;
    uint64_t y_size : 16, x_size : 16, x_stride : 16;
    uint64_t y_pad_0 : 4, y_pad_1 : 4, x_pad_0 : 4, x_pad_1 : 4;
  };
  struct Gemm {
    uint64_t opcode : 3, pop_prev : 1, pop_next : 1, push_prev : 1, push_next : 1;
    uint64_t reset_reg : 1, uop_bgn : kUop, uop_end : kUop + 1, iter_out : 14, iter_in : 14;
    uint64_t dst_factor_out : kAcc,
                              dst_factor_in : kAcc,
                                              src_factor_out : kInp,
                                                               src_factor_in : kInp;
    uint64_t wgt_factor_out : kWgt, wgt_factor_in : kWgt;
  };
  struct Alu {
    uint64_t opcode : 3, pop_prev : 1, pop_next : 1, push_prev : 1, push_next : 1;
    uint64_t reset_reg : 1, uop_bgn : kUop, uop_end : kUop + 1, iter_out : 14, iter_in : 14;
    uint64_t dst_factor_out : kAcc,
                              dst_factor_in : kAcc,
                                              src_factor_out : kAcc,
                                                               src_factor_in : kAcc;
    uint64_t alu_opcode : 3, use_imm : 1;
    int64_t imm : 16;
  };
  struct Uop {
    uint32_t dst_idx : kAcc, src_idx : (kAcc > kInp ? kAcc : kInp), wgt_idx : kWgt;
  };

  static void Check(const Config& config, uint64_t seed) {
    SCOPED_TRACE("configuration " + config.name + ", seed " + std::to_string(seed));
    const VtaCodec codec = VtaCodec::Make(config).value();
    Rng rng(seed);
    for (int round = 0; round < 200; ++round) {
      VtaInsnWord word{rng.Next(), rng.Next()};
      word[0] = (word[0] & ~uint64_t{7}) | static_cast<uint64_t>(rng.Range(0, 4));
      const VtaInsn insn = codec.Decode(word).value();
      std::visit([&](const auto& one) { Compare(one, word); }, insn);
      const uint32_t uop_word = static_cast<uint32_t>(rng.Next());
      const VtaUop uop = codec.DecodeUop(uop_word);
      Uop c;
      static_assert(sizeof c == sizeof uop_word);
      std::memcpy(&c, &uop_word, sizeof c);
      EXPECT_EQ(uop, VtaUop(c.dst_idx, c.src_idx, c.wgt_idx));
    }
  }

  template <typename C>
  static C As(const VtaInsnWord& word) {
    C c;
    static_assert(sizeof c == sizeof word);
    std::memcpy(&c, word.data(), sizeof c);
    return c;
  }
  template <typename Insn>
  static void CompareMem(const Insn& insn, const VtaInsnWord& word) {
    const Mem c = As<Mem>(word);
    EXPECT_EQ(insn, Insn(c.pop_prev, c.pop_next, c.push_prev, c.push_next, c.memory_type,
                         c.sram_base, c.dram_base, c.y_size, c.x_size, c.x_stride, c.y_pad_0,
                         c.y_pad_1, c.x_pad_0, c.x_pad_1));
  }
  static void Compare(const VtaLoad& insn, const VtaInsnWord& word) { CompareMem(insn, word); }
  static void Compare(const VtaStore& insn, const VtaInsnWord& word) { CompareMem(insn, word); }
  static void Compare(const VtaGemm& insn, const VtaInsnWord& word) {
    const Gemm c = As<Gemm>(word);
    EXPECT_EQ(insn,
              VtaGemm(c.pop_prev, c.pop_next, c.push_prev, c.push_next, c.reset_reg, c.uop_bgn,
                      c.uop_end, c.iter_out, c.iter_in, c.dst_factor_out, c.dst_factor_in,
                      c.src_factor_out, c.src_factor_in, c.wgt_factor_out, c.wgt_factor_in));
  }
  static void Compare(const VtaAlu& insn, const VtaInsnWord& word) {
    const Alu c = As<Alu>(word);
    EXPECT_EQ(insn, VtaAlu(c.pop_prev, c.pop_next, c.push_prev, c.push_next, c.reset_reg, c.uop_bgn,
                           c.uop_end, c.iter_out, c.iter_in, c.dst_factor_out, c.dst_factor_in,
                           c.src_factor_out, c.src_factor_in, c.alu_opcode, c.use_imm, c.imm));
  }
  static void Compare(const VtaFinish& insn, const VtaInsnWord& word) {
    const Mem c = As<Mem>(word);
    EXPECT_EQ(insn, VtaFinish(c.pop_prev, c.pop_next, c.push_prev, c.push_next));
  }
};

TEST(VtaLayout, IsThatOfCBitFields) {
  CFields<13, 11, 11, 10>::Check(Named("default"), 1);
  CFields<8, 8, 9, 8>::Check(Named("tiny"), 2);
  CFields<13, 11, 11, 10>::Check(Named("batch4"), 3);
}

// A value for every field of |insn|: |which| is 0 least, 1 greatest, 2 random.
template <typename T>
T Filled(const VtaCodec& codec, std::string_view name, int which, Rng& rng) {
  T insn;
  size_t next = 0;
  ForEachField(insn, [&](const VtaFieldRow&, int64_t& value) {
    const FieldRow& f = codec.FieldsOf(name)[next++];
    const bool is_signed = f.kind == FieldKind::kSigned;
    const int64_t high = static_cast<int64_t>(Mask(is_signed ? f.width - 1 : f.width));
    const int64_t low = is_signed ? -high - 1 : 0;
    value = which == 0 ? low : which == 1 ? high : rng.Range(low, high);
  });
  return insn;
}

template <typename T>
void RoundTrip(const VtaCodec& codec, Rng& rng) {
  for (int round = 0; round < 100; ++round) {
    const VtaInsn insn = Filled<T>(codec, T::kName, round, rng);
    const auto word = codec.Encode(insn);
    ASSERT_TRUE(word) << word.error().message;
    EXPECT_EQ(codec.Decode(*word).value(), insn);
  }
}

TEST(VtaCodec, DecodeUndoesEncode) {
  int checked = 0;
  for (const Config& config : NamedConfigs()) {
    if (!ValidateVtaProfile(config)) continue;
    SCOPED_TRACE("configuration " + config.name + ", seed 4");
    const VtaCodec codec = VtaCodec::Make(config).value();
    Rng rng(4);
    RoundTrip<VtaLoad>(codec, rng);
    RoundTrip<VtaStore>(codec, rng);
    RoundTrip<VtaGemm>(codec, rng);
    RoundTrip<VtaFinish>(codec, rng);
    RoundTrip<VtaAlu>(codec, rng);
    for (int round = 0; round < 100; ++round) {
      const VtaUop uop = Filled<VtaUop>(codec, "VtaUop", round, rng);
      EXPECT_EQ(codec.DecodeUop(codec.EncodeUop(uop).value()), uop);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 5);  // all but wide
}

TEST(VtaCodec, RefusesAValueThatDoesNotFit) {
  const VtaCodec codec = VtaCodec::Make(Named("default")).value();
  VtaAlu alu;
  alu.imm = 32768;
  const auto word = codec.Encode(alu);
  ASSERT_FALSE(word);
  EXPECT_EQ(word.error().code, Code::kOutOfRange);
  EXPECT_EQ(word.error().message, "VtaAlu.imm is 32768, the field holds 16 signed bits");
  VtaUop uop;
  uop.wgt_idx = 1024;
  const auto uop_word = codec.EncodeUop(uop);
  ASSERT_FALSE(uop_word);
  EXPECT_EQ(uop_word.error().message, "VtaUop.wgt_idx is 1024, the field holds 10 unsigned bits");
  VtaGemm gemm;
  gemm.iter_in = -1;
  EXPECT_FALSE(codec.Encode(gemm));
}

TEST(VtaCodec, RefusesUnknownOpcodes) {
  const VtaCodec codec = VtaCodec::Make(Named("default")).value();
  for (uint64_t opcode = 5; opcode < 8; ++opcode) {
    const auto insn = codec.Decode({opcode, 0});
    ASSERT_FALSE(insn);
    EXPECT_EQ(insn.error().code, Code::kInvalidArgument);
    EXPECT_EQ(insn.error().message, "opcode " + std::to_string(opcode) + " is not in profile vta");
  }
}

TEST(VtaCodec, IgnoresBitsWithoutAName) {
  const VtaCodec codec = VtaCodec::Make(Named("default")).value();
  EXPECT_EQ(codec.Decode({uint64_t{3} | uint64_t{1} << 63, ~uint64_t{0}}).value(),
            VtaInsn(VtaFinish{}));
}

TEST(VtaCodec, RefusesAConfigurationThatItCannotExpress) {
  const auto codec = VtaCodec::Make(Named("wide"));
  ASSERT_FALSE(codec);
  EXPECT_EQ(codec.error().code, Code::kUnsupported);
}

}  // namespace
}  // namespace tessera::isa::vta_encoding_test
