// SPDX-License-Identifier: Apache-2.0
//
// The bodies of mlperf_*_test: the checks of a network on a device.
#ifndef TESSERA_TESTS_MODELS_MLPERF_CASES_H_
#define TESSERA_TESTS_MODELS_MLPERF_CASES_H_

#include <gtest/gtest.h>

#include <string>

#include "tests/models/network_run.h"

namespace tessera::test {

// Runs all 25 inputs; without fusion every operator must be compared, except a reshape, which need
// not be a layer.
inline void ExpectGolden(const std::string& network, const NetworkRun& how) {
  const Result<Golden> golden = ReadGolden(network);
  ASSERT_TRUE(golden) << golden.error().message;
  const Result<Comparison> comparison = CompareNetwork(*golden, how);
  ASSERT_TRUE(comparison) << comparison.error().message;
  for (const std::string& text : comparison->different) ADD_FAILURE() << text;
  EXPECT_EQ(comparison->inputs, std::ssize(golden->runs));
  if (!comparison->different.empty()) return;
  std::string without;
  for (const Golden::Operator& op : golden->operators) {
    if (comparison->compared.contains(op.name)) continue;
    without += " " + op.name;
    EXPECT_TRUE(how.fuse || op.name.starts_with("reshape_")) << op.name << " was not compared";
  }
  fmt::print("{} on {}{}: {} inputs, {} of {} operators compared{}{}", network, how.device,
             how.fuse ? how.observe ? " observed" : "" : " without fusion", comparison->inputs,
             comparison->compared.size(), golden->operators.size(), without.empty() ? "" : ", not",
             without);
  for (uint64_t cycles : comparison->cycles) fmt::print(", {} cycles", cycles);
  fmt::print("\n");
}

// One case a network, skipped with a count where models are missing. The suite of each device is a
// class of its own: one that several files shared would run the tests of all of them.
class MlperfTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string missing = MissingModels();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};

inline std::string NetworkName(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_MODELS_MLPERF_CASES_H_
