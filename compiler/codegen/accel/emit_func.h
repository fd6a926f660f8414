// SPDX-License-Identifier: Apache-2.0
//
// A function of tile intrinsics alone, as a schedule makes it, to a program image. Depends on:
// execute.h. Used by: tests; whoever writes schedules for the accelerator.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_FUNC_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_FUNC_H_

#include <span>

#include "base/error.h"
#include "compiler/codegen/accel/emit.h"
#include "isa/image.h"

namespace tessera::codegen::accel {

// |func| without layouts (lower::ResolveLayouts): what it allocates is in scratchpads, every
// statement a tile intrinsic in loops. |places|: one a parameter, in device memory; the segments
// that they name are as large as the last byte.
//   errors  kUnsupported  a statement that no instruction expresses, named
//           kOutOfRange   a scratchpad or a field is too small
Result<isa::ProgramImage> EmitFunc(const ir::Func& func, std::span<const BufferAddress> places,
                                   const isa::Config& config);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_FUNC_H_
