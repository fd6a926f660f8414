// SPDX-License-Identifier: Apache-2.0
//
// A region's work in units. A unit goes from the allocation of its outermost rotating buffer to the
// release; between two units, the region has nothing in a ring. The shared data that a unit
// touches, the room it takes and the time it keeps the machine busy decide where it may be emitted
// and where that is best. Depends on: codegen/accel/emit, jit, isa. Used by: codegen/accel,
// overlap.h.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_ORDER_UNITS_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_ORDER_UNITS_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/accel/emit/emit.h"
#include "compiler/codegen/accel/emit/execute.h"
#include "compiler/ir/ir.h"
#include "isa/access.h"
#include "isa/config.h"
#include "jit/tokens.h"

namespace tessera::codegen::accel {

// An instruction as a WorkClock sees it.
struct TimedStep {
  isa::Unit unit = isa::Unit::kLoad;
  int64_t cycles = 0;
  jit::TokenMasks tokens;  // within the unit of work
};

struct WorkUnit {
  ir::Stmt body;
  Env env = {};  // the loops around it
  // Of a surveyed unit:
  std::vector<TimedStep> steps = {};
  std::vector<size_t> products = {};  // steps up to each product (RunHooks::after_product)
  // Accesses to device memory, and to scratchpads outside of its own pieces and of folded tensors.
  std::vector<isa::Access> shared = {};
  std::vector<FoldedAccess> folded = {};
  std::vector<PieceStep> pieces = {};  // what it takes from rings and gives back
};

// Cuts the iterations of |s|, a nest of copies, into pieces of at most |tiles| where possible.
void CutCopies(const ir::Stmt& s, int64_t tiles, std::vector<ir::Stmt>* pieces);

// Cuts |body| into units, in order; loops and allocations of fixed places around them are gone.
std::vector<WorkUnit> CutUnits(const ir::Stmt& body);

// Surveys |units| as if they ran now, one after the other, without emitting them.
//   errors  ExecuteIn's
Status Survey(std::vector<WorkUnit>& units, const LeafEmitter& emitter, Rings rings,
              const isa::Config& config);

// Takes from |rings| and gives back what |steps| say; |done| has the steps that are done, with
// their places. False if there is no room.
bool Replay(const std::vector<PieceStep>& steps, const std::vector<PieceStep>& done, Rings& rings);

// Whether the order of |a| and |b| matters: one of them writes what the other reads or writes.
bool Conflict(const std::vector<isa::Access>& a, const std::vector<isa::Access>& b);

// Whether |unit| touches |in_use|, also through folded tensors.
bool Touches(const WorkUnit& unit, const std::vector<isa::Access>& in_use);

// Which of units |a| and |b| must come first; the region of |b| is behind that of |a|.
enum class Precedence : uint8_t { kNone, kFirst, kSecond, kBoth };  // kBoth: impossible
// A tensor in device memory or resident in INP is made before it is read. A set of rows of a folded
// tensor is made before it is read, and read before a later set replaces it.
Precedence PrecedenceOf(const WorkUnit& a, const WorkUnit& b);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_ORDER_UNITS_H_
