// SPDX-License-Identifier: Apache-2.0
//
// Emitter: one leaf nest, with its buffers' places, to what its instruction emits (target/
// tile_intrin.h), handed to jit/. Depends on: compiler/target, jit. Used by: execute.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

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

// Rows of a tensor that share a scratchpad's tiles, some at a time (ir::FoldedDim).
struct FoldedPlace {
  int64_t plane = 1, pitch = 1;  // tiles of a block of channels with all rows, of a row
  int64_t rows = 1, step = 1;    // that are there, from multiples of step on
  int64_t times = 1;             // sets of rows
  int activation = 0;            // which tensor it is
  int64_t tiles = 1;             // that it takes
};

// Where a buffer is: tiles of a scratchpad, or bytes of a segment.
struct BufferAddress {
  bool global = false;
  int64_t base = 0;  // first tile, or byte offset
  isa::Segment segment = isa::Segment::kArena;
  std::optional<FoldedPlace> folded = {};
};

// What an instruction touches of a folded tensor: rows [first, last) of set |time|.
struct FoldedAccess {
  int activation = 0;
  int64_t base = 0, tiles = 1;  // the tensor's
  int64_t time = 0, first = 0, last = 0;
  bool write = false;
  bool operator==(const FoldedAccess&) const = default;
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

  // What is emitted from here on of folded tensors goes behind |log|; null: nowhere.
  void LogTo(std::vector<FoldedAccess>* log) { log_ = log; }

  // |solved| is |leaf| under |env|. What it makes of a folded tensor it writes to all sets of rows
  // that have it; what it reads is in one.
  //   errors  kUnsupported  a leaf that no instruction expresses; rows that are not there together
  //           kOutOfRange   the builder's
  Status Emit(const Leaf& leaf, SolvedLeaf solved, Env& env);

 private:
  const BufferAddress& PlaceOf(const target::LeafOperand& operand) const;
  // Bases and strides from elements to tiles or bytes, with the buffers' places added, but for
  // those that are folded.
  Status Locate(SolvedLeaf& solved) const;
  // The part of |solved| that writes to each set of rows.
  Status EmitRows(const Leaf& leaf, const SolvedLeaf& solved, Env& env);
  // |solved|, whose first operand, if folded, is in set |time|.
  Status EmitAt(int64_t time, const Leaf& leaf, SolvedLeaf solved, Env& env);
  // Operand |op|, which is folded, where set |time| is.
  Status Fold(int64_t time, const Leaf& leaf, size_t op, SolvedLeaf& solved);

  isa::Config config_;
  jit::ProgramBuilder& builder_;
  std::unordered_map<const ir::BufferNode*, BufferAddress> places_;
  std::vector<FoldedAccess>* log_ = nullptr;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_H_
