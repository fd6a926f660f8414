// SPDX-License-Identifier: Apache-2.0
//
// What is tested: files are written and read whole; no partial file is left after an error;
// diagnostics. Not tested here: a full disk.
#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tessera::file_test {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("tessera_file_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) { return folder_ / name; }
  size_t FilesInFolder() {
    size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++n;
    return n;
  }
  std::filesystem::path folder_;
};

TEST_F(File, ReadsWhatWasWritten) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{200001}}) {
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7);
    ASSERT_TRUE(WriteFile(Path("a"), bytes));
    EXPECT_EQ(ReadFile(Path("a")).value(), bytes);
  }
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(File, ReplacesAndHonoursTheUmask) {
  ASSERT_TRUE(WriteFile(Path("a"), std::string_view("first, longer")));
  const mode_t old = ::umask(027);
  ASSERT_TRUE(WriteFile(Path("a"), std::string_view("second")));
  ::umask(old);
  const auto bytes = ReadFile(Path("a")).value();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "second");
  struct stat info {};
  ASSERT_EQ(::stat(Path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(File, AMissingFolderLeavesNothing) {
  const std::string path = Path("missing/a");
  const auto status = WriteFile(path, std::string_view("text"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnavailable);
  EXPECT_TRUE(status.error().message.starts_with(path + ": cannot create: "))
      << status.error().message;
  EXPECT_EQ(FilesInFolder(), 0u);
}

TEST_F(File, AFailedRenameLeavesTheOldAndNoPart) {
  std::filesystem::create_directories(Path("a/full"));
  const auto status = WriteFile(Path("a"), std::string_view("text"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnavailable);
  EXPECT_NE(status.error().message.find("cannot rename into place"), std::string::npos);
  EXPECT_EQ(FilesInFolder(), 1u);
}

// WriteFile writes to a device without replacing it, and reports a full device.
TEST_F(File, WhatIsNoOrdinaryFileStaysWhatItIs) {
  EXPECT_TRUE(WriteFile("/dev/null", std::string_view("text")));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const Status full = WriteFile("/dev/full", std::string_view("text"));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::kUnavailable);
  EXPECT_EQ(full.error().message, "/dev/full: cannot write: No space left on device");
}

TEST_F(File, WhetherItCanBeWrittenIsToldWithoutATrace) {
  EXPECT_TRUE(CheckWritable(Path("a")));
  EXPECT_EQ(FilesInFolder(), 0u);
  ASSERT_TRUE(WriteFile(Path("a"), std::string_view("kept")));
  EXPECT_TRUE(CheckWritable(Path("a")));
  EXPECT_EQ(FirstBytes(Path("a"), 2), (std::vector<uint8_t>{'k', 'e'}));
  EXPECT_EQ(FirstBytes(Path("a"), 9).size(), 4u);
  EXPECT_EQ(FilesInFolder(), 1u);
  const Status missing = CheckWritable(Path("none/a"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kUnavailable);
  EXPECT_FALSE(CheckWritable(folder_.string())) << "a folder";
  EXPECT_TRUE(FirstBytes(Path("none"), 4).empty());
}

TEST_F(File, ReadingSaysWhatIsWrong) {
  const auto missing = ReadFile(Path("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_TRUE(missing.error().message.starts_with(Path("missing") + ": cannot open: "));
  const auto folder = ReadFile(folder_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Code::kNotFound);
  EXPECT_NE(folder.error().message.find("is not a file"), std::string::npos);
  ASSERT_TRUE(WriteFile(Path("a"), std::string_view("12345")));
  EXPECT_TRUE(ReadFile(Path("a"), 5));
  const auto large = ReadFile(Path("a"), 4);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Code::kOutOfRange);
  EXPECT_NE(large.error().message.find("is larger than the 4 bytes accepted here"),
            std::string::npos);
}

TEST_F(File, LargeFilesAreRefusedBeforeTheyAreRead) {
  std::ofstream(Path("sparse")).close();
  std::filesystem::resize_file(Path("sparse"), uint64_t{1} << 40);
  const auto large = ReadFile(Path("sparse"));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Code::kOutOfRange);
}

}  // namespace
}  // namespace tessera::file_test
