// SPDX-License-Identifier: Apache-2.0
//
// Kernels to PTX, NVIDIA's assembly, through LLVM. No LLVM header is included here. Depends on:
// compiler/lower/gpu. Used by the compile driver; the text is built by the device's driver when a
// network is opened (runtime/gpu).
//
// A kernel takes one argument a buffer, in the order of GpuKernel::params: the address of its first
// byte, a multiple of 64. Integers are those of the interpreter; floats as well, since nothing is
// contracted and division is correctly rounded, but for the payload of a NaN.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_PTX_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_PTX_H_

#include <span>
#include <string>

#include "base/error.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::codegen {

// The least that has the matrix fragments of compiler/target; later GPUs take its PTX.
inline constexpr const char* kPtxBaseline = "sm_80";

// One text with all |kernels|, whose names are different, for |arch| and later. Deterministic.
//   errors  kUnsupported  an unknown architecture; a tile intrinsic of another target, named
Result<std::string> PtxSource(std::span<const lower::GpuKernel> kernels,
                              const std::string& arch = kPtxBaseline);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_PTX_H_
