// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera flash ulx3s`: a program in openFPGALoader's place gets the bitstream,
// and the command then opens the board, a verilated one behind a pseudo-terminal; the loader
// missing, failing or hanging; a bitstream of another part, die or configuration; options for other
// boards; the check without a change; and `tessera boards` of it. Space: each once. Not tested
// here: the loader itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "isa/config.h"
#include "runtime/bitstream/ecp_file.h"
#include "runtime/board/board.h"
#include "tests/cts/board/ulx3s_process.h"
#include "tests/tools/command.h"

namespace tessera::test::flash_loader_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr uint32_t kIdcode = 0x41113043;
constexpr const char* kPartText = "Part: LFE5U-85F-6CABGA381";

std::string HashText(const std::string& config) {
  return fmt::format("{}{:016x}", kEcpHash, isa::LoadConfig(config)->Hash());
}

// A build with this bitstream; returns its folder.
std::string Build(const std::string& name, const std::vector<uint8_t>& bitstream) {
  const std::string folder = TempPath(name);
  fs::create_directories(folder);
  EXPECT_TRUE(WriteFile(folder + "/tessera.bit", bitstream));
  auto board = ReadBoard("boards/ulx3s");
  EXPECT_TRUE(board);
  board->image = BoardImage{{"tessera.bit", bitstream.size(), Crc64(bitstream)},
                            {},
                            isa::LoadConfig(board->config)->Hash(),
                            board->clock_hz,
                            1.5,
                            "nextpnr-0.11.1"};
  EXPECT_TRUE(WriteFile(folder + "/board.json", BoardToJson(*board)));
  return folder;
}
std::string GoodBuild() {
  return Build("good", SyntheticEcp({kPartText, HashText("tiny")}, kIdcode));
}

// A loader on PATH that runs |script|, after the question for its version.
std::string Loader(const std::string& name, const std::string& script) {
  const std::string folder = TempPath(name);
  fs::create_directories(folder);
  const std::string path = folder + "/openFPGALoader";
  const std::string text = "#!/bin/sh\n[ \"$1\" = --Version ] && exit 0\n" + script + "\n";
  EXPECT_TRUE(WriteFile(path, text));
  fs::permissions(path, fs::perms::owner_all);
  return "PATH=" + folder + ":$PATH; ";
}

void ExpectNo(const std::string& target, const std::string& before, const std::string& says) {
  const CommandResult result = Tessera("flash " + target, before);
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output, HasSubstr(says));
}

TEST(FlashLoader, LoadsAndReadsTheIdentityBack) {
  const auto board = StartUlx3s();
  ASSERT_TRUE(board) << board.error().message;
  const std::string calls = TempPath("calls");
  const CommandResult result = Tessera("flash " + GoodBuild() + " --port " + board->port,
                                       Loader("works", "echo \"$@\" >> " + calls));
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("runs: configuration tiny, 50.000 MHz, identity read back"));
  EXPECT_EQ(Read(calls), "-b ulx3s " + TempPath("good") + "/tessera.bit\n");
}

TEST(FlashLoader, SaysWhatItWouldRunWithoutALoader) {
  const std::string before = "PATH=/nowhere; ";
  const std::string command = "openFPGALoader -b ulx3s " + TempPath("good") + "/tessera.bit";
  ExpectNo(GoodBuild(), before, "openFPGALoader is not installed; it would run: " + command);
  const CommandResult check = Tessera("flash --check " + GoodBuild(), before);
  EXPECT_EQ(check.code, 0) << check.output;
  EXPECT_THAT(check.output, HasSubstr("it would run: " + command));
}

TEST(FlashLoader, SaysWhyALoadFailed) {
  ExpectNo(GoodBuild(), Loader("fails", "echo unable to open ftdi device >&2; exit 3"),
           "openFPGALoader ended with 3: unable to open ftdi device");
  ExpectNo(GoodBuild() + " --timeout 1", Loader("hangs", "sleep 60"), "was not done in 1 s");
  ExpectNo(GoodBuild() + " --port /dev/null", Loader("loads", "exit 0"),
           "the bitstream is loaded, but the board is not reached: /dev/null: no serial port");
}

TEST(FlashLoader, RefusesOtherBitstreams) {
  const std::string hash = HashText("tiny");
  ExpectNo(Build("part", SyntheticEcp({"Part: LFE5U-45F-6CABGA381", hash}, kIdcode)), "",
           "it is for part LFE5U-45F-6CABGA381, ulx3s has LFE5U-85F-6CABGA381");
  ExpectNo(Build("die", SyntheticEcp({kPartText, hash}, 0x41112043)), "", "idcode 01112043");
  ExpectNo(Build("other", SyntheticEcp({kPartText, HashText("default")}, kIdcode)), "",
           "tiny of this tessera is");
  ExpectNo(Build("none", SyntheticEcp({kPartText}, kIdcode)), "",
           "it holds configuration (none named)");
  ExpectNo(Build("text", {'h', 'e', 'l', 'l', 'o'}), "", "it is no bitstream of an ECP5");
  std::vector<uint8_t> cut = SyntheticEcp({kPartText, hash}, kIdcode);
  for (const size_t length : {size_t{1}, size_t{10}, size_t{40}, cut.size() - 70}) {
    cut.resize(length);
    const auto parsed = ParseEcp(cut);
    ASSERT_FALSE(parsed) << length;
  }
}

TEST(FlashLoader, RefusesOptionsOfOtherBoards) {
  ExpectNo(GoodBuild() + " --host root@192.168.2.99", "", "ulx3s has no processor");
  ExpectNo(GoodBuild() + " --sudo", "", "without --host, --sudo and --root");
}

TEST(FlashLoader, BoardsDescribesIt) {
  const CommandResult described = Tessera("boards ulx3s");
  EXPECT_EQ(described.code, 0);
  EXPECT_THAT(described.output, HasSubstr("262,144 bytes of memory in the part"));
  EXPECT_THAT(Tessera("boards ulx3s --print overlay").output, HasSubstr("has no processor"));
  // Collecting a build checks its bitstream.
  const std::string folder = GoodBuild();
  const std::string facts = "tool nextpnr-0.11.1\nclock_hz 50000000\nslack_ns 1.5\nconfig_hash " +
                            HashText("tiny").substr(kEcpHash.size()) + "\n";
  ASSERT_TRUE(WriteFile(folder + "/build.txt", facts));
  const CommandResult collected = Tessera("boards ulx3s --collect " + folder);
  EXPECT_EQ(collected.code, 0) << collected.output;
  EXPECT_THAT(Read(folder + "/board.json"), HasSubstr("1.500 ns to spare at 50.000 MHz"));
}

}  // namespace
}  // namespace tessera::test::flash_loader_test
