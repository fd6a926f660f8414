// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `.bit` files. A written file is read back; the bytes for the FPGA manager are
// those of the vendor's own bootgen (an outside derivation; it pads to 32 bytes); every truncation
// and every wrong length is refused in one line; parts are told apart. Space: synthetic streams of
// both families, seeds printed, every prefix of a small file, random mutants. Not tested here: a
// bitstream that configures a machine.
#include "runtime/bitstream/bit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "base/rng.h"
#include "tests/base/one_line.h"

namespace tessera::test::bit_file_test {
namespace {

using ::testing::HasSubstr;

BitFile Sample(uint64_t seed, size_t words = 300) {
  BitFile file;
  file.design = "tessera_wrapper";
  file.user_id = 0x89abcdef;
  file.version = "2022.1";
  file.part = "7z020clg400";
  file.date = "2026/11/22";
  file.time = "12:34:56";
  file.stream = SyntheticStream(0x23727093, words, seed);
  file.idcode = 0x03727093;
  return file;
}

TEST(BitFiles, AreReadAsWritten) {
  const BitFile file = Sample(1);
  const auto again = ParseBit(file.Bytes());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->design, file.design);
  EXPECT_EQ(again->user_id, file.user_id);
  EXPECT_EQ(again->version, file.version);
  EXPECT_EQ(again->part, file.part);
  EXPECT_EQ(again->date, file.date);
  EXPECT_EQ(again->time, file.time);
  EXPECT_EQ(again->stream, file.stream);
  EXPECT_EQ(again->idcode, file.idcode) << "without the revision, 2";
}

// The header of a .bit as published: magic, then "a" with a length of two bytes.
TEST(BitFiles, BeginAsTheFormatSays) {
  const std::vector<uint8_t> bytes = Sample(1).Bytes();
  const std::string start(bytes.begin(), bytes.begin() + 60);
  EXPECT_EQ(start.substr(0, 16), std::string("\0\x09\x0f\xf0\x0f\xf0\x0f\xf0\x0f\xf0\0\0\x01"
                                             "a\0\x31",
                                             16));
  EXPECT_EQ(start.substr(16, 44), "tessera_wrapper;UserID=0X89ABCDEF;Version=20");
}

class Bootgen : public ::testing::TestWithParam<const char*> {};
TEST_P(Bootgen, MakesTheSameBin) {
  ASSERT_EQ(std::system("command -v bootgen > /dev/null"), 0)
      << "bootgen is not there: install xilinx-bootgen (scripts/setup.sh does)";
  const std::string arch = GetParam();
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    BitFile file = Sample(seed, static_cast<size_t>(200 + 97 * seed));
    if (arch == "zynqmp") file.part = "xczu3eg-sbva484-1-e";
    const std::string folder = ::testing::TempDir() + "/bootgen_" + arch;
    ASSERT_EQ(std::system(("rm -rf " + folder + " && mkdir -p " + folder).c_str()), 0);
    ASSERT_TRUE(WriteFile(folder + "/x.bit", file.Bytes()));
    std::ofstream(folder + "/x.bif") << "all:\n{\n  x.bit\n}\n";
    const std::string command = "cd " + folder + " && bootgen -image x.bif -arch " + arch +
                                " -process_bitstream bin -w on > log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto theirs = ReadFile(folder + "/x.bit.bin");
    ASSERT_TRUE(theirs) << theirs.error().message;
    std::vector<uint8_t> ours = file.Bin();
    ASSERT_GE(theirs->size(), ours.size());
    ASSERT_LE(theirs->size(), ours.size() + 31) << "padding to 32 bytes";
    const std::vector<uint8_t> same(theirs->begin(),
                                    theirs->begin() + static_cast<ptrdiff_t>(ours.size()));
    EXPECT_EQ(same, ours);
  }
}
INSTANTIATE_TEST_SUITE_P(Families, Bootgen, ::testing::Values("zynq", "zynqmp"));

TEST(BitFiles, EveryPrefixIsRefused) {
  const std::vector<uint8_t> bytes = Sample(2, 20).Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto file = ParseBit(std::span(bytes).first(size));
    ASSERT_FALSE(file) << size << " of " << bytes.size() << " bytes";
    ASSERT_TRUE(IsOneLine(file.error().message));
  }
  const auto cut = ParseBit(std::span(bytes).first(bytes.size() - 8));
  EXPECT_THAT(cut.error().message, HasSubstr("bytes, 168 are left: the file is cut off"));
  EXPECT_EQ(cut.error().code, Code::kDataLoss);
}

TEST(BitFiles, WrongOnesAreNamed) {
  const auto says = [](std::vector<uint8_t> bytes) {
    const auto file = ParseBit(bytes);
    return file ? std::string("it was read") : file.error().message;
  };
  const std::vector<uint8_t> good = Sample(3, 20).Bytes();
  std::vector<uint8_t> bytes = good;
  bytes.push_back(0);
  EXPECT_THAT(says(bytes), HasSubstr("1 bytes follow the stream"));
  bytes = good;
  bytes[0] = 0x7f;
  EXPECT_THAT(says(bytes), HasSubstr("it is no .bit file"));
  bytes = good;
  bytes[13] = 'b';
  EXPECT_THAT(says(bytes), HasSubstr("byte 13 is 0x62, field a should begin there"));
  bytes = good;
  bytes[14] = 0xff;
  EXPECT_THAT(says(bytes), HasSubstr("field a has 65329 bytes"));
  BitFile file = Sample(3, 20);
  file.stream.pop_back();
  EXPECT_THAT(says(file.Bytes()), HasSubstr("it must be whole words of 4"));
  file.stream = std::vector<uint8_t>(400, 0xff);
  EXPECT_THAT(says(file.Bytes()), HasSubstr("no sync word aa995566 in its first 400 bytes"));
}

TEST(BitFiles, MutantsAreReadOrRefusedInOneLine) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    std::vector<uint8_t> bytes = Sample(seed, 10).Bytes();
    if (rng.OneIn(6)) bytes.resize(static_cast<size_t>(rng.Range(0, std::ssize(bytes))));
    for (int64_t n = rng.Range(1, 6); n > 0 && !bytes.empty(); --n)
      bytes[static_cast<size_t>(rng.Range(0, std::min<int64_t>(150, std::ssize(bytes)) - 1))] =
          static_cast<uint8_t>(rng.Range(0, 255));
    const auto file = ParseBit(bytes);
    if (!file) {
      ASSERT_TRUE(IsOneLine(file.error().message)) << "seed " << seed;
    } else {
      ASSERT_EQ(file->Bin().size(), file->stream.size()) << "seed " << seed;
    }
  }
}

TEST(BitFiles, PartsAreToldApart) {
  EXPECT_TRUE(SamePart("7z020clg400", "xc7z020clg400-1"));
  EXPECT_TRUE(SamePart("xc7z020clg400-1", "xc7z020clg400-1"));
  EXPECT_TRUE(SamePart("xczu3eg-sbva484-1-i", "xczu3eg-sbva484-1-e")) << "the grade may differ";
  EXPECT_FALSE(SamePart("7z020clg484", "xc7z020clg400-1"));
  EXPECT_FALSE(SamePart("7z010clg400", "xc7z020clg400-1"));
  EXPECT_FALSE(SamePart("7z020clg4001", "xc7z020clg400-1"));
  EXPECT_FALSE(SamePart("xczu3eg-sfvc784-1-e", "xczu3eg-sbva484-1-e"));
  EXPECT_FALSE(SamePart("", "xc7z020clg400-1"));
}

}  // namespace
}  // namespace tessera::test::bit_file_test
