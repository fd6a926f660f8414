// SPDX-License-Identifier: Apache-2.0
//
// What is tested: OpenCL C on the driver of this machine (PoCL in the packages that are set up)
// against te::Evaluate, bit for bit. Space: every operator in every type under the
// generator's schedule, convolutions in blocks. Not here: random schedules (opencl_test), whole
// networks (network_test, tests/tools).
#include <gtest/gtest.h>

#include "tests/compiler/gpu/opencl_cases.h"

namespace tessera::opencl_ops_test {
namespace {

TEST(OpenClOps, EveryOperatorInEveryType) { test::ExpectExactOnOpenCl(test::EveryOperator()); }

TEST(OpenClOps, ConvolutionsInBlocks) { test::ExpectExactOnOpenCl(test::BlockedConvolutions()); }

}  // namespace
}  // namespace tessera::opencl_ops_test
