// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the printed HLS header: the bits that each field function picks against encode()
// of an instruction with only that field set, its sign and width; constants against hand-written
// values. Space: every field of both profiles and of micro-ops, every named configuration. That
// compilers take the header, and that the checks of fields hold, is tested by what runs on it
// (tests/cts, tests/cosim, tests/vta on driver hls).
#include "isa/gen/hls_header.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "base/bits.h"
#include "isa/encoding.h"
#include "isa/gen/names.h"
#include "isa/vta_encoding.h"

namespace tessera::isa {
namespace {

struct Picked {
  bool is_signed;
  int width, high, low;
  std::string word;
};

// The functions of |text| that pick bits, by name.
std::map<std::string, Picked> PickFunctions(const std::string& text) {
  std::map<std::string, Picked> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    char kind[8], name[64], word[32], again[8];
    int width = 0, cast = 0, high = 0, low = 0;
    if (std::sscanf(line.c_str(),
                    "inline ap_%7[a-z]<%d> %63[a-z0-9_](const %31[a-z_]& w) { return "
                    "ap_%7[a-z]<%d>(w.range(%d, %d));",
                    kind, &width, name, word, again, &cast, &high, &low) != 8)
      continue;
    EXPECT_STREQ(kind, again) << line;
    EXPECT_EQ(width, cast) << line;
    EXPECT_EQ(result.count(name), 0u) << line;
    result[name] = {std::string(kind) == "int", width, high, low, word};
  }
  return result;
}

template <typename Word>
void ExpectPicks(const Picked& picked, const Word& word, int opcode_bits, bool is_signed) {
  EXPECT_EQ(picked.word, "insn_word");
  EXPECT_EQ(picked.is_signed, is_signed);
  EXPECT_EQ(picked.width, picked.high - picked.low + 1);
  for (int bit = opcode_bits; bit < static_cast<int>(sizeof(word) * 8); ++bit) {
    const bool set = (word[static_cast<size_t>(bit / 64)] >> (bit % 64) & 1) != 0;
    EXPECT_EQ(set, bit >= picked.low && bit <= picked.high) << bit;
  }
}

template <typename T>
void CheckInsn(const std::map<std::string, Picked>& functions) {
  T every;
  ForEachField(every, [&](const FieldRow& wanted, int64_t) {
    SCOPED_TRACE(std::string(wanted.insn) + "." + std::string(wanted.name));
    T insn;
    ForEachField(insn, [&](const FieldRow& f, int64_t& value) {
      if (f.name == wanted.name)
        value = f.kind == FieldKind::kSigned ? -1 : static_cast<int64_t>(Mask(f.width));
    });
    const bool header = wanted.name == "pop" || wanted.name == "push";
    const auto it =
        functions.find((header ? "insn" : LowerSnake(T::kName)) + "_" + std::string(wanted.name));
    ASSERT_NE(it, functions.end());
    ExpectPicks(it->second, Encode(insn).value(), kOpcodeBits, wanted.kind == FieldKind::kSigned);
  });
}

template <typename T>
void CheckVtaInsn(const std::map<std::string, Picked>& functions, const VtaCodec& codec) {
  for (const FieldRow& wanted : codec.FieldsOf(T::kName)) {
    SCOPED_TRACE(std::string(wanted.insn) + "." + std::string(wanted.name));
    T insn;
    ForEachField(insn, [&](const VtaFieldRow& f, int64_t& value) {
      if (f.name == wanted.name)
        value = f.name == "imm" ? -1 : static_cast<int64_t>(Mask(wanted.width));
    });
    const bool header = wanted.name.starts_with("pop_") || wanted.name.starts_with("push_");
    const auto it = functions.find((header ? "vta_insn" : LowerSnake(T::kName)) + "_" +
                                   std::string(wanted.name));
    ASSERT_NE(it, functions.end());
    ExpectPicks(it->second, codec.Encode(insn).value(), kVtaOpcodeBits, wanted.name == "imm");
  }
}

TEST(HlsHeader, FieldFunctionsPickTheFields) {
  for (const Config& config : NamedConfigs()) {
    SCOPED_TRACE(config.name);
    const auto functions = PickFunctions(PrintHlsHeader(config));
    CheckInsn<Load>(functions);
    CheckInsn<Store>(functions);
    CheckInsn<Gemm>(functions);
    CheckInsn<Depthwise>(functions);
    CheckInsn<Requant>(functions);
    CheckInsn<Add>(functions);
    CheckInsn<Alu>(functions);
    CheckInsn<Sync>(functions);
    CheckInsn<Finish>(functions);
    EXPECT_EQ(functions.at("uop_init").low, 60);
    EXPECT_EQ(functions.at("uop_wgt").low, 40);
    EXPECT_EQ(functions.at("uop_src").high, 39);
    EXPECT_EQ(functions.at("uop_dst").high, 19);
    EXPECT_EQ(functions.at("uop_dst").word, "uop_word");
    if (!ValidateVtaProfile(config)) continue;
    const VtaCodec codec = VtaCodec::Make(config).value();
    CheckVtaInsn<VtaLoad>(functions, codec);
    CheckVtaInsn<VtaStore>(functions, codec);
    CheckVtaInsn<VtaGemm>(functions, codec);
    CheckVtaInsn<VtaFinish>(functions, codec);
    CheckVtaInsn<VtaAlu>(functions, codec);
    for (const FieldRow& f : codec.FieldsOf("VtaUop")) {
      const Picked& picked = functions.at("vta_uop_" + std::string(f.name));
      EXPECT_EQ(picked.word, "vta_uop_word");
      EXPECT_EQ(picked.low, f.lsb);
      EXPECT_EQ(picked.width, f.width);
    }
  }
}

void ExpectText(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(HlsHeader, ConstantsOfDefault) {
  const Config config = LoadConfig("default").value();
  const std::string text = PrintHlsHeader(config);
  for (const char* constant : {"Batch = 1",
                               "BlockIn = 16",
                               "BlockOut = 16",
                               "Lanes = 16",
                               "BusBits = 64",
                               "BusBytes = 8",
                               "QueueDepth = 32",
                               "VtaQueueDepth = 512",
                               "TokenDepth = 255",
                               "VtaTokenDepth = 1024",
                               "Segments = 8",
                               "HasVta = 1",
                               "InpDepth = 2048",
                               "InpTileBytes = 16",
                               "WgtDepth = 1024",
                               "WgtTileBytes = 256",
                               "AccTileBytes = 64",
                               "OutTileBytes = 16",
                               "UopDepth = 4096",
                               "VtaUopDepth = 8192",
                               "PrmDepth = 64",
                               "PrmTileBytes = 144",
                               "PrmMultiplierOffset = 64",
                               "PrmShiftOffset = 128",
                               "PrmShiftBits = 6",
                               "UnitStore = 3",
                               "MemoryPrm = 6",
                               "VectorMemoryImm = 3",
                               "AluOpMov = 5",
                               "RoundHalfUp = 2",
                               "ProfileTessera = 1",
                               "MachineErrorNoFinish = 6",
                               "OpLoad = 1",
                               "OpFinish = 9",
                               "VtaOpAlu = 4"}) {
    ExpectText(text, fmt::format("\nconst int k{};", constant));
  }
  ExpectText(text, fmt::format("kConfigHash = 0x{:016x}ULL;", config.Hash()));
}

TEST(HlsHeader, ChecksOfFields) {
  const std::string text = PrintHlsHeader(LoadConfig("default").value());
  ExpectText(text, "add_shift(w) >= -31;");
  ExpectText(text, "alu_red_out(w) >= 1 &&");
  ExpectText(text, "depthwise_kh(w) >= 1");
  ExpectText(text, "store_x_bytes(w) >= 1 && store_x_bytes(w) <= 16;");
  ExpectText(text, "(0x5fu >> (unsigned)load_memory(w) & 1) != 0");  // all but ACC8 and number 7
  ExpectText(text, "vta_store_x_size(w) == 0 || (0x10u >> (unsigned)vta_store_memory_type(w) & 1)");
}

TEST(HlsHeader, WithoutVtaItsFunctionsGiveZero) {
  const std::string text = PrintHlsHeader(LoadConfig("wide").value());
  ExpectText(text, "const int kHasVta = 0;");
  ExpectText(text, "vta_gemm_iter_in(const insn_word&) { return ap_uint<14>(0); }");
}

}  // namespace
}  // namespace tessera::isa
