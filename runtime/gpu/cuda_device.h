// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's GPUs through the CUDA driver (libcuda.so.1), which the program opens at run time. The
// kernels are PTX, which the driver assembles. Depends on runtime/kernel_device.h. Used by
// gpu_drivers.cc.
#ifndef TESSERA_RUNTIME_GPU_CUDA_DEVICE_H_
#define TESSERA_RUNTIME_GPU_CUDA_DEVICE_H_

#include <memory>

#include "runtime/kernel_device.h"

namespace tessera {

// The first device, in its primary context.
//   errors  kUnsupported  no library or no device; kUnavailable an error of the driver
Result<std::unique_ptr<KernelDevice>> OpenCudaDevice();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_CUDA_DEVICE_H_
