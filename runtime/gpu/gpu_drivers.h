// SPDX-License-Identifier: Apache-2.0
//
// The devices that run kernels from source, by name. Opening a device opens its library, so a
// program starts without these libraries. Depends on runtime/kernel_device.h. Used by tools, tests.
#ifndef TESSERA_RUNTIME_GPU_GPU_DRIVERS_H_
#define TESSERA_RUNTIME_GPU_GPU_DRIVERS_H_

#include <memory>
#include <span>
#include <string_view>

#include "runtime/kernel_device.h"

namespace tessera {

inline constexpr const char* kOpenCl = "opencl";
inline constexpr const char* kOpenClIs =
    "kernels through OpenCL C, on the first GPU or else the first device";
inline constexpr const char* kCuda = "cuda";
inline constexpr const char* kCudaIs = "kernels through PTX, on the first NVIDIA GPU";

struct GpuDriver {
  const char* name;  // also the name of the plan that it runs
  const char* what;  // one line for a newcomer
  //   errors  kUnsupported  no library or no device; this build has no such driver
  //           kUnavailable  an error of the driver
  Result<std::unique_ptr<KernelDevice>> (*open)();
};

std::span<const GpuDriver> GpuDrivers();
const GpuDriver* FindGpuDriver(std::string_view name);  // null: no such driver

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_GPU_DRIVERS_H_
