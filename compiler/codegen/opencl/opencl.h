// SPDX-License-Identifier: Apache-2.0
//
// Kernels to OpenCL C 1.2. Depends on: compiler/lower/gpu. Used by the compile driver; the device's
// driver compiles the source when a network is opened (runtime/gpu).
//
// A kernel takes two arguments per buffer, in the order of GpuKernel::params: a memory object and
// the position of the buffer's first byte in it. Integers equal the interpreter's; floats do too if
// division is correctly rounded, since nothing is contracted.
#ifndef TESSERA_COMPILER_CODEGEN_OPENCL_OPENCL_H_
#define TESSERA_COMPILER_CODEGEN_OPENCL_OPENCL_H_

#include <span>
#include <string>

#include "compiler/lower/gpu/kernels.h"

namespace tessera::codegen {

// One source with all |kernels|, which have distinct names.
std::string OpenClSource(std::span<const lower::GpuKernel> kernels);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_OPENCL_OPENCL_H_
