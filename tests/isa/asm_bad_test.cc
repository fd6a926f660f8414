// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every diagnostic of the assembler, with its line and column; any text, whole or
// cut anywhere, gives an image or an error.
#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "isa/asm/asm.h"
#include "isa/encoding.h"

namespace tessera::isa::asm_bad_test {
namespace {

constexpr Code kArg = Code::kInvalidArgument, kRange = Code::kOutOfRange;
const std::string kTop = ".profile tessera\n.config default\n";  // lines 1 and 2
const std::string kTopVta = ".profile vta\n.config default\n";

struct Bad {
  std::string text;
  Code code;
  std::string message;
};

void Expect(const Bad& bad) {
  SCOPED_TRACE(bad.text);
  const auto image = Assemble(bad.text);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().message, bad.message);
  EXPECT_EQ(image.error().code, bad.code);
}

TEST(AsmBad, Directives) {
  Expect({"", kArg, "1:1: the text ended without .profile"});
  Expect({".profile vta\n", kArg, "2:1: the text ended without .config"});
  Expect({"=", kArg, "1:1: \"=\" begins no directive or instruction"});
  Expect({".profile x", kArg, "1:10: the profile is \"x\", it can be vta or tessera"});
  Expect({".profile vta x", kArg, "1:14: \"x\" is more than this line can hold"});
  Expect({".config default", kArg, "1:1: .profile comes before .config"});
  Expect({".profile vta\n .profile vta", kArg, "2:2: .profile stands there twice"});
  Expect({kTop + ".config default", kArg, "3:1: .config stands there twice"});
  Expect({".profile vta\n.code", kArg, "2:1: .profile and .config come first"});
  Expect({".profile vta\nfinish", kArg, "2:1: .profile and .config come first"});
  Expect({kTop + "  .cod", kArg,
          "3:3: no directive .cod; there are .profile .config .segment .hex .zero .code .source "
          ".end .word"});
  Expect({kTop + ".code\n.code", kArg, "4:1: .code stands there twice"});
  Expect({".profile tessera\n.config", kArg, "2:8: a text in \"quotes\" is missing"});
  Expect({".profile tessera\n.config nosuch", kArg,
          "2:9: no configuration is named \"nosuch\" here; give its hash behind the name"});
  Expect({".profile tessera\n.config default 123", kArg,
          "2:17: the hash is 0x and up to 16 hexadecimal digits"});
  Expect({".profile tessera\n.config default 0x", kArg,
          "2:17: the hash is 0x and up to 16 hexadecimal digits"});
  Expect({".profile tessera\n.config default 0x1g", kArg,
          "2:17: the hash is 0x and up to 16 hexadecimal digits"});
  Expect({".profile tessera\n.config default 0x11112222333344445", kArg,
          "2:17: the hash is 0x and up to 16 hexadecimal digits"});
  Expect({".profile tessera\n.config " + std::string(257, 'x') + " 0x1", kRange,
          "2:9: a name of 257 bytes, at most 256 are accepted"});
}

TEST(AsmBad, Segments) {
  const std::string which = "there are uops, constants, arena, input, output and 0 to 7";
  Expect({kTop + ".segment x", kArg, "3:10: no segment \"x\"; " + which});
  Expect({kTop + ".segment 8", kArg, "3:10: no segment \"8\"; " + which});
  Expect({kTop + ".segment -1", kArg, "3:10: no segment \"-1\"; " + which});
  Expect({kTop + ".segment", kArg, "3:9: no segment \"\"; " + which});
  Expect({kTop + ".segment 1\n.segment constants", kArg, "4:10: segment 1 stands there twice"});
  Expect({kTop + ".code\n.segment 1", kArg, "4:1: segments come before .code"});
  Expect(
      {kTop + ".segment 1 x", kArg, "3:12: the segment's size is missing; \"x\" is not a number"});
  Expect({kTop + ".segment 1 -1", kRange,
          "3:12: the segment's size is -1, it can be 0 to 4294967296"});
  Expect({kTop + ".segment 1 4294967297", kRange,
          "3:12: the segment's size is 4294967297, it can be 0 to 4294967296"});
  Expect({kTop + ".segment 1 99999999999999999999", kRange,
          "3:12: the segment's size: 99999999999999999999 does not fit 64 bits"});
  Expect({kTop + ".hex 00", kArg, "3:1: .hex belongs into a .segment"});
  Expect({kTop + ".segment 1\n.code\n.zero 1", kArg, "5:1: .zero belongs into a .segment"});
  Expect({kTop + ".segment 1\n.zero", kArg, "4:6: the count is missing"});
  Expect({kTop + ".segment 1\n.zero 268435457", kRange,
          "4:7: the count is 268435457, it can be 0 to 268435456"});
  Expect({kTop + ".segment 1\n.zero 1\n.zero 268435456", kRange,
          "5:7: more than 268435456 bytes of data"});
  Expect({kTop + ".segment 1 3\n.zero 2\n.hex 0102", kRange,
          "5:6: 4 bytes of data, the segment has 3"});
  Expect({kTop + ".segment 1\n.hex 123", kArg, "4:6: .hex takes pairs of hexadecimal digits"});
  Expect({kTop + ".segment 1\n.hex", kArg, "4:5: .hex takes pairs of hexadecimal digits"});
  Expect({kTop + ".segment 1\n.hex 001g", kArg, "4:8: \"1g\" is not a pair of hexadecimal digits"});
  Expect({kTop + ".segment 1\n.hex -1", kArg, "4:6: \"-1\" is not a pair of hexadecimal digits"});
  Expect({kTop + "uop", kArg, "3:1: uop belongs into a .segment"});
}

TEST(AsmBad, ValuesWithoutAMeaning) {
  Expect({kTop + ".code\ndepthwise kh=0", kRange, "4:14: depthwise.kh is 0, it can be 1 to 3"});
  Expect({kTop + ".code\nalu red_in=0", kRange, "4:12: alu.red_in is 0, it can be 1 to 4095"});
  Expect({kTop + ".code\nrequant round=3", kRange,
          "4:15: requant.round is 3, it can be tflite, even or halfup"});
  Expect(
      {kTop + ".code\nadd src_mem=acc", kRange, "4:13: add.src_mem is acc, it can be out or inp"});
  Expect({kTop + ".code\nrequant shift=-32", kRange,
          "4:15: requant.shift is -32, it can be -31 to 31"});
}

TEST(AsmBad, SourceMap) {
  Expect({kTop + ".source 1 \"x\"", kArg, "3:1: .source comes after .code"});
  Expect({kTop + ".code\n.end", kArg, "4:1: .end without .source"});
  Expect({kTop + ".code\n.source 1 \"x\"\n.source 1 \"x\"", kArg,
          "5:1: .source inside .source; .end comes first"});
  Expect({kTop + ".code\n.source 1 \"x\"\n", kArg,
          "5:1: the text ended inside .source; .end is missing"});
  Expect({kTop + ".code\n.source x", kArg, "4:9: the layer is missing; \"x\" is not a number"});
  Expect({kTop + ".code\n.source 4294967296 \"\"", kRange,
          "4:9: the layer is 4294967296, it can be 0 to 4294967295"});
  Expect({kTop + ".code\n.source 1 x", kArg, "4:11: a text in \"quotes\" is missing"});
  Expect({kTop + ".code\n.source 1 \"x", kArg, "4:11: the text has no closing quote"});
  for (const char* text : {"\"\\n\"", "\"\\x1\"", "\"\\xg0\"", "\"\\"}) {
    Expect({kTop + ".code\n.source 1 " + text, kArg,
            "4:12: after '\\' there can be '\\', '\"', or x and two hexadecimal digits"});
  }
  Expect({kTop + ".code\n.source 1 \"" + std::string(4097, 'x') + "\"", kRange,
          "4:11: a name of 4097 bytes, at most 4096 are accepted"});
}

TEST(AsmBad, Instructions) {
  Expect({kTop + "finish", kArg, "3:1: finish comes after .code"});
  Expect({kTop + ".code\n  jump", kArg, "4:3: no instruction \"jump\" in profile tessera"});
  Expect({kTopVta + ".code\nrequant", kArg, "4:1: no instruction \"requant\" in profile vta"});
  Expect({kTop + ".code\nsync unti=1", kArg,
          "4:6: sync has no field \"unti=1\"; it has pop push unit"});
  Expect({kTop + ".code\nsync =1", kArg, "4:6: sync has no field \"=1\"; it has pop push unit"});
  Expect({kTop + ".code\nsync unit=1 unit=1", kArg, "4:13: unit stands there twice"});
  Expect({kTop + ".code\nsync unit", kArg, "4:10: '=' and a value are missing behind unit"});
  Expect({kTop + ".code\nsync unit=", kArg,
          "4:11: \"\" is no unit; there are load gemm vector store"});
  Expect({kTop + ".code\nsync unit=lod", kArg,
          "4:11: \"lod\" is no unit; there are load gemm vector store"});
  Expect({kTop + ".code\nsync unit=4", kRange,
          "4:11: sync.unit is 4, the field holds 2 unsigned bits"});
  Expect({kTop + ".code\nrequant round=x", kArg,
          "4:15: \"x\" is no round; there are tflite even halfup"});
  Expect({kTop + ".code\nload segment=x", kArg,
          "4:14: \"x\" is no segment; there are uops constants arena input output"});
  Expect({kTop + ".code\nload x_size=65536", kRange,
          "4:13: load.x_size is 65536, the field holds 16 unsigned bits"});
  Expect({kTop + ".code\nload pad_value=-129", kRange,
          "4:16: load.pad_value is -129, the field holds 8 signed bits"});
  Expect({kTop + ".code\nload x_size=-1", kRange,
          "4:13: load.x_size is -1, the field holds 16 unsigned bits"});
  Expect({kTop + ".code\nload x_size=", kArg, "4:13: x_size is missing"});
  Expect({kTop + ".code\nload x_size=0x", kArg, "4:13: x_size is missing; \"0x\" is not a number"});
  Expect({kTop + ".code\nload x_size=99999999999999999999", kRange,
          "4:13: x_size: 99999999999999999999 does not fit 64 bits"});
  Expect({kTop + ".code\nfinish pop=alu", kArg,
          "4:12: \"alu\" is no pop; there are load gemm vector store, joined by '+'"});
  Expect({kTop + ".code\nfinish pop=load+", kArg,
          "4:17: \"\" is no pop; there are load gemm vector store, joined by '+'"});
  Expect({kTop + ".code\nfinish pop=load+load", kArg, "4:17: load stands there twice"});
  Expect({kTop + ".code\nfinish pop=16", kRange,
          "4:12: finish.pop is 16, the field holds 4 unsigned bits"});
  Expect({kTopVta + ".code\nload pop=load", kArg,
          "4:10: \"load\" is no pop; there are prev next, joined by '+'"});
  Expect({kTop + ".segment 0\nuop dst=1048576", kRange,
          "4:9: uop.dst is 1048576, the field holds 20 unsigned bits"});
  Expect({kTopVta + ".segment 0\nuop wgt_idx=1024", kRange,
          "4:13: uop.wgt_idx is 1024, the field holds 10 unsigned bits"});
  Expect({".profile vta\n.config wide\n.code\nfinish", kArg,
          "4:1: the fields of profile vta in configuration wide are not known here; only .word can "
          "be used"});
}

TEST(AsmBad, Words) {
  Expect({kTop + ".word 0x1", kArg, "3:1: .word comes after .code"});
  for (const std::string& text :
       {std::string("1"), std::string("0x"), std::string("0xg"), "0x" + std::string(65, '0')}) {
    Expect({kTop + ".code\n.word " + text, kArg,
            "4:7: the word is 0x and up to 64 hexadecimal digits"});
  }
  Expect({kTopVta + ".code\n.word 0x" + std::string(33, '0'), kArg,
          "4:7: the word is 0x and up to 32 hexadecimal digits"});
}

TEST(AsmBad, NoTextCrashes) {
  SCOPED_TRACE("seed 16");
  Rng rng(16);
  ProgramImage image;
  image.config_hash = NamedConfigs()[0].Hash();
  image.config_name = "default";
  Requant requant;
  requant.pop = 5;
  requant.shift = -3;
  image.Append(Encode(requant).value());
  image.source = {{0, 1, 3, "a\"b"}};
  image.segments[0] = {9, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const std::string text = Disassemble(image);
  for (size_t size = 0; size <= text.size(); ++size) {
    const auto result = Assemble(text.substr(0, size));
    if (size == text.size()) {
      EXPECT_EQ(result.value(), image);
    }
  }
  const std::string alphabet = " \n.;=+\"\\0x1-fp\xff" + std::string(1, '\0');
  for (int round = 0; round < 20000; ++round) {
    std::string hostile = text;
    for (int64_t i = rng.Range(1, 5); i > 0; --i) {
      const auto at = static_cast<size_t>(rng.Range(0, static_cast<int64_t>(hostile.size()) - 1));
      if (rng.OneIn(2)) {
        hostile[at] = alphabet[rng.Next() % alphabet.size()];
      } else {
        hostile.erase(at, static_cast<size_t>(rng.Range(0, 3)));
      }
    }
    const auto result = Assemble(hostile);
    if (result) {
      EXPECT_EQ(Assemble(Disassemble(*result)).value(), *result) << hostile;
    } else {
      EXPECT_FALSE(result.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace tessera::isa::asm_bad_test
