// SPDX-License-Identifier: Apache-2.0
//
// Runs the outer loops of a region's IR at compile time: allocations take pieces of scratchpad
// rings, leaf nests become instructions. Depends on: compiler/ir, jit. Used by: accel.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_

#include "base/error.h"
#include "compiler/codegen/accel/emit.h"
#include "compiler/ir/ir.h"
#include "isa/config.h"
#include "jit/program_builder.h"
#include "jit/ring.h"

namespace tessera::codegen::accel {

// The scratchpads' rings; they go on from region to region.
struct Rings {
  explicit Rings(const isa::Config& config);
  jit::RingAllocator& Of(ir::Scope scope);
  // From here on boxes in INP are in |tiles| tiles from |base|.
  void UseInp(int64_t base, int64_t tiles);
  // Where the ring of |scope| begins.
  int64_t BaseOf(ir::Scope scope) const { return scope == ir::Scope::kInp ? inp_base : 0; }
  jit::RingAllocator inp, wgt, acc, out, prm;
  int64_t inp_base = 0;
};

// Emits the instructions of |body|. |places| says where the function's parameters are.
//   errors  kOutOfRange   a scratchpad is too small for what is allocated at one time
//           and those of Emitter::Emit
Status Execute(const ir::Stmt& body, Emitter& emitter, Rings& rings);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_
