// SPDX-License-Identifier: Apache-2.0
//
// Runs the outer loops of a region's IR at compile time: allocations take pieces of scratchpad
// rings, leaf nests become instructions. Depends on: compiler/ir, jit. Used by: accel.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_

#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/accel/emit.h"
#include "compiler/codegen/accel/ring.h"
#include "compiler/ir/ir.h"
#include "isa/config.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

// The scratchpads' rings; they go on from region to region.
struct Rings {
  explicit Rings(const isa::Config& config);
  RingAllocator& Of(ir::Scope scope);
  // From here on boxes in INP are in |tiles| tiles from |base|.
  void UseInp(int64_t base, int64_t tiles);
  // Where the ring of |scope| begins.
  int64_t BaseOf(ir::Scope scope) const { return scope == ir::Scope::kInp ? inp_base : 0; }
  // Tiles that |buffer| takes, at least one.
  int64_t TilesOf(const ir::Buffer& buffer) const;
  RingAllocator inp, wgt, acc, out, prm;
  int64_t inp_base = 0;

 private:
  isa::Config config_;
};

// Emits the instructions of |body|. |emitter| knows where the function's parameters are. A buffer
// that rotates takes the next piece of its ring each time it is allocated; each other has one place
// from begin to end, which those that are never there with it may share.
//   errors  kOutOfRange   a scratchpad is too small for what is allocated at one time
//           and those of Emitter::Emit
//   after_product  called after each leaf that computes on the array or reduces a window, with how
//                  many there have been
Status Execute(const ir::Stmt& body, LeafEmitter& emitter, Rings& rings,
               const std::function<Status(int64_t)>& after_product = {});

// How often Execute would call |after_product|. errors: kUnsupported, Execute's
Result<int64_t> CountProducts(const ir::Stmt& body);

// Whether |body| allocates in |scope|.
bool Allocates(const ir::Stmt& body, ir::Scope scope);

// Buffers that are given room before the statements that use them run; Release gives it back.
class Held {
 public:
  // All of |buffers|, in order, or none of them: whether they were given room. |emitter| learns
  // their places.
  bool Take(const std::vector<ir::Buffer>& buffers, LeafEmitter& emitter, Rings& rings);
  void Release(Rings& rings);

 private:
  std::vector<std::pair<ir::Scope, int64_t>> pieces_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_
