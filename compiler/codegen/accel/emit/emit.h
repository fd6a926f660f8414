// SPDX-License-Identifier: Apache-2.0
//
// LeafEmitter: hands jit/ the instructions of one leaf nest (target/tile_intrin.h), with the
// addresses of its buffers filled in. Depends on: compiler/target, jit. Used by: execute.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EMIT_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EMIT_H_

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

// The place of a folded tensor: its rows share tiles of a scratchpad (ir::FoldedDim).
struct FoldedPlace {
  int64_t plane = 1, pitch = 1;  // tiles: a channel block with all rows; a row
  int64_t rows = 1, step = 1;    // rows that are there; set k begins at row k * step
  int64_t times = 1;             // sets of rows, for each set of planes
  int64_t planes = 1;            // that are there at one time
  int activation = 0;            // the tensor's number
  int64_t tiles = 1;             // tiles that the tensor takes

  // The number of the set of planes that tile |at| of the whole tensor is in.
  int64_t SetOf(int64_t at) const { return at / plane / planes; }
};

// Place of a buffer: tiles of a scratchpad, or bytes of a segment.
struct BufferAddress {
  bool global = false;
  int64_t base = 0;  // first tile, or byte offset
  isa::Segment segment = isa::Segment::kArena;
  std::optional<FoldedPlace> folded = {};
};

// The part of a folded tensor that an instruction touches: rows [first, last) of set |time|.
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

  // |other| with its places, for another builder.
  LeafEmitter(const LeafEmitter& other, jit::ProgramBuilder* builder)
      : config_(other.config_), builder_(*builder), places_(other.places_) {}

  void Place(const ir::Buffer& buffer, BufferAddress placement) {
    places_[buffer.get()] = placement;
  }

  // Appends the accesses to folded tensors from here on to |log|; null: drops them.
  void LogTo(std::vector<FoldedAccess>* log) { log_ = log; }

  // Emits |solved|, which is |leaf| under |env|. A write to a folded tensor goes to every set that
  // has the rows; a read uses one set.
  //   errors  kUnsupported  a leaf that no instruction expresses; rows that no set has together
  //           kOutOfRange   the builder's
  Status Emit(const Leaf& leaf, SolvedLeaf solved, Env& env);

 private:
  const BufferAddress& PlaceOf(const target::LeafOperand& operand) const;
  // Converts bases and strides from elements to tiles or bytes and adds the buffers' places, except
  // for folded buffers.
  Status Locate(SolvedLeaf& solved) const;
  // Emits the part of |solved| that writes to each set of rows.
  Status EmitRows(const Leaf& leaf, const SolvedLeaf& solved, Env& env);
  // Emits |solved|; its first operand, if folded, is in set |time|.
  Status EmitAt(int64_t time, const Leaf& leaf, SolvedLeaf solved, Env& env);
  // Sets operand |op|, which is folded, to its place in set |time|.
  Status Fold(int64_t time, const Leaf& leaf, size_t op, SolvedLeaf& solved);

  isa::Config config_;
  jit::ProgramBuilder& builder_;
  std::unordered_map<const ir::BufferNode*, BufferAddress> places_;
  std::vector<FoldedAccess>* log_ = nullptr;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EMIT_H_
