// SPDX-License-Identifier: Apache-2.0
//
// A region's work in units: each from its outermost rotating buffer's allocation to the release, so
// that between two of them nothing of the region is in a ring. What a unit touches that others see,
// which room it takes and how long the machine is busy with it tell where it may be emitted and
// where that is best. Depends on: execute.h, jit, isa. Used by: accel.cc, overlap.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_UNITS_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_UNITS_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/accel/emit.h"
#include "compiler/codegen/accel/execute.h"
#include "compiler/ir/ir.h"
#include "isa/access.h"
#include "isa/config.h"
#include "jit/tokens.h"

namespace tessera::codegen::accel {

// An instruction as the clock of an estimate sees it.
struct TimedStep {
  isa::Unit unit = isa::Unit::kLoad;
  int64_t cycles = 0;
  jit::TokenMasks tokens;  // within the unit of work
};

struct WorkUnit {
  ir::Stmt body;
  Env env = {};  // the loops around it
  // Of a unit that was surveyed:
  std::vector<TimedStep> steps = {};
  std::vector<size_t> products = {};  // steps until behind each product (RunHooks::after_product)
  // Device memory, and scratchpads outside of its own pieces and of folded tensors.
  std::vector<isa::Access> shared = {};
  std::vector<FoldedAccess> folded = {};
  std::vector<PieceStep> pieces = {};  // what it takes of rings and gives back
};

// The iterations of |s|, a nest of copies, in pieces of at most |tiles| where it can be cut so.
void CutCopies(const ir::Stmt& s, int64_t tiles, std::vector<ir::Stmt>* pieces);

// |body| in units, in its order. Loops and allocations of fixed places around them are gone.
std::vector<WorkUnit> CutUnits(const ir::Stmt& body);

// Fills in what is told of |units|, as if they ran now, one after the other; nothing is emitted.
//   errors  ExecuteIn's
Status Survey(std::vector<WorkUnit>& units, const LeafEmitter& emitter, Rings rings,
              const isa::Config& config);

// Takes of |rings| what |steps| take and gives back; |done|: those of them that are done, as they
// went. False when there is no room.
bool Replay(const std::vector<PieceStep>& steps, const std::vector<PieceStep>& done, Rings& rings);

// Whether the order of |a| and |b| matters: one writes what the other reads or writes.
bool Conflict(const std::vector<isa::Access>& a, const std::vector<isa::Access>& b);

// Whether |unit| touches any of |in_use|, rows of folded tensors too.
bool Touches(const WorkUnit& unit, const std::vector<isa::Access>& in_use);

// Which of |a| and |b|, which is behind it in the order of their regions, comes first.
enum class Precedence : uint8_t { kNone, kFirst, kSecond, kBoth };  // kBoth: they cannot be
// What is in device memory or stays is made before it is read; a set of rows of a folded tensor is
// made before it is read, and read before a later set is made where it was.
Precedence PrecedenceOf(const WorkUnit& a, const WorkUnit& b);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_UNITS_H_
