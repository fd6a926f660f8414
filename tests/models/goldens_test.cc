// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the golden files by themselves, with and without the models: the interpreter that
// models/mlperf_tiny/requirements.txt names made them, they have 20 random and 5 structured inputs,
// the inputs made here are those that the interpreter was given, and bytes and checksums agree.
// Space: all files. Also the messages about missing models and bad files. Not tested here: whether
// a device computes these results (mlperf_*_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/hash.h"
#include "tests/models/golden.h"
#include "tests/models/packed_json.h"

namespace tessera::test::goldens_test {
namespace {

using testing::HasSubstr;

class GoldensTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldensTest, AreComplete) {
  const Result<Golden> golden = ReadGolden(GetParam());
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(golden->network, GetParam());
  EXPECT_EQ(golden->interpreter_version, "2.14.0");
  EXPECT_EQ(golden->kernels, "BUILTIN_REF");
  EXPECT_EQ(golden->rounding, "double");
  std::set<std::string> inputs, last_results;
  size_t random = 0;
  for (const Golden::Run& run : golden->runs) {
    SCOPED_TRACE(run.input);
    EXPECT_TRUE(inputs.insert(run.input).second);
    random += run.input.starts_with("random ");
    const auto input = MakeInput(*golden, run.input);
    ASSERT_TRUE(input);
    EXPECT_EQ(Crc64(*input), run.input_crc);
    ASSERT_EQ(run.crc.size(), golden->operators.size());
    ASSERT_EQ(run.bytes.size(), golden->operators.size() - golden->first_with_bytes);
    for (size_t op = 0; op < golden->operators.size(); ++op) {
      int64_t count = 1;
      for (int64_t extent : golden->operators[op].shape) count *= extent;
      const std::vector<uint8_t>* bytes = golden->BytesOf(run, op);
      if (bytes == nullptr) continue;
      EXPECT_EQ(std::ssize(*bytes), count) << golden->operators[op].name;
      EXPECT_EQ(Crc64(*bytes), run.crc[op]) << golden->operators[op].name;
    }
    last_results.insert({run.bytes[0].begin(), run.bytes[0].end()});
  }
  EXPECT_EQ(random, 20u);
  EXPECT_EQ(inputs.size(), 25u);
  // A network with one answer for all inputs would test nothing.
  EXPECT_GE(last_results.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(All, GoldensTest, testing::ValuesIn(kNetworks),
                         [](const auto& param) { return param.param; });

TEST(Goldens, UnknownInputsAreNotMade) {
  const Golden golden{.input_shape = {1, 4}};
  EXPECT_FALSE(MakeInput(golden, "random"));
  EXPECT_FALSE(MakeInput(golden, "random 7x"));
  EXPECT_FALSE(MakeInput(golden, "noise"));
  EXPECT_EQ(MakeInput(golden, "checkerboard"), (std::vector<uint8_t>{0x80, 0x7f, 0x80, 0x7f}));
}

TEST(Goldens, BadFilesAreNamed) {
  const Result<Golden> missing = ReadGolden("no_such_network");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no_such_network.json.gz: cannot be opened"));
  const std::string path = testing::TempDir() + "models_goldens_test.json";
  std::ofstream(path) << "{";
  const Result<nlohmann::json> not_json = ReadPackedJson(path);
  ASSERT_FALSE(not_json);
  EXPECT_EQ(not_json.error().message, path + ": not JSON");
  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08 but no more of gzip than that";
  const Result<nlohmann::json> not_gzip = ReadPackedJson(path);
  ASSERT_FALSE(not_gzip);
  EXPECT_EQ(not_gzip.error().message, path + ": not gzip data, or cut short");
  EXPECT_EQ(FromHex("00ff7A"), std::nullopt);
  EXPECT_EQ(FromHex("0"), std::nullopt);
  EXPECT_EQ(FromHex("00ff"), (std::vector<uint8_t>{0, 255}));
}

TEST(Goldens, MissingModelsAreCounted) {
  const char* before = std::getenv("TESSERA_MODELS");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TESSERA_MODELS", testing::TempDir().c_str(), 1);
  EXPECT_EQ(MissingModels(), "4 models not found (see models/mlperf_tiny/README.md)");
  ::setenv("TESSERA_MODELS", kept.c_str(), 1);
}

}  // namespace
}  // namespace tessera::test::goldens_test
