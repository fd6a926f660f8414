// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the named configurations against a table written by hand, JSON in both spellings,
// limits of the machine and of profile vta; each diagnostic with a configuration that causes it.
// Not tested here: what depends on a configuration (encoding, image and device tests).
#include "isa/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/file.h"

namespace tessera::isa::config_test {
namespace {

struct Row {
  const char* name;
  int batch, block;
  int inp, wgt, acc, out, uop;  // KiB
  int bus;
  DramModel dram;
  int inp_depth, wgt_depth, acc_depth, out_depth, uop_depth, vta_uop_depth, prm_depth;
  bool vta;
};
constexpr DramModel kT = DramModel::kTsim, kZ = DramModel::kZynq;
constexpr Row kRows[] = {
    {"default", 1, 16, 32, 256, 128, 32, 32, 64, kT, 2048, 1024, 2048, 2048, 4096, 8192, 64, true},
    {"pynq", 1, 16, 32, 256, 128, 32, 32, 64, kZ, 2048, 1024, 2048, 2048, 4096, 8192, 32, true},
    {"ultra96", 1, 16, 32, 256, 128, 32, 32, 128, kZ, 2048, 1024, 2048, 2048, 4096, 8192, 64, true},
    {"tiny", 1, 4, 2, 4, 4, 1, 1, 64, kT, 512, 256, 256, 256, 128, 256, 64, true},
    {"batch4", 4, 8, 64, 64, 256, 64, 32, 64, kT, 2048, 1024, 2048, 2048, 4096, 8192, 64, true},
    {"wide", 1, 32, 64, 1024, 256, 64, 64, 256, kZ, 2048, 1024, 2048, 2048, 8192, 16384, 64, false},
};

TEST(NamedConfigs, AreTheDocumentedOnes) {
  ASSERT_EQ(NamedConfigs().size(), std::size(kRows));
  for (size_t i = 0; i < std::size(kRows); ++i) {
    const Row& row = kRows[i];
    SCOPED_TRACE(row.name);
    const Config& c = NamedConfigs()[i];
    EXPECT_EQ(c.name, row.name);
    EXPECT_EQ(c.batch, row.batch);
    EXPECT_EQ(c.block_in, row.block);
    EXPECT_EQ(c.block_out, row.block);
    EXPECT_EQ(c.inp_bytes, row.inp * 1024);
    EXPECT_EQ(c.wgt_bytes, row.wgt * 1024);
    EXPECT_EQ(c.acc_bytes, row.acc * 1024);
    EXPECT_EQ(c.out_bytes, row.out * 1024);
    EXPECT_EQ(c.uop_bytes, row.uop * 1024);
    EXPECT_EQ(c.bus_bits, row.bus);
    EXPECT_EQ(c.dram, row.dram);
    EXPECT_EQ(c.Depth(Memory::kInp), row.inp_depth);
    EXPECT_EQ(c.Depth(Memory::kWgt), row.wgt_depth);
    EXPECT_EQ(c.Depth(Memory::kAcc), row.acc_depth);
    EXPECT_EQ(c.Depth(Memory::kAcc8, Profile::kVta), row.acc_depth);
    EXPECT_EQ(c.Depth(Memory::kOut), row.out_depth);
    EXPECT_EQ(c.Depth(Memory::kUop), row.uop_depth);
    EXPECT_EQ(c.Depth(Memory::kUop, Profile::kVta), row.vta_uop_depth);
    EXPECT_EQ(c.Depth(Memory::kPrm), row.prm_depth);
    EXPECT_TRUE(ValidateConfig(c));
    EXPECT_EQ(ValidateVtaProfile(c).has_value(), row.vta);
  }
}

TEST(Config, TileBytesAtDefaultAndAtBatch4) {
  const Config d = LoadConfig("default").value();
  EXPECT_EQ(d.TileBytes(Memory::kUop), 8);
  EXPECT_EQ(d.TileBytes(Memory::kUop, Profile::kVta), 4);
  EXPECT_EQ(d.TileBytes(Memory::kWgt), 256);
  EXPECT_EQ(d.TileBytes(Memory::kInp), 16);
  EXPECT_EQ(d.TileBytes(Memory::kAcc), 64);
  EXPECT_EQ(d.TileBytes(Memory::kOut), 16);
  EXPECT_EQ(d.TileBytes(Memory::kAcc8), 16);
  EXPECT_EQ(d.TileBytes(Memory::kPrm), 144);
  const Config b = LoadConfig("batch4").value();
  EXPECT_EQ(b.TileBytes(Memory::kWgt), 64);
  EXPECT_EQ(b.TileBytes(Memory::kInp), 32);
  EXPECT_EQ(b.TileBytes(Memory::kAcc), 128);
  EXPECT_EQ(b.TileBytes(Memory::kPrm), 72);
  EXPECT_EQ(LoadConfig("tiny")->TileBytes(Memory::kPrm), 40);   // 36 on an 8-byte bus
  EXPECT_EQ(LoadConfig("wide")->TileBytes(Memory::kPrm), 288);  // 9 beats of 32
}

TEST(Config, JsonSurvivesARoundTrip) {
  for (const Config& c : NamedConfigs()) {
    EXPECT_EQ(ParseConfig(ConfigToJson(c), "unused").value(), c) << ConfigToJson(c);
  }
}

TEST(Config, TheProcessorIsANameOrANameWithFigures) {
  EXPECT_EQ(ParseConfig("{}", "x")->cpu.name, "cortex-a9");
  EXPECT_EQ(LoadConfig("pynq")->cpu, ParseConfig(R"({"cpu": "cortex-a9"})", "x")->cpu);
  EXPECT_EQ(LoadConfig("ultra96")->cpu, ParseConfig(R"({"cpu": "cortex-a53"})", "x")->cpu);
  EXPECT_EQ(ParseConfig(R"({"cpu": "x86-64-v3"})", "x")->cpu.level, "x86-64-v3");
  Cpu want = *FindCpu("cortex-a53");
  EXPECT_EQ(want.level, "aarch64");
  want.clock_mhz = 1500;
  want.cores = 2;
  want.l2_kib = 512;
  want.memory_mb_s = 3000;
  want.start_us = 0;
  want.pack_mb_s = 500;
  const Config given = ParseConfig(R"({"cpu": {"clock_mhz": 1500, "cores": 2, "l2_kib": 512,
      "memory_mb_s": 3000, "start_us": 0, "pack_mb_s": 500, "name": "cortex-a53"}})",
                                   "x")
                           .value();
  EXPECT_EQ(given.cpu, want);
  EXPECT_EQ(ParseConfig(ConfigToJson(given), "unused").value(), given);
  EXPECT_EQ(ParseConfig(R"({"cpu": {"cores": 1}})", "x")->cpu.clock_mhz, 650);
}

TEST(Config, AGpuIsOneOnlyWhereTheFileHasIt) {
  EXPECT_EQ(LoadConfig("default")->gpu.driver, "");
  const Config given = ParseConfig(R"({"gpu": {"driver": "cuda", "processors": 132, "lanes": 64,
      "clock_mhz": 1700, "memory_mb_s": 3350000, "link_mb_s": 55000, "launch_us": 3,
      "transfer_us": 7}})",
                                   "x")
                           .value();
  EXPECT_EQ(given.gpu, (Gpu{"cuda", 132, 64, 1700, 3'350'000, 55'000, 3, 7}));
  EXPECT_EQ(ParseConfig(ConfigToJson(given), "unused").value(), given);
  EXPECT_EQ(given.Hash(), LoadConfig("default")->Hash());
}

TEST(Config, ReadsTheFilesThatVtaShips) {
  const char* text = R"({
    "TARGET" : "sim", "HW_VER" : "0.0.2",
    "LOG_INP_WIDTH" : 3, "LOG_WGT_WIDTH" : 3, "LOG_ACC_WIDTH" : 5,
    "LOG_BATCH" : 0, "LOG_BLOCK" : 4,
    "LOG_UOP_BUFF_SIZE" : 15, "LOG_INP_BUFF_SIZE" : 15, "LOG_WGT_BUFF_SIZE" : 18,
    "LOG_ACC_BUFF_SIZE" : 17
  })";
  Config want;
  want.name = "sim";
  EXPECT_EQ(ParseConfig(text, "vta_config").value(), want);
  // The other shape that VTA publishes; OUT follows ACC.
  const Config b = ParseConfig(R"({"LOG_BATCH": 2, "LOG_BLOCK": 3, "LOG_INP_BUFF_SIZE": 16,
      "LOG_WGT_BUFF_SIZE": 16, "LOG_ACC_BUFF_SIZE": 18})",
                               "batch4")
                       .value();
  EXPECT_EQ(b, LoadConfig("batch4").value());
}

TEST(Config, NamesComeFromNameThenTargetThenTheFile) {
  EXPECT_EQ(ParseConfig("{}", "stem")->name, "stem");
  EXPECT_EQ(ParseConfig(R"({"TARGET": "t"})", "stem")->name, "t");
  EXPECT_EQ(ParseConfig(R"({"TARGET": "t", "name": "n"})", "stem")->name, "n");
  EXPECT_EQ(ParseConfig(R"({"name": "n", "TARGET": "t"})", "stem")->name, "n");
}

class ConfigFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("tessera_config_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& text) {
    const std::string path = folder_ / "board.json";
    EXPECT_TRUE(WriteFile(path, text));
    return path;
  }
  std::filesystem::path folder_;
};

TEST_F(ConfigFile, IsLoadedByPath) {
  const Config c = LoadConfig(Write(R"({"block": 32, "wgt_kib": 512, "memory": "zynq"})")).value();
  EXPECT_EQ(c.name, "board");
  EXPECT_EQ(c.block_in, 32);
  EXPECT_EQ(c.block_out, 32);
  EXPECT_EQ(c.wgt_bytes, 512 * 1024);
  EXPECT_EQ(c.dram, DramModel::kZynq);
}

struct BadText {
  const char* text;
  Code code;
  const char* message;  // a part of it
};

TEST_F(ConfigFile, BadOnesAreRefusedWithTheirPath) {
  constexpr Code kArg = Code::kInvalidArgument, kRange = Code::kOutOfRange;
  const BadText kBad[] = {
      {"{", kArg, "it is not JSON: parse error at line 1, column 2"},
      {"[1]", kArg, "it is not a JSON object"},
      {R"({"batch": 1, "batch": 2})", kArg, "key \"batch\" stands there twice"},
      {R"({"batch": 1, "LOG_BATCH": 0})", kArg, "say the same thing; give one"},
      {R"({"bacth": 1})", kArg,
       "unknown key \"bacth\"; known keys: name, memory, cpu, gpu, batch, block,"},
      {R"({"batch": "1"})", kArg, "\"batch\" is \"1\", it must be a whole number"},
      {R"({"batch": 1.5})", kArg, "\"batch\" is 1.5, it must be a whole number"},
      {R"({"name": 5})", kArg, "\"name\" is 5, it must be a string"},
      {R"({"batch": {"x": 1}})", kArg, "\"batch\" is an object, it must be a whole number"},
      {R"({"a\nb": 1})", kArg, "unknown key \"a\\nb\"; known keys"},
      {R"({"a\nb": 1, "a\nb": 1})", kArg, "key \"a\\nb\" stands there twice"},
      {R"({"HW_VER": 2})", kArg, "\"HW_VER\" is 2, it must be a string"},
      {R"({"TARGET": []})", kArg, "\"TARGET\" is a list, it must be a string"},
      {R"({"memory": 1})", kArg, "\"memory\" is 1, it must be a string"},
      {R"({"memory": "ddr"})", kArg, "\"memory\" is \"ddr\", it can be \"tsim\" or \"zynq\""},
      {R"({"cpu": 9})", kArg, "\"cpu\" is 9, it must be a name or an object"},
      {R"({"cpu": "cortex-a8"})", kArg,
       "\"cpu\" is \"cortex-a8\", it can be \"cortex-a9\", \"cortex-a53\", \"x86-64-v2\", "
       "\"x86-64-v3\", \"x86-64-v4\", \"x86-64-v4-vnni\", \"x86-64-v4-amx\"; take the nearest one "
       "and "
       "give the figures that differ, as {\"name\": ..., \"clock_mhz\": ...}"},
      {R"({"cpu": {"name": 9}})", kArg, "\"cpu.name\" is 9, it must be a string"},
      {R"({"cpu": {"name": "x"}})", kArg, "\"cpu.name\" is \"x\", it can be \"cortex-a9\""},
      {R"({"cpu": {"mhz": 9}})", kArg,
       "\"cpu\" has an unknown key \"mhz\"; known keys: name, clock_mhz, cores, l2_kib, "
       "memory_mb_s, "
       "start_us, pack_mb_s"},
      {R"({"cpu": {"cores": "2"}})", kArg, "\"cpu.cores\" is \"2\", it must be a whole number"},
      {R"({"cpu": {"start_us": -1}})", kRange, "\"cpu.start_us\" is -1, it can be 0 to 1073741824"},
      {R"({"cpu": {"pack_mb_s": 0}})", kRange,
       "configuration board: cpu.pack_mb_s is 0, it can be 1 to 1000000"},
      {R"({"gpu": "cuda"})", kArg, "\"gpu\" is \"cuda\", it must be an object with \"driver\""},
      {R"({"gpu": {"lanes": 8}})", kArg,
       "\"gpu\" is an object, it must be an object with \"driver\""},
      {R"({"gpu": {"driver": "vulkan"}})", kArg,
       "\"gpu.driver\" is \"vulkan\", it can be \"opencl\" or \"cuda\""},
      {R"({"gpu": {"driver": "cuda", "mhz": 9}})", kArg,
       "\"gpu\" has an unknown key \"mhz\"; known keys: driver, processors, lanes, clock_mhz, "
       "memory_mb_s, link_mb_s, launch_us, transfer_us"},
      {R"({"gpu": {"driver": "cuda", "link_mb_s": 0}})", kRange,
       "configuration board: gpu.link_mb_s is 0, it can be 1 to 10000000"},
      {R"({"batch": -1})", kRange, "\"batch\" is -1, it can be 0 to 1073741824"},
      {R"({"batch": 18446744073709551615})", kRange,
       "\"batch\" is 18446744073709551615, it can be 0"},
      {R"({"LOG_BLOCK": 41})", kRange, "\"LOG_BLOCK\" is 41, it can be 0 to 40"},
      {R"({"LOG_INP_WIDTH": 2})", kRange, "\"LOG_INP_WIDTH\" is 2, this machine has 3 (8 bits)"},
      {R"({"LOG_WGT_WIDTH": 4})", kRange, "\"LOG_WGT_WIDTH\" is 4, this machine has 3 (8 bits)"},
      {R"({"LOG_OUT_WIDTH": 5})", kRange, "\"LOG_OUT_WIDTH\" is 5, this machine has 3 (8 bits)"},
      {R"({"LOG_ACC_WIDTH": 3})", kRange, "\"LOG_ACC_WIDTH\" is 3, this machine has 5 (32 bits)"},
      {R"({"batch": 3})", kRange, "configuration board: batch is 3, it must be a power of two"},
  };
  for (const BadText& bad : kBad) {
    SCOPED_TRACE(bad.text);
    const std::string path = Write(bad.text);
    const auto config = LoadConfig(path);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, bad.code);
    EXPECT_TRUE(config.error().message.starts_with(path + ": ")) << config.error().message;
    EXPECT_NE(config.error().message.find(bad.message), std::string::npos)
        << config.error().message;
  }
}

TEST(ConfigBad, DeeplyNestedTextIsRefused) {
  const std::string nested = std::string(200000, '[') + std::string(200000, ']');
  const auto config = ParseConfig("{\"batch\": " + nested + "}", "x");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message, "\"batch\" is a list, it must be a whole number");
  EXPECT_FALSE(ParseConfig(nested.substr(0, 300000), "x"));
}

TEST(ConfigBad, UnknownNamesAndMissingFiles) {
  const auto name = LoadConfig("nosuch");
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, Code::kNotFound);
  EXPECT_EQ(name.error().message,
            "no configuration is named \"nosuch\"; there are default, pynq, ultra96, tiny, batch4, "
            "wide, or give a "
            ".json file");
  const auto file = LoadConfig("/nonexistent/nosuch.json");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::kNotFound);
}

struct BadConfig {
  std::function<void(Config&)> spoil;
  const char* message;
};

TEST(ConfigBad, EachLimitIsNamed) {
  const BadConfig kBad[] = {
      {[](Config& c) { c.name = "a b"; },
       "configuration name \"a\": it can be 1 to 64 letters, digits, '_', '-' and '.'; it has 3 "
       "characters, and another one at 2"},
      {[](Config& c) { c.name = ""; }, "configuration name \"\": it can be 1 to 64 letters"},
      {[](Config& c) { c.name = std::string(65, 'x'); }, "it can be 1 to 64 letters"},
      {[](Config& c) { c.batch = 0; }, "configuration default: batch is 0, it can be 1 to 16"},
      {[](Config& c) { c.batch = 32; }, "batch is 32, it can be 1 to 16"},
      {[](Config& c) { c.batch = 3; }, "batch is 3, it must be a power of two"},
      {[](Config& c) { c.block_in = c.block_out = 2; }, "block is 2, it can be 4 to 64"},
      {[](Config& c) { c.block_in = c.block_out = 128; }, "block is 128, it can be 4 to 64"},
      {[](Config& c) { c.block_in = c.block_out = 24; }, "block is 24, it must be a power of two"},
      {[](Config& c) { c.block_in = 32; }, "block_in is 32 and block_out 16; they must be equal"},
      {[](Config& c) { c.bus_bits = 32; }, "bus_bits is 32, it can be 64 to 512"},
      {[](Config& c) { c.bus_bits = 1024; }, "bus_bits is 1024, it can be 64 to 512"},
      {[](Config& c) { c.bus_bits = 96; }, "bus_bits is 96, it must be a power of two"},
      {[](Config& c) { c.tab_bytes = 128; },
       "configuration default: tab_bytes is 128, it must be 256, or 0 for a machine without"},
      {[](Config& c) { c.tab_bytes = 512; }, "tab_bytes is 512, it must be 256"},
      {[](Config& c) { c.uop_bytes = 512; },
       "uop_kib (in bytes) is 512, it can be 1024 to 67108864"},
      {[](Config& c) { c.uop_bytes = 1 << 20; },
       "uop_kib (in bytes) is 1048576, which holds 131072 tiles of 8 bytes; an index reaches "
       "65536"},
      {[](Config& c) { c.inp_bytes = 1 << 25; },
       "inp_kib (in bytes) is 33554432, which holds 2097152 tiles of 16 bytes; an index reaches "
       "1048576"},
      {[](Config& c) { c.inp_bytes = 3 << 10; },
       "inp_kib (in bytes) is 3072, it must be a power of two"},
      {[](Config& c) { c.wgt_bytes = 2 << 10; },
       "wgt_kib (in bytes) is 2048, which holds 8 tiles of 256 bytes; at least 16 are needed"},
      {[](Config& c) { c.wgt_bytes = 1 << 27; },
       "wgt_kib (in bytes) is 134217728, it can be 1024 to 67108864"},
      {[](Config& c) { c.acc_bytes = 0; }, "acc_kib (in bytes) is 0, it can be 1024 to 67108864"},
      {[](Config& c) { c.out_bytes = 1 << 25; },
       "out_kib (in bytes) is 33554432, which holds 2097152 tiles of 16 bytes"},
      {[](Config& c) { c.prm_depth = 1; }, "prm_depth is 1, it can be 2 to 2048"},
      {[](Config& c) { c.prm_depth = 4096; }, "prm_depth is 4096, it can be 2 to 2048"},
      {[](Config& c) { c.clock_mhz = 0; }, "clock_mhz is 0, it can be 1 to 10000"},
      {[](Config& c) { c.queue_depth = 1; }, "queue_depth is 1, it can be 2 to 1024"},
      {[](Config& c) { c.queue_depth = 24; }, "queue_depth is 24, it must be a power of two"},
      {[](Config& c) { c.token_depth = 0; }, "token_depth is 0, it can be 1 to 1023"},
      {[](Config& c) { c.vector_passes = 0; }, "vector_passes is 0, it can be 1 to 2"},
      {[](Config& c) { c.vector_passes = 3; }, "vector_passes is 3, it can be 1 to 2"},
      {[](Config& c) { c.array_passes = 0; }, "array_passes is 0, it can be 1 to 2"},
      {[](Config& c) { c.array_passes = 3; }, "array_passes is 3, it can be 1 to 2"},
      {[](Config& c) { c.depthwise = 2; }, "depthwise is 2, it can be 0 to 1"},
      {[](Config& c) { c.token_depth = 1024; }, "token_depth is 1024, it can be 1 to 1023"},
      {[](Config& c) { c.cpu.clock_mhz = 0; }, "cpu.clock_mhz is 0, it can be 1 to 10000"},
      {[](Config& c) { c.cpu.cores = 0; }, "cpu.cores is 0, it can be 1 to 1024"},
      {[](Config& c) { c.cpu.l2_kib = 15; }, "cpu.l2_kib is 15, it can be 16 to 1000000"},
      {[](Config& c) { c.cpu.memory_mb_s = 0; }, "cpu.memory_mb_s is 0, it can be 1 to 1000000"},
      {[](Config& c) { c.cpu.start_us = 1000001; },
       "cpu.start_us is 1000001, it can be 0 to 1000000"},
      {[](Config& c) { c.cpu.pack_mb_s = 1000001; },
       "cpu.pack_mb_s is 1000001, it can be 1 to 1000000"},
  };
  for (const BadConfig& bad : kBad) {
    SCOPED_TRACE(bad.message);
    Config c;
    bad.spoil(c);
    const auto status = ValidateConfig(c);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kOutOfRange);
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
    EXPECT_EQ(ValidateVtaProfile(c).error().message, status.error().message);
  }
}

TEST(ConfigBad, WhatVtaCannotExpressIsNamed) {
  const BadConfig kBad[] = {
      {[](Config& c) { c.out_bytes /= 2; },
       "profile vta needs as many OUT tiles as ACC tiles; out_kib (in bytes) is 16384, it must be "
       "32768"},
      {[](Config& c) { c.uop_bytes *= 2; },
       "profile vta has no room for VtaGemm.wgt_factor_out: it would end at bit 138 of 128"},
      {[](Config& c) { c.wgt_bytes *= 2; },
       "profile vta has no room for VtaGemm.wgt_factor_in: it would end at bit 139 of 128"},
      {[](Config& c) { c.uop_bytes = 1 << 19; },
       "uop holds 131072 tiles; VtaLoad.sram_base reaches 65536"},
      // A shallow UOP leaves room for Gemm's factors, but not for the micro-op's indices.
      {[](Config& c) { c.uop_bytes = 1024, c.wgt_bytes = 1 << 19; },
       "profile vta has no room for VtaUop.wgt_idx: it would end at bit 43 of 32"},
  };
  for (const BadConfig& bad : kBad) {
    SCOPED_TRACE(bad.message);
    Config c;
    bad.spoil(c);
    EXPECT_TRUE(ValidateConfig(c));
    const auto status = ValidateVtaProfile(c);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kUnsupported);
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
  }
}

TEST(VtaProfile, EveryTargetOfVtaIsAccepted) { EXPECT_TRUE(ValidateVtaProfile(Config())); }

}  // namespace
}  // namespace tessera::isa::config_test
