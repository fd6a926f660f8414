// SPDX-License-Identifier: Apache-2.0
//
// What is tested: OpenCL C on the driver of this machine (PoCL in the packages that are set up)
// against te::Evaluate, bit for bit. Space: every operator in every type under the
// generator's schedule, convolutions in blocks. Not here: random schedules (opencl_test), whole
// networks (network_test, tests/tools).
#include <gtest/gtest.h>

#include "compiler/codegen/opencl/opencl.h"
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

TEST(OpenClOps, EveryOperatorInEveryType) { ExpectExactOnOpenCl(test::EveryOperator()); }

TEST(OpenClOps, ConvolutionsInBlocks) { ExpectExactOnOpenCl(test::BlockedConvolutions()); }

}  // namespace
}  // namespace tessera
