// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the generated HLS header: the bits that each field function picks against
// encode() of an instruction with only that field set, its sign and width; constants against
// hand-written values. Space: every field of both profiles and of micro-ops, every named
// configuration. Tests of the HLS twin (tests/cts, tests/cosim, tests/vta on driver hls) compile
// the header and use its field checks.
#include "isa/gen/hls_header.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "tests/isa/field_functions.h"

namespace tessera::isa::hls_header_test {
namespace {

// The functions of |text| that pick bits, by name.
FieldFunctions PickFunctions(const std::string& text) {
  FieldFunctions result;
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
    result[name] = {std::string(kind) == "int", width, word, high, low};
  }
  return result;
}

TEST(HlsHeader, FieldFunctionsPickTheFields) {
  for (const Config& config : NamedConfigs()) {
    SCOPED_TRACE(config.name);
    ExpectFieldFunctions(config, PickFunctions(PrintHlsHeader(config)),
                         {"insn_word", "insn_word", "uop_word", "vta_uop_word"});
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
  ExpectText(text, "(0xdfu >> (unsigned)load_memory(w) & 1) != 0");  // all but ACC8
  ExpectText(text, "vta_store_x_size(w) == 0 || (0x10u >> (unsigned)vta_store_memory_type(w) & 1)");
}

TEST(HlsHeader, WithoutVtaItsFunctionsGiveZero) {
  const std::string text = PrintHlsHeader(LoadConfig("wide").value());
  ExpectText(text, "const int kHasVta = 0;");
  ExpectText(text, "vta_gemm_iter_in(const insn_word&) { return ap_uint<14>(0); }");
}

}  // namespace
}  // namespace tessera::isa::hls_header_test
