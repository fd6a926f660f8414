// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/gpu_drivers.h"

#include "runtime/gpu/cuda_device.h"
#include "runtime/gpu/opencl_device.h"

namespace tessera {

std::span<const GpuDriver> GpuDrivers() {
  static constexpr GpuDriver kDrivers[] = {{kOpenCl, kOpenClIs, OpenOpenClDevice},
                                           {kCuda, kCudaIs, OpenCudaDevice}};
  return kDrivers;
}

}  // namespace tessera
