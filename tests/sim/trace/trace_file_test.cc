// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a trace's file on a disk with room and on one that fills up: pieces stay whole,
// the end is the given one, no partial file stands under the name. Space: limits of the process on
// file sizes, a device that is always full, names that cannot be created. Not tested here: contents
// of the pieces.
#include "sim/trace/trace_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"

namespace tessera::sim::trace_file_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnd = "END\n";
constexpr std::string_view kCut = "CUT\n";

class TraceFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("tessera_trace_file.{}", getpid());
    fs::create_directories(folder_);
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &unlimited_);
  }
  void TearDown() override {
    Limit(unlimited_.rlim_cur);
    fs::remove_all(folder_);
  }
  void Limit(rlim_t bytes) {
    const rlimit limit{bytes, unlimited_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Text(const std::string& name) const {
    const auto bytes = ReadFile(Path(name));
    return bytes ? std::string(bytes->begin(), bytes->end()) : "no file";
  }
  size_t Files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  // Writes |count| numbered pieces of 100 bytes.
  static void Fill(TraceFile& file, int count) {
    for (int i = 0; i < count; ++i) file.Add(fmt::format("{:99}\n", i));
  }

  fs::path folder_;
  rlimit unlimited_{};
};

TEST_F(TraceFileTest, WithRoomItHasAllPiecesAndAppearsWhenFinished) {
  auto file = TraceFile::Create(Path("a"));
  ASSERT_TRUE(file) << file.error().message;
  Fill(**file, 1000);
  EXPECT_FALSE(fs::exists(Path("a")));
  ASSERT_TRUE((*file)->Finish(kEnd, kCut));
  const std::string text = Text("a");
  ASSERT_EQ(text.size(), 100'000 + kEnd.size());
  EXPECT_EQ((*file)->bytes(), text.size());
  EXPECT_TRUE(text.ends_with("999\nEND\n"));
  EXPECT_EQ(Files(), 1u);
}

TEST_F(TraceFileTest, ADiskThatFillsUpLeavesWholePiecesAndTheNote) {
  for (const rlim_t limit : {12'345, 50'000, 99'999, 100'001}) {
    SCOPED_TRACE(limit);
    auto file = TraceFile::Create(Path("a"));
    ASSERT_TRUE(file) << file.error().message;
    Limit(limit);
    Fill(**file, 1000);
    const Status finished = (*file)->Finish(kEnd, kCut);
    Limit(unlimited_.rlim_cur);
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_EQ((*file)->cut(), "File too large");
    const std::string text = Text("a");
    ASSERT_TRUE(text.ends_with(kCut));
    const size_t pieces = (text.size() - kCut.size()) / 100;
    EXPECT_EQ(text.size(), pieces * 100 + kCut.size());
    EXPECT_LE(text.size(), limit);
    EXPECT_GE(text.size() + 20'000, limit);
    EXPECT_EQ(text.substr((pieces - 1) * 100, 100), fmt::format("{:99}\n", pieces - 1));
    EXPECT_EQ(Files(), 1u);
  }
}

TEST_F(TraceFileTest, NoRoomAtAllIsAnErrorAndNoFile) {
  auto file = TraceFile::Create(Path("a"));
  ASSERT_TRUE(file) << file.error().message;
  Limit(10);
  Fill(**file, 1000);
  const Status finished = (*file)->Finish(kEnd, kCut);
  Limit(unlimited_.rlim_cur);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Code::kUnavailable);
  EXPECT_NE(finished.error().message.find("File too large"), std::string::npos);
  file->reset();
  EXPECT_EQ(Files(), 0u);
}

TEST_F(TraceFileTest, ADeviceThatIsFull) {
  auto file = TraceFile::Create("/dev/full");
  ASSERT_TRUE(file) << file.error().message;
  Fill(**file, 1000);
  EXPECT_EQ((*file)->cut(), "No space left on device");
  const Status finished = (*file)->Finish(kEnd, kCut);
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message.find("/dev/full: "), std::string::npos);
  EXPECT_TRUE(fs::exists("/dev/full"));
}

TEST_F(TraceFileTest, NamesThatCannotBeCreated) {
  for (const std::string& path : {Path("no/folder/a"), folder_.string()}) {
    const auto file = TraceFile::Create(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().code, Code::kUnavailable);
    EXPECT_NE(file.error().message.find(path), std::string::npos);
  }
}

TEST_F(TraceFileTest, WhatIsNotFinishedLeavesNothing) {
  {
    auto file = TraceFile::Create(Path("a"));
    ASSERT_TRUE(file);
    Fill(**file, 1000);
  }
  EXPECT_EQ(Files(), 0u);
}

}  // namespace
}  // namespace tessera::sim::trace_file_test
