// SPDX-License-Identifier: Apache-2.0
//
// What is tested: dumps of failed runs: writing and reading; damaged, contradictory dumps and those
// of another version are refused; their files: names, the same failure twice, a foreign file of
// that name, a missing folder. Space: truncation at every length; a flip of every byte; hostile
// counts under a valid checksum. Not tested here: that verbs leave dumps (tests/tools).
#include "sim/debug/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "isa/asm/asm.h"

namespace tessera::sim::dump_test {
namespace {

using ::testing::HasSubstr;

RunDump Sample() {
  RunDump dump;
  dump.tool = "tessera 1.2";
  dump.verb = "run";
  dump.model = "net.onnx";
  dump.device = "rtl:stall-seed=3";
  dump.error = "deadlock: load waits";
  dump.budget = 12345;
  dump.config = isa::LoadConfig("tiny").value();
  dump.layers = {"conv1", "", "pool"};
  dump.image = isa::Assemble(
                   ".profile tessera\n.config tiny\n.segment input\n.hex 0102\n.code\n"
                   "sync unit=load push=gemm\nfinish\n")
                   .value();
  return dump;
}

std::vector<uint8_t> WithCrc(std::vector<uint8_t> bytes) {
  const uint64_t crc = Crc64(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &crc, 8);
  return bytes;
}

TEST(RunDumpTest, ReadsWhatItWrote) {
  const RunDump dump = Sample();
  const std::vector<uint8_t> bytes = SerializeDump(dump);
  EXPECT_TRUE(LooksLikeDump(bytes));
  const Result<RunDump> read = ParseDump(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(*read == dump);
}

TEST(RunDumpTest, RefusesEveryTruncationAndEveryChangedByte) {
  const std::vector<uint8_t> bytes = SerializeDump(Sample());
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(ParseDump(std::span(bytes).first(n))) << "cut at " << n;
  for (size_t n = 0; n < bytes.size(); ++n) {
    std::vector<uint8_t> flipped = bytes;
    flipped[n] ^= 0x40;
    EXPECT_FALSE(ParseDump(flipped)) << "byte " << n;
  }
}

// With a valid checksum a changed byte may still be a dump; then it is read back the same.
TEST(RunDumpTest, SurvivesEveryChangedByteBehindARightChecksum) {
  const std::vector<uint8_t> bytes = SerializeDump(Sample());
  for (size_t n = 0; n + 8 < bytes.size(); ++n) {
    for (const uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> changed = bytes;
      changed[n] ^= flip;
      const Result<RunDump> read = ParseDump(WithCrc(changed));
      if (!read) continue;
      const Result<RunDump> again = ParseDump(SerializeDump(*read));
      EXPECT_TRUE(again && *again == *read) << "byte " << n;
    }
  }
}

TEST(RunDumpTest, SaysWhatIsWrong) {
  const std::vector<uint8_t> bytes = SerializeDump(Sample());
  std::vector<uint8_t> version = bytes, count = bytes, longer = bytes;
  version[8] = 2;
  EXPECT_EQ(ParseDump(version).error().message,
            "dump: version 2, this program reads 1; open it with the tessera that wrote it, or let "
            "the run fail again");
  std::memset(&count[12], 0xff, 8);
  EXPECT_THAT(ParseDump(WithCrc(count)).error().message, HasSubstr("the tool's name has size"));
  longer.insert(longer.end() - 8, 3, 0);
  EXPECT_THAT(ParseDump(WithCrc(longer)).error().message, HasSubstr("3 bytes follow the program"));
  EXPECT_THAT(ParseDump({}).error().message, HasSubstr("does not begin with TSRDMP01"));
  RunDump other = Sample();
  other.config = isa::LoadConfig("wide").value();
  EXPECT_THAT(ParseDump(SerializeDump(other)).error().message, HasSubstr("tiny"));
}

class DumpFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("tessera_dump_{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(DumpFiles, TheSameFailureHasOneFileAndOthersStay) {
  const Result<std::string> path = WriteDump(folder_.string(), Sample());
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_THAT(*path, ::testing::MatchesRegex(".*/tessera-run-[0-9a-f]{8}\\.dump"));
  EXPECT_TRUE(ParseDump(ReadFile(*path).value()));
  EXPECT_EQ(WriteDump(folder_.string(), Sample()).value(), *path);
  RunDump other = Sample();
  other.budget = 1;
  EXPECT_NE(WriteDump(folder_.string(), other).value(), *path) << "a name of its own";
  ASSERT_TRUE(WriteFile(*path, std::string_view("mine")));
  const std::string second = WriteDump(folder_.string(), Sample()).value();
  EXPECT_NE(second, *path);
  const std::vector<uint8_t> kept = ReadFile(*path).value();
  EXPECT_EQ(std::string(kept.begin(), kept.end()), "mine");
  EXPECT_TRUE(ParseDump(ReadFile(second).value()));
}

TEST_F(DumpFiles, ANameHasNothingOfAHostileVerb) {
  RunDump dump = Sample();
  dump.verb = "../run/x";
  EXPECT_THAT(WriteDump(folder_.string(), dump).value(),
              ::testing::MatchesRegex(folder_.string() + "/tessera-runx-[0-9a-f]{8}\\.dump"));
}

TEST_F(DumpFiles, AFolderThatIsNotThereIsAnError) {
  EXPECT_FALSE(WriteDump((folder_ / "none").string(), Sample()));
}

}  // namespace
}  // namespace tessera::sim::dump_test
