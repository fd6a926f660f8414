// SPDX-License-Identifier: Apache-2.0
//
// Emitter: one leaf nest to tile instructions, handed to jit/. The two loops with the longest
// extents become the instruction's, the reduction of a product becomes micro-ops, boxes become LOAD
// and STORE; what is left over becomes several instructions. Depends on: leaf.h, jit. Used by:
// execute.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_

#include <cstdint>
#include <unordered_map>

#include "base/error.h"
#include "compiler/codegen/accel/leaf.h"
#include "isa/config.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

// Where a buffer is: tiles of a scratchpad, or bytes of a segment.
struct BufferAddress {
  bool global = false;
  int64_t base = 0;  // first tile, or byte offset
  isa::Segment segment = isa::Segment::kArena;
};

// The memory that |scope|, a scratchpad, is; the elements of |buffer| that one tile of it holds.
isa::Memory MemoryOf(ir::Scope scope);
int64_t TileElements(const isa::Config& config, const ir::Buffer& buffer);

class LeafEmitter {
 public:
  LeafEmitter(const isa::Config& config, jit::ProgramBuilder* builder)
      : config_(config), builder_(*builder) {}

  void Place(const ir::Buffer& buffer, BufferAddress placement) {
    places_[buffer.get()] = placement;
  }

  //   errors  kUnsupported  Solve's; a leaf that no instruction expresses
  //           kOutOfRange   the builder's
  Status Emit(const Leaf& leaf, Env& env);

 private:
  // Bases and strides from elements to tiles or bytes, with the buffers' places added.
  Status Locate(SolvedLeaf& solved) const;
  Status EmitLoad(const Leaf& leaf, const SolvedLeaf& solved, Env& env);
  Status EmitFill(const SolvedLeaf& solved);
  Status EmitStore(const SolvedLeaf& solved);
  Status EmitGemm(const Leaf& leaf, const SolvedLeaf& solved, Env& env);
  Status EmitWindow(const SolvedLeaf& solved);
  Status EmitRequant(const SolvedLeaf& solved, bool per_channel);
  Status EmitAdd(const SolvedLeaf& solved);
  Status EmitAlu(const Leaf& leaf, const SolvedLeaf& solved, Env& env);
  Status EmitAluImm(const SolvedLeaf& solved);

  isa::Config config_;
  jit::ProgramBuilder& builder_;
  std::unordered_map<const ir::BufferNode*, BufferAddress> places_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_
