// SPDX-License-Identifier: Apache-2.0
//
// The interface by which an instruction's file emits code: a function from a leaf nest with placed
// operands to instructions. The two longest loops become loops of the instruction, the reduction of
// a product becomes micro-ops, boxes become LOAD and STORE; remaining loops become several
// instructions. Depends on: leaf.h, isa. Used by: tile_*.cc, codegen/accel.
#ifndef TESSERA_COMPILER_TARGET_TILE_EMISSION_H_
#define TESSERA_COMPILER_TARGET_TILE_EMISSION_H_

#include <span>

#include "compiler/target/leaf.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::target {

// Receives instructions in order.
class InstructionSink {
 public:
  virtual ~InstructionSink() = default;
  virtual void Emit(const isa::Insn& insn) = 0;
  // |uops| are relative to |gemm|'s bases. errors: kOutOfRange a micro-op's field
  virtual Status EmitGemm(const isa::Gemm& gemm, std::span<const isa::Uop> uops) = 0;
};

// One leaf. Places and strides in |solved| are in tiles of scratchpads and bytes of memory.
struct TileEmission {
  const isa::Config& config;
  const Leaf& leaf;
  const SolvedLeaf& solved;
  Env& env;  // values of outer loops; scratch for the leaf's own
  InstructionSink& sink;
};

//   errors  kUnsupported  the instruction cannot express the leaf
//           kOutOfRange   from the sink
using EmitTiles = Status (*)(const TileEmission& e);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TILE_EMISSION_H_
