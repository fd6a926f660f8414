// SPDX-License-Identifier: Apache-2.0
//
// Cases of kernels on this machine's OpenCL device. Tests only.
#ifndef TESSERA_TESTS_COMPILER_GPU_OPENCL_CASES_H_
#define TESSERA_TESTS_COMPILER_GPU_OPENCL_CASES_H_

#include <memory>
#include <vector>

#include "compiler/codegen/opencl/opencl.h"
#include "runtime/gpu/opencl_device.h"
#include "tests/compiler/gpu/gpu_cases.h"

namespace tessera::test {

inline void ExpectExactOnOpenCl(const GpuCases& cases) {
  ExpectExact(
      [](const std::vector<lower::GpuKernel>& kernels) -> Result<std::unique_ptr<KernelDevice>> {
        TESSERA_ASSIGN(std::unique_ptr<KernelDevice> device, OpenOpenClDevice());
        TESSERA_TRY(device->Build(codegen::OpenClSource(kernels)));
        return device;
      },
      cases);
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_OPENCL_CASES_H_
