// SPDX-License-Identifier: Apache-2.0
//
// OpenCL devices. The program opens the loader (libOpenCL.so.1) at run time, and starts without it.
// Depends on runtime/kernel_device.h. Used by gpu_drivers.cc.
#ifndef TESSERA_RUNTIME_GPU_OPENCL_DEVICE_H_
#define TESSERA_RUNTIME_GPU_OPENCL_DEVICE_H_

#include <memory>

#include "runtime/kernel_device.h"

namespace tessera {

// The first GPU of all platforms, else the first device of any kind.
//   errors  kUnsupported  no loader, no platform or no device; this build has no such driver
//           kUnavailable  an error of the driver
Result<std::unique_ptr<KernelDevice>> OpenOpenClDevice();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_OPENCL_DEVICE_H_
