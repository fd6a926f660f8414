// SPDX-License-Identifier: Apache-2.0
//
// Kernels to PTX, NVIDIA's assembly, through LLVM. No LLVM header is included here. Depends on:
// compiler/lower/gpu. Used by the compile driver; the device's driver compiles the text when a
// network is opened (runtime/gpu).
//
// A kernel takes one argument per buffer, in the order of GpuKernel::params: the address of its
// first byte, a multiple of 64. Integers equal the interpreter's; floats do too, except for the
// payload of a NaN, since nothing is contracted and division is correctly rounded.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_PTX_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_PTX_H_

#include <span>
#include <string>

#include "base/error.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::codegen {

// The oldest architecture with the matrix fragments of compiler/target; later GPUs accept its PTX.
inline constexpr const char* kPtxBaseline = "sm_80";

// One text with all |kernels|, which have distinct names, for |arch| and later. Deterministic.
//   errors  kUnsupported  an unknown architecture; a tile intrinsic of another target, named
Result<std::string> PtxSource(std::span<const lower::GpuKernel> kernels,
                              const std::string& arch = kPtxBaseline);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_PTX_H_
