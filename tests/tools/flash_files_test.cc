// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which builds `tessera flash` and `tessera boards --collect` refuse: another part,
// configuration, size or checksum, files that are missing or cut off, each in one line with exit
// code 2 and the simulated board untouched; the files that --collect writes of a good build. Space:
// every check once. Not tested here: the steps on a board (flash_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "runtime/bitstream/hwh.h"
#include "runtime/board/handoff.h"
#include "tests/tools/command.h"
#include "tests/tools/flash_build.h"

namespace tessera::test::flash_files_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// This root has no board: a flash that starts would fail with another message.
void Refused(const std::string& target, const std::string& says, const std::string& more = "") {
  const CommandResult r = Tessera("flash " + target + " --root " + TempPath("empty") + more);
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr(says));
  EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << "one line: " << r.output;
}

FakeBuild Build(const std::string& name = "pynq-z2") {
  fs::remove_all(TempPath("build"));
  return FakeBuild::Make(TempPath("build"), name, 3);
}

TEST(FlashFiles, OfAnotherPartAreRefused) {
  FakeBuild build = Build();
  build.Rewrite([](BitFile& bit) { bit.part = "7z010clg400"; });
  Refused(build.folder, "tessera.bit: it is for part 7z010clg400, pynq-z2 has xc7z020clg400-1");
  build = Build();
  build.Rewrite([](BitFile& bit) { bit.stream = SyntheticStream(0x13722093, 100, 1); });
  Refused(build.folder, "its stream is for the part with idcode 03722093, pynq-z2 has 03727093");
  build = Build("ultra96");
  build.Rewrite([](BitFile& bit) { bit.part = "7z020clg400"; });
  Refused(build.folder, "it is for part 7z020clg400, ultra96 has xczu3eg-sbva484-1-e");
}

TEST(FlashFiles, OfAnotherConfigurationAreRefused) {
  FakeBuild build = Build();
  build.Rewrite([](BitFile& bit) { bit.user_id = 0x1234; });
  Refused(build.folder, "its user id is 00001234, configuration pynq has ");
  build.Rewrite([](BitFile& bit) { bit.user_id.reset(); });
  Refused(build.folder, "its user id is missing");
  build = Build();
  build.Describe([](BoardDescription& b) { b.image->config_hash ^= 1; });
  Refused(build.folder, "the image was built for configuration hash ");
}

TEST(FlashFiles, ThatWereDamagedAreRefused) {
  FakeBuild build = Build();
  const std::string bit = build.folder + "/tessera.bit";
  fs::resize_file(bit, fs::file_size(bit) - 1000);
  Refused(build.folder, "bytes, its board.json says ");
  build = Build();
  std::fstream(bit, std::ios::in | std::ios::out | std::ios::binary).seekp(5000) << "x";
  Refused(build.folder, "has the checksum ");
  // A build that was cut off before it was described.
  build = Build();
  build.Rewrite([](BitFile& file) { file.stream.resize(40000); });
  auto bytes = build.bit.Bytes();
  bytes.resize(20000);
  ASSERT_TRUE(WriteFile(bit, bytes));
  Refused(build.folder, "has 20000 bytes, its board.json says");
  build = Build();
  ASSERT_TRUE(WriteFile(build.folder + "/tessera.dtbo", std::string(256, 'x')));
  Refused(build.folder, "tessera.dtbo has the checksum ");
  build = Build();
  fs::remove(bit);
  Refused(build.folder, "tessera.bit");
}

TEST(FlashFiles, ThatAreMissingAreNamed) {
  FakeBuild build = Build();
  Refused("pynq-z1",
          "pynq-z1 has no build in " + TempPath("none") +
              "/pynq-z1; make one: "
              "boards/scripts/build.sh pynq-z1",
          " --built " + TempPath("none"));
  Refused("pynq-z3", "no board is named \"pynq-z3\"; there are pynq-z1, pynq-z2, ultra96");
  Refused(build.folder, "--host -oProxyCommand=x: give USER@ADDR", " --host=-oProxyCommand=x");
  build.Describe([](BoardDescription& b) { b.image.reset(); });
  Refused(build.folder, "board.json has no \"image\": tessera boards pynq-z2 --collect");
  build = Build();
  fs::rename(build.folder + "/tessera.bit", build.folder + "/other.bit");
  Refused(build.folder + "/other.bit", "other.bit is not the bitstream of ");
  fs::remove(build.folder + "/board.json");
  Refused(build.folder + "/other.bit", "has no board.json beside it, which says board, size");
}

// A build as the scripts leave it: its description has no image yet.
FakeBuild Unfinished() {
  FakeBuild build = Build();
  build.Describe([](BoardDescription& b) { b.image.reset(); });
  const auto board = ReadBoard("boards/pynq-z2");
  EXPECT_TRUE(WriteFile(build.folder + "/tessera.hwh", HwhText(HandoffOf(*board))));
  std::ofstream(build.folder + "/build.txt")
      << "tool Vivado 2021.2\nclock_hz 142857132\nslack_ns 0.25\nconfig_hash "
      << fmt::format("{:016x}",
                     FakeBuild::Make(TempPath("other"), "pynq-z2", 1).board.image->config_hash)
      << "\n";
  return build;
}
void NotCollected(const FakeBuild& build, const std::string& says) {
  const CommandResult r = Tessera("boards pynq-z2 --collect " + build.folder);
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr(says));
  EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << "one line: " << r.output;
}

TEST(Collect, WritesWhatDriversRead) {
  const FakeBuild build = Unfinished();
  const CommandResult r = Tessera("boards pynq-z2 --collect " + build.folder);
  ASSERT_EQ(r.code, 0) << r.output;
  const auto board = ReadBoard(build.folder);
  ASSERT_TRUE(board) << board.error().message;
  EXPECT_EQ(board->FabricHz(), 142857132u);
  EXPECT_EQ(board->image->tool, "Vivado 2021.2");
  EXPECT_EQ(board->proofs[2], "Vivado 2021.2: 0.250 ns to spare at 142.857 MHz");
  ASSERT_TRUE(board->image->overlay);
  EXPECT_EQ(board->image->overlay->bytes, 256u);
}

TEST(Collect, RefusesWhatIsNotTheBoards) {
  FakeBuild build = Unfinished();
  const auto write = [&](const char* file, const std::string& text) {
    ASSERT_TRUE(WriteFile(build.folder + "/" + file, text));
  };
  const auto facts = ReadFile(build.folder + "/build.txt");
  const std::string good(facts->begin(), facts->end());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  write("build.txt", with("slack_ns 0.25", "slack_ns -0.25"));
  NotCollected(build, "build.txt: slack_ns is -0.25: timing was not met");
  write("build.txt", with("clock_hz 142857132", "clock_hz fast"));
  NotCollected(build, "clock_hz is \"fast\", no number");
  write("build.txt", with("tool ", "fool "));
  NotCollected(build, "it has no line tool");
  write("build.txt", with("config_hash ", "config_hash 1"));
  NotCollected(build, "config_hash is ");
  write("build.txt", good);
  write("tessera.hwh", "<EDKSYSTEM>");
  NotCollected(build, "tessera.hwh: it ends inside element EDKSYSTEM");
  write("tessera.hwh", HwhText(HandoffOf(*ReadBoard("boards/ultra96"))));
  NotCollected(build, "a bus of \"128\" bits, pynq-z2 has 64");
  build = Unfinished();
  build.bit.part = "7z010clg400";
  ASSERT_TRUE(WriteFile(build.folder + "/tessera.bit", build.bit.Bytes()));
  NotCollected(build, "tessera.bit: it is for part 7z010clg400");
  fs::remove(build.folder + "/tessera.bit");
  NotCollected(build, "tessera.bit");
}

TEST(BoardsVerb, ListsAndDescribes) {
  const CommandResult all = Tessera("boards");
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.output, HasSubstr("pynq-z1  xc7z020clg400-1      pynq             142.857  yes"));
  const CommandResult one = Tessera("boards ultra96");
  EXPECT_THAT(one.output, HasSubstr("  flashed    no\n"));
  EXPECT_THAT(Tessera("boards ultra96 --print hwh").output, HasSubstr("<EDKSYSTEM"));
  EXPECT_EQ(Tessera("boards --print tcl").code, 2);
  EXPECT_EQ(Tessera("boards nosuch").code, 2);
  EXPECT_EQ(Tessera("boards --boards " + TempPath("none")).code, 2);
}

}  // namespace
}  // namespace tessera::test::flash_files_test
