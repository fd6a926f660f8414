// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the networks in tests/corpus/networks, which failed once or stand for a class,
// agree on host, functional simulator and their definition. Space: every file, on configurations
// default and tiny, layers joined and alone. Not tested here: the RTL (rtl_test).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/networks/agree.h"

namespace tessera::networks::corpus_test {
namespace {

TEST(KeptNetworks, Agree) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus/networks")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  ASSERT_FALSE(files.empty());
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto bytes = ReadFile(file);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Result<Recipe> recipe = Parse(std::string(bytes->begin(), bytes->end()), file);
    ASSERT_TRUE(recipe) << recipe.error().message;
    for (const bool fuse : {true, false}) {
      for (const char* config : {"default", "tiny"}) {
        SCOPED_TRACE(testing::Message() << config << ", fuse " << fuse);
        const Outcome outcome =
            RunIsolated(*recipe, {config, {"cpu", "func"}, fuse, {true, false}});
        EXPECT_EQ(outcome.broken, "");
        EXPECT_EQ(outcome.difference, "");
        EXPECT_EQ(outcome.refused, "");
      }
    }
  }
}

TEST(Isolation, ACrashIsADifference) {
  // An unknown configuration is reported; a network that crashes ends only its own process.
  const Result<Recipe> recipe =
      Parse("network seed 1\nt0 = input\nt1 = conv t0\noutput t1\n", "text");
  ASSERT_TRUE(recipe);
  EXPECT_NE(RunIsolated(*recipe, {.config = "nothing"}).broken, "");
  Recipe wrong = *recipe;
  wrong.steps[1].from = {1 << 20};  // the reader never makes this
  EXPECT_NE(RunIsolated(wrong, {}).difference.find("ended by signal"), std::string::npos);
}

}  // namespace
}  // namespace tessera::networks::corpus_test
