// SPDX-License-Identifier: Apache-2.0
//
// What is tested: OpenCL C on the driver of this machine (PoCL in the packages that are set up)
// against te::Evaluate, bit for bit. Space: random expressions under random schedules
// and under the generator's. Not here: operators of graphs (opencl_ops_test), whole networks
// (network_test, tests/tools).
#include "compiler/codegen/opencl/opencl.h"

#include <gtest/gtest.h>

#include "runtime/gpu/opencl_device.h"
#include "tests/compiler/gpu/gpu_cases.h"

namespace tessera {
namespace {

void ExpectExactOnOpenCl(const test::GpuCases& cases) {
  test::ExpectExact(
      [](const std::vector<lower::GpuKernel>& kernels) -> Result<std::unique_ptr<KernelDevice>> {
        TESSERA_ASSIGN(std::unique_ptr<KernelDevice> device, OpenOpenClDevice());
        TESSERA_TRY(device->Build(codegen::OpenClSource(kernels)));
        return device;
      },
      cases);
}

class OpenClRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(OpenClRandom, MatchesTheDefinition) {
  ExpectExactOnOpenCl(test::RandomCases(GetParam(), 12));
}

INSTANTIATE_TEST_SUITE_P(Seeds, OpenClRandom, ::testing::Range<uint64_t>(0, 2));

}  // namespace
}  // namespace tessera
