// SPDX-License-Identifier: Apache-2.0
//
// What is tested: descriptions of boards. Those of boards/ are read, keep their text through JSON,
// ask for a clock that the estimate allows and name proofs that exist; every missing, repeated or
// unknown key, every key of another type, and every value that the family or the configuration does
// not allow is refused in one line. Space: each key once, mutants of a description. Not tested
// here: the overlay (overlay_test), what a build reads (tests/boards).
#include "runtime/board/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/rng.h"
#include "isa/config.h"
#include "tests/base/one_line.h"

namespace tessera::test::board_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::string Slurp(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
Json Pynq() { return Json::parse(Slurp("boards/pynq-z1/board.json")); }

void ExpectRefused(const Json& json, const std::string& says) {
  const auto board = ParseBoard(json.dump());
  ASSERT_FALSE(board) << says;
  EXPECT_THAT(board.error().message, HasSubstr(says));
  EXPECT_TRUE(IsOneLine(board.error().message));
}

TEST(Boards, OfTheTreeAreReadAndKeepTheirText) {
  const auto boards = ReadBoards("boards");
  ASSERT_TRUE(boards) << boards.error().message;
  ASSERT_EQ(boards->size(), 4u);
  for (const BoardDescription& board : *boards) {
    EXPECT_EQ(BoardToJson(board), Slurp("boards/" + board.name + "/board.json"));
    EXPECT_FALSE(board.image) << "an image belongs into a build's folder";
  }
  EXPECT_EQ((*boards)[0].part, "xc7z020clg400-1");
  EXPECT_EQ((*boards)[2].register_base, 0xa0000000u);
  EXPECT_EQ((*boards)[2].FirmwareOverlay(), "tessera-ultra96.dtbo");
}

// hw/timing.txt: "measured CONFIG MODULE NS"; the requested clock must not exceed 1000 / NS.
TEST(Boards, AskForAClockThatTheEstimateAllows) {
  const auto boards = ReadBoards("boards");
  ASSERT_TRUE(boards);
  for (const BoardDescription& board : *boards) {
    std::istringstream rows(Slurp("hw/timing.txt"));
    double ns = 0;
    for (std::string line; std::getline(rows, line);) {
      std::istringstream words(line);
      std::string kind, config, module;
      words >> kind >> config >> module;
      if (kind == "measured" && config == board.config && module == "tsr_top") words >> ns;
    }
    ASSERT_GT(ns, 0) << board.config << " has no row in hw/timing.txt";
    EXPECT_LE(static_cast<double>(board.clock_hz) / 1e6, 1000 / ns) << board.name;
    const auto config = isa::LoadConfig(board.config);
    ASSERT_TRUE(config);
    EXPECT_LE(board.clock_hz / 1'000'000, static_cast<uint64_t>(config->clock_mhz)) << board.name;
  }
}

// A proof names files, tests or a command of this repository; a step that was not done has none.
TEST(Boards, ProofsExist) {
  const auto boards = ReadBoards("boards");
  ASSERT_TRUE(boards);
  std::string build_files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests")) {
    if (entry.path().filename() == "CMakeLists.txt") build_files += Slurp(entry.path());
  }
  build_files += Slurp("hw/CMakeLists.txt");
  for (const BoardDescription& board : *boards) {
    for (const std::string& proof : board.proofs) {
      if (proof.empty() || proof.starts_with("tessera ")) continue;
      std::istringstream words(proof);
      for (std::string word; words >> word;) {
        if (word.ends_with(",")) word.pop_back();
        if (word == "tests") continue;
        // CMakeLists.txt has tools_run_test as tools_${part}_test.
        const bool test = build_files.find(word) != std::string::npos || word == "tools_run_test";
        EXPECT_TRUE(test || std::filesystem::exists(word)) << board.name << ": " << word;
      }
    }
    // Open tools route and build a board without a processor.
    const std::string vendors = board.HasProcessor() ? board.proofs[2] + board.proofs[3] : "";
    EXPECT_EQ(vendors + board.proofs[4], "")
        << board.name << ": say in docs/boards.md who ran it, then allow it here";
  }
}

TEST(Boards, EveryKeyIsNeededAndChecked) {
  const Json pynq = Pynq();
  for (const auto& [key, value] : pynq.items()) {
    Json without = Pynq();
    without.erase(key);
    ExpectRefused(without, "key \"" + key + "\" is missing");
    Json other = Pynq();
    other[key] = Json::array({1});
    ExpectRefused(other, "\"" + key + "\" is a list, it must be");
  }
  for (const auto& [key, value] : pynq["status"].items()) {
    Json without = Pynq();
    without["status"].erase(key);
    ExpectRefused(without, "key \"" + key + "\" is missing");
  }
  Json more = Pynq();
  more["colour"] = "pink";
  ExpectRefused(more, "unknown key \"colour\"");
  more = Pynq();
  more["status"]["sold"] = nullptr;
  ExpectRefused(more, "unknown key \"sold\"");
  std::string twice = Pynq().dump();
  twice.insert(1, "\"name\": \"x\", ");
  const auto board = ParseBoard(twice);
  ASSERT_FALSE(board);
  EXPECT_THAT(board.error().message, HasSubstr("key \"name\" stands there twice"));
}

TEST(Boards, WithoutAProcessorHaveTheirOwnKeys) {
  const Json ulx3s = Json::parse(Slurp("boards/ulx3s/board.json"));
  ASSERT_TRUE(ParseBoard(ulx3s.dump()));
  for (const auto& [key, value] : ulx3s.items()) {
    Json without = ulx3s;
    without.erase(key);
    ExpectRefused(without, "key \"" + key + "\" is missing");
  }
  Json other = ulx3s;
  other["uio"] = "tessera";
  ExpectRefused(other, "unknown key \"uio\"");
  const std::tuple<const char*, Json, const char*> bad[] = {
      {"memory_bytes", 200'000, "it must be a power of two, 65536 to 1048576"},
      {"memory_bytes", 2 << 20, "it must be a power of two"},
      {"baud", 9600, "it must divide \"clock_hz\", by 4 at least, and be 115200 to 3000000"},
      {"baud", 2'000'001, "it must divide"},
      {"idcode", "0x41113043", "which counts the package's variants, is 0"},
      {"idcode", "0x03727093", "it ends in 043"},
      {"loader", "-b x", "\"loader\" is \"-b x\""},
      {"clock_hz", 0, "it can be 1,000,000 to 1,000,000,000"}};
  for (const auto& [key, value, says] : bad) {
    Json json = ulx3s;
    json[key] = value;
    ExpectRefused(json, says);
  }
}

struct Bad {
  const char* key;
  Json value;
  const char* says;
};
class BoardValues : public ::testing::TestWithParam<Bad> {};
TEST_P(BoardValues, AreRefused) {
  Json json = Pynq();
  json[GetParam().key] = GetParam().value;
  ExpectRefused(json, GetParam().says);
}
INSTANTIATE_TEST_SUITE_P(
    Each, BoardValues,
    ::testing::Values(
        Bad{"name", "../x", "\"name\" is \"../x\"; it must be 1 to 64 letters"},
        Bad{"firmware", "a;reboot", "\"firmware\" is \"a;reboot\""},
        Bad{"uio", "", "\"uio\" is \"\""}, Bad{"board_files", "a b", "\"board_files\" is \"a b\""},
        Bad{"family", "versal", "it can be \"zynq\", \"zynqmp\" or \"ecp5\""},
        Bad{"family", "zynqmp", "memory ports of zynqmp have AXI4"},
        Bad{"config", "nosuch", "no configuration is named \"nosuch\""},
        Bad{"config", "ultra96", "configuration ultra96 has a bus of 128"},
        Bad{"port_bits", 128, "a port of zynq has 32, 64"},
        Bad{"port_bits", 0, "a port of zynq has 32, 64"}, Bad{"axi", 4, "have AXI3"},
        Bad{"port", "S_AXI_ACP", "there are S_AXI_HP0 to S_AXI_HP3"},
        Bad{"master", "M_AXI_HPM0", "zynq has M_AXI_GP0 and M_AXI_GP1"},
        Bad{"interrupt", 30, "uses the first line of the fabric, 29 on zynq"},
        Bad{"clock_hz", 999, "it can be 1,000,000 to"}, Bad{"clock_hz", -1, "it can be 0 to 2^63"},
        Bad{"clock_hz", 1.5, "must be a whole number"},
        Bad{"ps_clock_mhz", 0, "it can be 10 to 100"},
        Bad{"register_bytes", 6000, "power of two from 4096"},
        Bad{"register_base", "0x43c00800", "a multiple of register_bytes below 4 GiB"},
        Bad{"register_base", "0x100000000", "a multiple of register_bytes below 4 GiB"},
        Bad{"register_base", "43c00000", "it must be like \"0x43c00000\""},
        Bad{"memory_bytes", 4095, "whole pages of 4096 bytes, 1 MiB to 2 GiB"},
        Bad{"idcode", "0x23727093", "its first digit, the revision, is 0"},
        Bad{"idcode", "0x03727092", "it ends in 093"},
        Bad{"status", Json{{"simulated", ""}}, "say what proves it, or null"}));

TEST(Boards, ImagesAreReadBack) {
  auto board = ParseBoard(Pynq().dump());
  ASSERT_TRUE(board);
  EXPECT_EQ(board->FabricHz(), 142857143u);
  board->image = BoardImage{{"tessera.bit", 4045564, 0x123456789abcdef0},
                            BoardFile{"tessera.dtbo", 900, 7},
                            0xfedcba9876543210,
                            142857132,
                            0.25,
                            "Vivado 2022.1"};
  const auto again = ParseBoard(BoardToJson(*board));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(BoardToJson(*again), BoardToJson(*board));
  EXPECT_EQ(again->FabricHz(), 142857132u);
  EXPECT_EQ(again->image->config_hash, 0xfedcba9876543210u);
  Json json = Json::parse(BoardToJson(*board));
  json["image"]["bitstream"]["name"] = "../../etc/passwd";
  ExpectRefused(json, "give a plain name, no folder");
  json = Json::parse(BoardToJson(*board));
  json["image"]["clock_hz"] = 0;
  ExpectRefused(json, "\"clock_hz\" of the image is 0");
}

TEST(Boards, MutantsGiveOneLine) {
  const std::string text = Slurp("boards/ultra96/board.json");
  int refused = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    std::string mutant = text;
    if (rng.OneIn(8)) mutant.resize(static_cast<size_t>(rng.Range(0, std::ssize(text))));
    for (int64_t n = rng.Range(1, 6); n > 0 && !mutant.empty(); --n)
      mutant[static_cast<size_t>(rng.Range(0, std::ssize(mutant) - 1))] =
          static_cast<char>(rng.Range(0, 255));
    const auto board = ParseBoard(mutant);
    if (board) continue;
    ++refused;
    ASSERT_TRUE(IsOneLine(board.error().message)) << "seed " << seed;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Boards, FoldersAreNamedAsTheirBoards) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "boards_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "other");
  const auto none = ReadBoards(folder.string());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("has no folder with a board.json"));
  fs::copy("boards/pynq-z1/board.json", folder / "other/board.json");
  const auto other = ReadBoards(folder.string());
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("\"name\" is \"pynq-z1\", the folder's is other"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::test::board_test
