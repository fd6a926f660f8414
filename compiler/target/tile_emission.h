// SPDX-License-Identifier: Apache-2.0
//
// How an instruction's file says what it emits: a function from a leaf nest, whose operands have
// their places, to instructions. The two loops with the longest extents become the instruction's,
// the reduction of a product becomes micro-ops, boxes become LOAD and STORE; what is left over
// becomes several instructions. Depends on: leaf.h, isa. Used by: tile_*.cc, codegen/accel.
#ifndef TESSERA_COMPILER_TARGET_TILE_EMISSION_H_
#define TESSERA_COMPILER_TARGET_TILE_EMISSION_H_

#include <span>

#include "compiler/target/leaf.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::target {

// Takes instructions in order.
class InstructionSink {
 public:
  virtual ~InstructionSink() = default;
  virtual void Emit(const isa::Insn& insn) = 0;
  // |uops| are relative to |gemm|'s bases. errors: kOutOfRange a micro-op's field
  virtual Status EmitGemm(const isa::Gemm& gemm, std::span<const isa::Uop> uops) = 0;
};

// One leaf. The places and strides of |solved| are tiles of scratchpads and bytes of memory.
struct TileEmission {
  const isa::Config& config;
  const Leaf& leaf;
  const SolvedLeaf& solved;
  Env& env;  // of the loops around; scratch for the leaf's own
  InstructionSink& sink;
};

//   errors  kUnsupported  a leaf that the instruction does not express
//           kOutOfRange   the sink's
using EmitTiles = Status (*)(const TileEmission& e);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TILE_EMISSION_H_
