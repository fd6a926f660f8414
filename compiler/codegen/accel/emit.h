// SPDX-License-Identifier: Apache-2.0
//
// Emitter: one leaf nest, with its buffers' places, to what its instruction emits (target/
// tile_intrin.h), handed to jit/. Depends on: compiler/target, jit. Used by: execute.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_

#include <cstdint>
#include <unordered_map>

#include "base/error.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/leaf.h"
#include "isa/config.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

using target::Env;
using target::Evaluate;
using target::Leaf;
using target::MatchLeaf;
using target::MemoryOf;
using target::SolvedLeaf;
using target::TileElements;

// Where a buffer is: tiles of a scratchpad, or bytes of a segment.
struct BufferAddress {
  bool global = false;
  int64_t base = 0;  // first tile, or byte offset
  isa::Segment segment = isa::Segment::kArena;
};

class LeafEmitter {
 public:
  LeafEmitter(const isa::Config& config, jit::ProgramBuilder* builder)
      : config_(config), builder_(*builder) {}

  // |other| with its places, to another builder.
  LeafEmitter(const LeafEmitter& other, jit::ProgramBuilder* builder)
      : config_(other.config_), builder_(*builder), places_(other.places_) {}

  void Place(const ir::Buffer& buffer, BufferAddress placement) {
    places_[buffer.get()] = placement;
  }

  // |solved| is |leaf| under |env|.
  //   errors  kUnsupported  a leaf that no instruction expresses
  //           kOutOfRange   the builder's
  Status Emit(const Leaf& leaf, SolvedLeaf solved, Env& env);

 private:
  // Bases and strides from elements to tiles or bytes, with the buffers' places added.
  Status Locate(SolvedLeaf& solved) const;

  isa::Config config_;
  jit::ProgramBuilder& builder_;
  std::unordered_map<const ir::BufferNode*, BufferAddress> places_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_
