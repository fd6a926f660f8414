// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the generated SystemVerilog package: the bits that each field function picks
// against encode() of an instruction with only that field set; constants against hand-written
// values. Space: every field of both profiles and of micro-ops, every named configuration. Test
// tsr_pkg_lint has Verilator and yosys read the package.
#include "isa/gen/sv_package.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "tests/isa/field_functions.h"

namespace tessera::isa::sv_package_test {
namespace {

// The field functions of |text| by name: those whose body picks bits of their argument.
FieldFunctions PickFunctions(const std::string& text) {
  FieldFunctions result;
  std::istringstream lines(text);
  std::string head;
  for (std::string body; std::getline(lines, body); head = body) {
    const bool is_signed = head.starts_with("  function automatic signed ");
    const char* const pattern =
        is_signed ? "  function automatic signed [%d:0] %63[a-z0-9_](input [%d:0] %7[a-z]);"
                  : "  function automatic [%d:0] %63[a-z0-9_](input [%d:0] %7[a-z]);";
    int msb = 0, word_msb = 0, high = 0, low = 0;
    char name[64], argument[8], target[64], source[8];
    if (std::sscanf(head.c_str(), pattern, &msb, name, &word_msb, argument) != 4) continue;
    if (std::sscanf(body.c_str(), "    %63[a-z0-9_] = %7[a-z][%d:%d];", target, source, &high,
                    &low) != 4)
      continue;
    EXPECT_STREQ(name, target);
    EXPECT_STREQ(argument, source);
    result[name] = {is_signed, msb + 1, std::to_string(word_msb + 1), high, low};
  }
  return result;
}

TEST(SvPackage, FieldFunctionsPickTheFields) {
  for (const Config& config : NamedConfigs()) {
    SCOPED_TRACE(config.name);
    ExpectFieldFunctions(config, PickFunctions(PrintSvPackage(config)), {"256", "128", "64", "32"});
  }
}

void ExpectLine(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("\n  localparam " + line + ";"), std::string::npos) << line;
}

TEST(SvPackage, ConstantsOfDefault) {
  const Config config = LoadConfig("default").value();
  const std::string text = PrintSvPackage(config);
  for (const char* line : {"int Batch = 1",
                           "int BlockIn = 16",
                           "int BlockOut = 16",
                           "int Lanes = 16",
                           "int DepthwiseTaps = 16",
                           "int BusBits = 64",
                           "int BusBytes = 8",
                           "int QueueDepth = 32",
                           "int TokenDepth = 255",
                           "int TokenBits = 8",
                           "int VtaQueueDepth = 512",
                           "int VtaTokenDepth = 1024",
                           "int VtaTokenBits = 11",
                           "bit HasVta = 1'b1",
                           "int InpDepth = 2048",
                           "int InpIdxBits = 11",
                           "int InpTileBytes = 16",
                           "int WgtDepth = 1024",
                           "int WgtIdxBits = 10",
                           "int WgtTileBytes = 256",
                           "int AccTileBytes = 64",
                           "int OutTileBytes = 16",
                           "int UopDepth = 4096",
                           "int UopIdxBits = 12",
                           "int PrmDepth = 64",
                           "int PrmIdxBits = 6",
                           "int PrmBytes = 144",
                           "int PrmTileBytes = 144",
                           "int TabDepth = 64",
                           "int TabIdxBits = 6",
                           "int TabTileBytes = 4",
                           "int VtaUopDepth = 8192",
                           "int VtaUopIdxBits = 13",
                           "int AccBanks = 4",
                           "logic [1:0] UNIT_STORE = 2'd3",
                           "logic [2:0] MEM_PRM = 3'd6",
                           "logic [1:0] VMEM_IMM = 2'd3",
                           "logic [2:0] ALU_MOV = 3'd5",
                           "logic [1:0] ROUND_HALF_UP = 2'd2",
                           "logic [0:0] PROFILE_TESSERA = 1'd1",
                           "logic [7:0] ERR_NO_FINISH = 8'd6",
                           "logic [3:0] OP_LOAD = 4'd1",
                           "logic [3:0] OP_FINISH = 4'd9",
                           "logic [2:0] VTA_OP_ALU = 3'd4",
                           "logic [11:0] REG_CONTROL = 12'h010",
                           "int REG_CONTROL_PROFILE_LSB = 8",
                           "int REG_ERROR_UNIT_WIDTH = 8",
                           "logic [11:0] REG_SEGMENT_BASE_LO = 12'h100",
                           "int REG_SEGMENT_BASE_LO_COUNT = 8",
                           "logic [11:0] REG_SEGMENT_BASE_LO_STRIDE = 12'h010",
                           "logic [31:0] REG_ID_VALUE = 32'h31525354"}) {
    ExpectLine(text, line);
  }
  ExpectLine(text, fmt::format("logic [63:0] ConfigHash = 64'h{:016x}", config.Hash()));
  // FINISH names its opcode and its two masks.
  ExpectLine(text,
             "logic [255:0] NAMED_BITS_FINISH = "
             "256'h0000000000000000_0000000000000000_0000000000000000_0000000000000fff");
}

TEST(SvPackage, WithoutVtaItsFunctionsGiveZero) {
  const std::string text = PrintSvPackage(LoadConfig("wide").value());
  ExpectLine(text, "bit HasVta = 1'b0");
  EXPECT_NE(text.find("    vta_gemm_iter_in = 14'd0;\n"), std::string::npos);
  EXPECT_NE(text.find("    vta_uop_wgt_idx = 10'd0;\n"), std::string::npos);
}

TEST(SvPackage, WithoutTabNothingLoadsOrReadsIt) {
  Config config = LoadConfig("default").value();
  const std::string any = "requant_table(insn) <= 1'd0";
  const std::string with = PrintSvPackage(config);
  EXPECT_NE(with.find("(requant_dst_mem(insn) != 2'd0 || " + any + ")"), std::string::npos);
  EXPECT_NE(with.find("load_memory(insn) == 3'd7"), std::string::npos);
  config.tab_bytes = 0;
  const std::string without = PrintSvPackage(config);
  ExpectLine(without, "int TabDepth = 0");
  EXPECT_EQ(without.find("(requant_dst_mem(insn) != 2'd0 || " + any + ")"), std::string::npos);
  EXPECT_NE(without.find(any), std::string::npos);
  EXPECT_NE(without.find("add_table(insn) <= 1'd0"), std::string::npos);
  EXPECT_NE(without.find("load_memory(insn) == 3'd6"), std::string::npos);
  EXPECT_EQ(without.find("load_memory(insn) == 3'd7"), std::string::npos);
}

TEST(SvPackage, WithoutDepthwiseItsOpcodeIsUnknown) {
  Config config = LoadConfig("default").value();
  EXPECT_NE(PrintSvPackage(config).find("OP_DEPTHWISE: insn_known"), std::string::npos);
  config.depthwise = 0;
  const std::string without = PrintSvPackage(config);
  ExpectLine(without, "int Depthwise = 0");
  EXPECT_EQ(without.find("OP_DEPTHWISE: insn_known"), std::string::npos);
  EXPECT_EQ(without.find("OP_DEPTHWISE: insn_named_bits"), std::string::npos);
  EXPECT_NE(without.find("OP_GEMM: insn_known"), std::string::npos);
}

}  // namespace
}  // namespace tessera::isa::sv_package_test
