// SPDX-License-Identifier: Apache-2.0
//
// For builds without a dynamic loader: programs for boards are static.
#include "runtime/gpu/gpu_drivers.h"

namespace tessera {

std::span<const GpuDriver> GpuDrivers() {
  static constexpr auto kNone = []() -> Result<std::unique_ptr<KernelDevice>> {
    return Fail(Code::kUnsupported,
                "this program is for boards and opens no driver of a GPU; choose another device");
  };
  static const GpuDriver drivers[] = {{kOpenCl, kOpenClIs, kNone}, {kCuda, kCudaIs, kNone}};
  return drivers;
}

}  // namespace tessera
