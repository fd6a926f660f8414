// SPDX-License-Identifier: Apache-2.0
//
// Measures a GPU of this computer, in the figures of a configuration's key "gpu". Depends on:
// compiler/driver, compiler/tune, isa. Used by: tools/devices.
#ifndef TESSERA_TOOLS_MEASURE_GPU_H_
#define TESSERA_TOOLS_MEASURE_GPU_H_

#include <string>

#include "base/error.h"
#include "isa/gpu.h"

namespace tessera::tools {

// The GPU behind |driver|, "opencl" or "cuda". Of it: bytes between its memory and the host's, the
// call and the answer of a small kernel, bytes that an elementwise kernel reads and writes, and
// operations: so many lanes at 1,000 MHz that the estimate of an int8 product is the time that the
// product takes. Takes some seconds.
//   errors  those of GpuDriver::open, of the compiler and of the driver
Result<isa::Gpu> MeasureGpu(const std::string& driver);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_MEASURE_GPU_H_
