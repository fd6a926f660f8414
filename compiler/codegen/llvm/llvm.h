// SPDX-License-Identifier: Apache-2.0
//
// Loop IR to host code through LLVM. No LLVM header is included here. Depends on: compiler/ir. Used
// by the compile driver; the objects are loaded by runtime/host.
//
// Every function becomes `void NAME(void** buffers)`: the addresses of its parameters in order,
// then, if it needs any, the address of its scratch memory. Parameters must not overlap. The code
// calls only memcpy, memmove, memset and, for parallel loops, tessera_parallel
// (runtime/host/threads.h).
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_LLVM_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_LLVM_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"

namespace tessera::codegen {

// Bytes of scratch memory, aligned to 64, that |func|'s code expects behind its parameters; 0:
// none. Allocations up to kMaxStackBytes are on the stack instead.
int64_t ScratchBytes(const ir::Func& func);
int64_t ScratchBytes(const ir::Stmt& s);  // of |s| alone
inline constexpr int64_t kMaxStackBytes = 4096;

// LLVM's effort. kLeast skips its optimisation passes: compilation takes a fraction of the time,
// and the code is slower but computes the same. For tests of many small networks.
enum class HostEffort : uint8_t { kFull, kLeast };

// An ELF relocatable object, position independent, with |funcs| compiled for |level| (names:
// runtime/host/ cpu_level.h, from "x86-64-v2" on). Deterministic.
//   errors  kUnsupported  an unknown level; a tile intrinsic (an accelerator's, named)
Result<std::vector<uint8_t>> CompileObject(std::span<const ir::Func> funcs,
                                           const std::string& level,
                                           HostEffort effort = HostEffort::kFull);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_LLVM_H_
