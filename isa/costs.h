// SPDX-License-Identifier: Apache-2.0
//
// The constant costs of isa/units.def, from which the cycle model and the compiler compute cycles.
// Depends on isa/config.h, isa/insns.h. Used by jit, compiler (target, schedule/accel, cost),
// isa/gen, tests of hw/rtl.
#ifndef TESSERA_ISA_COSTS_H_
#define TESSERA_ISA_COSTS_H_

#include <cstdint>
#include <string_view>

#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

// One UNIT_COST line.
struct UnitRow {
  Unit unit;
  int start;  // cycles
  std::string_view meaning;
};

// The amount of work that a STEP_COST is for.
enum class StepPer : uint8_t {
  kArrayPass,   // one of the Config::array_passes of a step through GEMM's array
  kVectorPass,  // one of the Config::vector_passes of a step through VECTOR's lanes
  kTaps,  // an array pass of up to Config::depthwise_taps() iterations of the loops within a step
};
struct StepRow {
  std::string_view insn;
  int cycles;
  StepPer per;
  std::string_view meaning;
};

inline constexpr UnitRow kUnitRows[] = {
#define UNIT_COST(unit, cycles, meaning) {Unit::unit, cycles, meaning},
#include "isa/units.def"
};
inline constexpr StepRow kStepRows[] = {
#define STEP_COST(insn, cycles, per, meaning) {#insn, cycles, StepPer::per, meaning},
#include "isa/units.def"
};
#define COST_CONST(name, cycles, meaning) inline constexpr int name = cycles;
#include "isa/units.def"

constexpr int StartCycles(Unit unit) { return kUnitRows[static_cast<int>(unit)].start; }

// Cycles of one step of instruction T, with |taps| iterations of the loops within a step.
template <typename T>
constexpr int64_t StepCycles(const Config& config, int64_t taps = 1) {
  for (const StepRow& row : kStepRows) {
    if (row.insn != T::kName) continue;
    if (row.per == StepPer::kVectorPass) return row.cycles * config.vector_passes;
    const int64_t parts =
        row.per == StepPer::kTaps ? CeilDiv(taps, config.depthwise_taps()) : int64_t{1};
    return row.cycles * parts * config.array_passes;
  }
  return 0;
}

constexpr bool CostsAreSound() {
  int next = 0;
  for (const UnitRow& row : kUnitRows) {
    if (static_cast<int>(row.unit) != next++) return false;
  }
  return next == kUnits;
}
static_assert(CostsAreSound(), "isa/units.def: a unit without a line, or out of order");

}  // namespace tessera::isa

#endif  // TESSERA_ISA_COSTS_H_
