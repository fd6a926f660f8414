// SPDX-License-Identifier: Apache-2.0
//
// Emits a function of tile intrinsics, as a schedule makes it, as a program image. Depends on:
// emit.h, isa. Used by: tests; authors of schedules for the accelerator.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EMIT_FUNC_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EMIT_FUNC_H_

#include <span>

#include "base/error.h"
#include "compiler/codegen/accel/emit/emit.h"
#include "isa/image.h"

namespace tessera::codegen::accel {

// Emits |func|, which has no layouts (lower::ResolveLayouts), allocates in scratchpads alone, and
// has only tile intrinsics in loops. |places| has one place in device memory for each parameter;
// each segment ends at its last byte in use.
//   errors  kUnsupported  a statement that no instruction expresses, named
//           kOutOfRange   a scratchpad or a field is too small
Result<isa::ProgramImage> EmitFunc(const ir::Func& func, std::span<const BufferAddress> places,
                                   const isa::Config& config);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EMIT_FUNC_H_
