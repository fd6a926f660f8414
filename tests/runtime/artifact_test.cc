// SPDX-License-Identifier: Apache-2.0
//
// Artifact files: a written artifact is read back; every truncation, every flipped bit and every
// foreign version is refused. Space: one artifact with every part, all its prefixes, all its bits,
// and random damage under a valid checksum. Not here: contradictions between parts
// (artifact_bad_test.cc).
#include "runtime/artifact/artifact.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "tests/runtime/sample.h"

namespace tessera::artifact::artifact_test {
namespace {

void Seal(std::vector<uint8_t>& bytes) {
  const uint64_t crc = Crc64(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &crc, 8);
}

TEST(Artifact, ReadsBackWhatWasWritten) {
  const Artifact a = SampleArtifact();
  const auto again = Parse(Serialize(a));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, a);
}

TEST(Artifact, ReadsBackAnEmptyOne) {
  const auto again = Parse(Serialize(Artifact{}));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, Artifact{});
}

// With files of another version the fuzzer would not get past the version field.
TEST(Artifact, FilesOfTheCorpusAreOfThisVersion) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus/artifact")) {
    if (entry.path().extension() != ".tsr") continue;
    const Result<Artifact> read = ReadArtifact(entry.path());
    EXPECT_TRUE(read) << read.error().message;
    ++files;
  }
  EXPECT_EQ(files, 5);
}

TEST(Artifact, StatesStandBehindInputsAndOutputs) {
  Artifact a = SampleArtifact();
  a.states = {{{"q", DType::kInt8, {1, 4}, Affine{0.5, 3}}, {1, 2, 3, 4}}};
  for (ExecutionPlan& plan : a.plans) {
    plan.inputs.push_back(1);
    plan.outputs.push_back(2);
  }
  const Result<Artifact> again = Parse(Serialize(a));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, a);
}

TEST(Artifact, BeginsWithItsMagicAndEndsWithTheChecksumOfTheRest) {
  const std::vector<uint8_t> bytes = Serialize(SampleArtifact());
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "TSRNET01");
  EXPECT_EQ(bytes[8], 7);
  uint64_t crc = 0;
  std::memcpy(&crc, bytes.data() + bytes.size() - 8, 8);
  EXPECT_EQ(crc, Crc64(std::span(bytes).first(bytes.size() - 8)));
  EXPECT_TRUE(LooksLikeArtifact(bytes));
  EXPECT_FALSE(LooksLikeArtifact(std::span(bytes).first(7)));
  EXPECT_FALSE(LooksLikeArtifact(std::span(bytes).subspan(1)));
}

TEST(Artifact, RefusesEveryTruncation) {
  const std::vector<uint8_t> bytes = Serialize(SampleArtifact());
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(Parse(std::span(bytes).first(n))) << n;
}

TEST(Artifact, RefusesEveryTruncationUnderACorrectChecksum) {
  const std::vector<uint8_t> whole = Serialize(SampleArtifact());
  for (size_t n = 20; n < whole.size(); ++n) {
    std::vector<uint8_t> bytes(whole.begin(), whole.begin() + static_cast<int64_t>(n));
    Seal(bytes);
    EXPECT_FALSE(Parse(bytes)) << n;
  }
}

TEST(Artifact, RefusesEveryFlippedBit) {
  std::vector<uint8_t> bytes = Serialize(SampleArtifact());
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(Parse(bytes)) << bit;
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
}

TEST(Artifact, WhatItAcceptsUnderACorrectChecksumIsConsistent) {
  const std::vector<uint8_t> whole = Serialize(SampleArtifact());
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    std::vector<uint8_t> bytes = whole;
    for (int64_t i = rng.Range(1, 4); i > 0; --i) {
      bytes[static_cast<size_t>(rng.Range(8, static_cast<int64_t>(bytes.size()) - 9))] =
          static_cast<uint8_t>(rng.OneIn(2) ? rng.Next() : 0xff);
    }
    Seal(bytes);
    const auto a = Parse(bytes);
    if (!a) continue;
    EXPECT_EQ(Serialize(*a), bytes);
  }
}

TEST(Artifact, NamesWhatIsWrongWithTheFile) {
  std::vector<uint8_t> bytes = Serialize(SampleArtifact());
  const auto message = [&] { return Parse(bytes).error(); };
  bytes[0] = 'X';
  EXPECT_EQ(message().code, Code::kInvalidArgument);
  EXPECT_NE(message().message.find("does not begin with TSRNET01"), std::string::npos);
  bytes[0] = 'T';
  bytes[8] = 9;
  EXPECT_EQ(message().code, Code::kDataLoss);
  EXPECT_NE(message().message.find("checksum"), std::string::npos);
  Seal(bytes);
  EXPECT_EQ(message().code, Code::kInvalidArgument);
  EXPECT_NE(message().message.find("version 9, this program reads 7"), std::string::npos);
  bytes[8] = 7;
  bytes.insert(bytes.end() - 8, 3, 0);
  Seal(bytes);
  EXPECT_NE(message().message.find("3 bytes follow"), std::string::npos);
}

TEST(Artifact, BelievesNoCountBeforeComparingItWithWhatIsLeft) {
  std::vector<uint8_t> bytes = Serialize(Artifact{});
  // The fields after magic and version: the tool's name, which begins with its 8-byte length.
  bytes[12] = 0xff;
  Seal(bytes);
  EXPECT_NE(Parse(bytes).error().message.find("size 255, but"), std::string::npos)
      << Parse(bytes).error().message;
  bytes[14] = 1;
  Seal(bytes);
  EXPECT_EQ(Parse(bytes).error().code, Code::kOutOfRange);
  EXPECT_NE(Parse(bytes).error().message.find("at most 4096"), std::string::npos);
}

TEST(Artifact, FilesNameThemselvesInErrors) {
  const std::string path = ::testing::TempDir() + "artifact_test.tsr";
  ASSERT_TRUE(WriteArtifact(path, SampleArtifact()));
  const auto read = ReadArtifact(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, SampleArtifact());
  ASSERT_TRUE(WriteFile(path, std::string_view("TSRNET01")));
  const auto bad = ReadArtifact(path);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find(path), 0u) << bad.error().message;
  std::filesystem::remove(path);
  EXPECT_EQ(ReadArtifact(path).error().code, Code::kNotFound);
  EXPECT_EQ(WriteArtifact("/nowhere/x.tsr", SampleArtifact()).error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace tessera::artifact::artifact_test
