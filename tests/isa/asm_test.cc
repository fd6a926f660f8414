// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs as text: the text of an image and the image of a text, both against
// texts written by hand; disassembling and assembling gives back every image; the one-line form of
// instructions. Space: every instruction of both profiles with extreme and random fields, arbitrary
// words, micro-ops, data, source maps. Diagnostics are in asm_bad_test.
#include "isa/asm/asm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/bits.h"
#include "base/file.h"
#include "base/rng.h"
#include "isa/asm/insn_text.h"
#include "isa/encoding.h"
#include "isa/field_values.h"
#include "isa/vta_encoding.h"

namespace tessera::isa::asm_test {
namespace {

Config Named(const std::string& name) { return LoadConfig(name).value(); }

ProgramImage Empty(Profile profile, const Config& config) {
  ProgramImage image;
  image.profile = profile;
  image.config_hash = config.Hash();
  image.config_name = config.name;
  return image;
}

void ExpectRoundTrip(const ProgramImage& image, std::span<const Config> configs = {}) {
  const std::string text = Disassemble(image, configs);
  const auto back = Assemble(text, configs);
  ASSERT_TRUE(back) << back.error().message << "\n" << text;
  EXPECT_EQ(*back, image) << text;
}

ProgramImage TesseraSample() {
  ProgramImage image = Empty(Profile::kTessera, Named("tiny"));
  Load load;
  load.push = 0b0010;
  load.memory = static_cast<int64_t>(Memory::kWgt);
  load.segment = 1;
  load.pad_value = -5;
  load.x_bytes = 16;
  load.x_size = 3;
  image.Append(Encode(load).value());
  Requant requant;
  requant.pop = 0b1011;
  requant.dst_mem = 1;
  requant.round = 2;
  requant.shift = -31;
  image.Append(Encode(requant).value());
  image.Append(InsnWord{0xf, 0, 0, uint64_t{1} << 63});
  image.Append(Encode(Finish{}).value());
  image.source = {{0, 1, 4, "conv \"1\"\\\n"}, {1, 1, 5, ""}, {1, 3, 6, "add"}};
  image.segments[0].size = 24;
  image.segments[0].data.assign(24, 0);
  image.segments[0].data[7] = 0x10;  // init of the first micro-op
  image.segments[0].data[8] = 7;     // dst of the second
  image.segments[1].size = 100;
  image.segments[1].data = {0xde, 0xad};
  image.segments[1].data.resize(42);
  image.segments[6].size = 8;
  return image;
}

constexpr const char* kTesseraText = R"(.profile tessera
.config "tiny" 0x@HASH@
.segment uops 24
  uop init=1
  uop dst=7
  uop
.segment constants 100
  .hex dead000000000000000000000000000000000000000000000000000000000000
  .zero 10
.segment 6 8
.code
  .source 4 "conv \"1\"\\\x0a"
  load push=gemm memory=wgt segment=constants pad_value=-5 x_bytes=16 x_size=3  ; 0
  .end
  .source 5 ""
  .end
  .source 6 "add"
  requant pop=load+gemm+store dst_mem=out round=halfup shift=-31  ; 1
  .word 0x800000000000000000000000000000000000000000000000000000000000000f  ; 2
  .end
  finish  ; 3
)";

std::string WithHash(std::string text, const Config& config) {
  return text.replace(text.find("@HASH@"), 6, fmt::format("{:016x}", config.Hash()));
}

TEST(Asm, TextOfAnImageAndBack) {
  EXPECT_EQ(Disassemble(TesseraSample()), WithHash(kTesseraText, Named("tiny")));
  ExpectRoundTrip(TesseraSample());
}

ProgramImage VtaSample() {
  const VtaCodec codec = VtaCodec::Make(Named("default")).value();
  ProgramImage image = Empty(Profile::kVta, Named("default"));
  VtaLoad load;
  load.push_next = 1;
  load.memory_type = 5;
  load.x_size = 2;
  image.Append(codec.Encode(load).value());
  VtaAlu alu;
  alu.pop_prev = alu.pop_next = 1;
  alu.alu_opcode = 3;
  alu.use_imm = 1;
  alu.imm = -8;
  image.Append(codec.Encode(alu).value());
  image.Append(VtaInsnWord{3, 1});  // no field of finish has this bit
  image.segments[0] = {6, {1, 0, 0, 0x40, 9, 9}};
  return image;
}

constexpr const char* kVtaText = R"(.profile vta
.config "default" 0x@HASH@
.segment uops 6
  uop dst_idx=1 wgt_idx=256
  .hex 0909
.code
  load push=next memory_type=acc8 x_size=2  ; 0
  alu pop=prev+next alu_opcode=shr use_imm=1 imm=-8  ; 1
  .word 0x00000000000000010000000000000003  ; 2
)";

TEST(Asm, TextOfAVtaImageAndBack) {
  EXPECT_EQ(Disassemble(VtaSample()), WithHash(kVtaText, Named("default")));
  ExpectRoundTrip(VtaSample());
}

TEST(Asm, WritesWordsWhereTheConfigurationIsUnknown) {
  ProgramImage image = VtaSample();
  image.config_hash = 1;
  image.config_name = "mine";
  const std::string text = Disassemble(image);
  EXPECT_NE(text.find("; the configuration is not known here"), std::string::npos);
  EXPECT_EQ(text.find("load"), std::string::npos);
  ExpectRoundTrip(image);
}

TEST(Asm, TakesConfigurationsOfTheCaller) {
  Config mine = Named("tiny");
  mine.name = "mine";
  mine.inp_bytes *= 2;
  ProgramImage image = Empty(Profile::kVta, mine);
  VtaGemm gemm;
  gemm.src_factor_in = 1023;  // one bit more than tiny has
  image.Append(VtaCodec::Make(mine)->Encode(gemm).value());
  EXPECT_NE(Disassemble(image, {&mine, 1}).find("gemm src_factor_in=1023"), std::string::npos);
  ExpectRoundTrip(image, {&mine, 1});
  EXPECT_EQ(
      Assemble(".profile vta\n.config mine\n.code\ngemm src_factor_in=1023", {&mine, 1}).value(),
      image);
}

TEST(Asm, WrittenByHand) {
  const auto image = Assemble(R"(
; a comment
  .profile tessera
.config default
.segment output 0x10      ; no contents
.segment 1
  .hex 0A0b
.code
.source 1 "x"
sync unit=vector pop=load push=8
load memory=6 segment=7 dram_base=0xffffffff x_step = 5
.end
finish)");
  ASSERT_TRUE(image) << image.error().message;
  ProgramImage want = Empty(Profile::kTessera, Named("default"));
  Sync sync;
  sync.unit = 2;
  sync.pop = 1;
  sync.push = 8;
  want.Append(Encode(sync).value());
  Load load;
  load.memory = 6;
  load.segment = 7;
  load.dram_base = 0xffffffff;
  load.x_step = 5;
  want.Append(Encode(load).value());
  want.Append(Encode(Finish{}).value());
  want.source = {{0, 2, 1, "x"}};
  want.segments[1] = {2, {0x0a, 0x0b}};
  want.segments[4].size = 16;
  EXPECT_EQ(*image, want);
}

template <typename T>
T Filled(int which, Rng& rng) {
  T insn;
  ForEachField(insn, [&](const FieldRow& f, int64_t& value) {
    const bool is_signed = f.kind == FieldKind::kSigned;
    const int64_t high = static_cast<int64_t>(Mask(is_signed ? f.width - 1 : f.width));
    const int64_t low = is_signed ? -high - 1 : 0;
    value = which == 0 ? low : which == 1 ? high : rng.OneIn(3) ? 0 : rng.Range(low, high);
    while (value != 0 && !HasMeaning(f.values, value)) value = rng.Range(low, high);
  });
  return insn;
}

template <typename... T>
void AppendEach(ProgramImage& image, int which, Rng& rng) {
  (image.Append(Encode(Filled<T>(which, rng)).value()), ...);
}

TEST(Asm, EveryInstructionOfTesseraSurvives) {
  SCOPED_TRACE("seed 13");
  Rng rng(13);
  for (int round = 0; round < 100; ++round) {
    ProgramImage image = Empty(Profile::kTessera, Named("default"));
    AppendEach<Load, Store, Gemm, Depthwise, Requant, Add, Alu, Sync, Finish>(image, round, rng);
    EXPECT_EQ(Disassemble(image).find(".word"), std::string::npos);
    ExpectRoundTrip(image);
  }
}

// Random words: most have unknown opcodes or bits of no field; all survive.
TEST(Asm, EveryWordSurvives) {
  SCOPED_TRACE("seed 14");
  Rng rng(14);
  for (int round = 0; round < 200; ++round) {
    const Profile profile = rng.OneIn(2) ? Profile::kVta : Profile::kTessera;
    const char* const kNames[] = {"default", "tiny", "batch4"};
    ProgramImage image = Empty(profile, Named(kNames[rng.Range(0, 2)]));
    for (int i = 0; i < 20; ++i) {
      const uint64_t high = rng.OneIn(2) ? 0 : rng.Next();
      if (profile == Profile::kVta) {
        image.Append(VtaInsnWord{rng.Next(), high});
      } else {
        image.Append(InsnWord{rng.Next(), rng.Next(), rng.Next(), high});
      }
    }
    for (SegmentData& segment : image.segments) {
      for (int64_t i = rng.Range(0, 200); i > 0; --i) {
        segment.data.push_back(static_cast<uint8_t>(rng.OneIn(3) ? rng.Next() : 0));
      }
      segment.size = segment.data.size() + static_cast<uint64_t>(rng.Range(0, 5));
    }
    uint32_t at = 0;
    while (at <= image.insn_count() && !rng.OneIn(5)) {
      const auto end =
          static_cast<uint32_t>(rng.Range(at, std::min<int64_t>(at + 3, image.insn_count())));
      std::string op;
      for (int64_t i = rng.Range(0, 9); i > 0; --i) op += static_cast<char>(rng.Next());
      image.source.push_back({at, end, static_cast<uint32_t>(rng.Next()), op});
      at = end + static_cast<uint32_t>(rng.Range(0, 1));
    }
    ExpectRoundTrip(image);
  }
}

TEST(Asm, EveryInstructionOfVtaSurvivesAsText) {
  SCOPED_TRACE("seed 15");
  Rng rng(15);
  for (const char* name : {"default", "tiny", "batch4", "pynq", "ultra96"}) {
    const Config config = Named(name);
    const VtaCodec codec = VtaCodec::Make(config).value();
    ProgramImage image = Empty(Profile::kVta, config);
    for (int round = 0; round < 100; ++round) {
      VtaInsnWord word{rng.Next(), rng.Next()};
      word[0] = (word[0] & ~uint64_t{7}) | static_cast<uint64_t>(rng.Range(0, 4));
      VtaInsn insn = codec.Decode(word).value();
      std::visit(
          [&](auto& one) {
            ForEachField(one, [&](const VtaFieldRow& f, int64_t& value) {
              while (value != 0 && !HasMeaning(f.values, value)) value = rng.Range(0, 7);
            });
          },
          insn);
      image.Append(codec.Encode(insn).value());
    }
    EXPECT_EQ(Disassemble(image).find(".word"), std::string::npos);
    ExpectRoundTrip(image);
  }
}

// The assembler rejects a value without a meaning by the field's name, so the disassembler prints
// the word.
TEST(Asm, ValuesWithoutAMeaningAreWords) {
  ProgramImage image = Empty(Profile::kTessera, Named("default"));
  image.Append(Encode(Load{.memory = 5}).value());
  image.Append(Encode(Alu{.alu_op = 7, .red_out = 1, .red_in = 1}).value());
  image.Append(Encode(Requant{.shift = -32}).value());
  image.Append(Encode(Depthwise{.kh = 3}).value());  // kw left at 0: not written
  const std::string text = Disassemble(image);
  EXPECT_NE(text.find("  .word 0x"), std::string::npos);
  EXPECT_NE(text.find("  depthwise kh=3  ; 3\n"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, 'x'), 4) << text;  // the hash and three words
  ExpectRoundTrip(image);
}

TEST(Asm, LongRunsOfZeroMicroOpsAreOneLine) {
  ProgramImage image = Empty(Profile::kTessera, Named("default"));
  image.segments[0].data.assign(8 * 7, 0);
  image.segments[0].data.push_back(1);
  image.segments[0].data.resize(8 * 20 + 3);
  image.segments[0].size = image.segments[0].data.size();
  EXPECT_NE(
      Disassemble(image).find(".segment uops 163\n  uop\n  uop\n  uop\n  uop\n  uop\n  uop\n  uop\n"
                              "  uop dst=1\n  .zero 96\n  .zero 3\n.code"),
      std::string::npos)
      << Disassemble(image);
  ExpectRoundTrip(image);
}

// The program in docs/isa.md.
TEST(Asm, TheReferencesExampleAssembles) {
  const std::vector<uint8_t> bytes = ReadFile("docs/isa.md").value();
  const std::string page(bytes.begin(), bytes.end());
  const size_t begin = page.find("```\n.profile") + 4;
  const auto image = Assemble(page.substr(begin, page.find("```", begin) - begin));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->insn_count(), 7);
  ExpectRoundTrip(*image);
}

// The corpus of the fuzzers has programs with every directive and instruction.
TEST(Asm, CorpusSamplesAssemble) {
  for (const char* name : {"tessera", "vta"}) {
    const std::vector<uint8_t> bytes =
        ReadFile(std::string("tests/corpus/asm/") + name + ".s").value();
    const auto image = Assemble(std::string(bytes.begin(), bytes.end()));
    ASSERT_TRUE(image) << image.error().message;
    ProgramImage kept =
        ParseImage(ReadFile(std::string("tests/corpus/image/") + name + ".tsrimg").value()).value();
    kept.config_hash = image->config_hash;  // the kept hash is of an older instruction set
    EXPECT_EQ(kept, *image);
  }
}

TEST(InsnText, IsOneLineForMessages) {
  Gemm gemm;
  gemm.pop = 0b1100;
  gemm.uop_count = 70000;  // does not fit its field; a message still shows it
  EXPECT_EQ(InsnText(Insn(gemm)), "gemm pop=vector+store uop_count=70000");
  Alu alu;
  alu.alu_op = 1;
  alu.src_mem = 3;
  alu.imm = -1;
  EXPECT_EQ(InsnText(Insn(alu)), "alu alu_op=max src_mem=imm imm=-1");
  EXPECT_EQ(InsnText(Insn(Finish{})), "finish");
  VtaStore store;
  store.pop_prev = store.push_prev = store.push_next = 1;
  store.memory_type = 4;
  EXPECT_EQ(InsnText(VtaInsn(store)), "store pop=prev push=prev+next memory_type=out");
  EXPECT_EQ(InsnText(Uop{1, 2, 3, 1}), "uop dst=1 src=2 wgt=3 init=1");
  EXPECT_EQ(InsnText(VtaUop{1, 0, 3}), "uop dst_idx=1 wgt_idx=3");
}

// A value without an enumerator prints as a number.
TEST(InsnText, NumbersWhereThereIsNoName) {
  Load load;
  load.segment = 5;
  EXPECT_EQ(InsnText(Insn(load)), "load segment=5");
  Requant requant;
  requant.round = 3;
  EXPECT_THAT(InsnText(Insn(requant)), ::testing::HasSubstr(" round=3"));
}

}  // namespace
}  // namespace tessera::isa::asm_test
