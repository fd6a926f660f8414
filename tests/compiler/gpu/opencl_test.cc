// SPDX-License-Identifier: Apache-2.0
//
// What is tested: OpenCL C on the driver of this machine (PoCL in the packages that are set up)
// against te::Evaluate, bit for bit. Space: every function of floats; random expressions under
// random schedules and under the generator's. Not here: operators of graphs (opencl_ops_test),
// whole networks (network_test, tests/tools).

#include <gtest/gtest.h>

#include "tests/compiler/gpu/opencl_cases.h"

namespace tessera::opencl_test {
namespace {

class OpenClRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(OpenClRandom, MatchesTheDefinition) {
  test::ExpectExactOnOpenCl(test::RandomCases(GetParam(), 12));
}

TEST(OpenCl, EveryFunctionMatchesTheDefinition) {
  test::ExpectExactOnOpenCl(test::EveryFunction());
}

INSTANTIATE_TEST_SUITE_P(Seeds, OpenClRandom, ::testing::Range<uint64_t>(0, 2));

}  // namespace
}  // namespace tessera::opencl_test
