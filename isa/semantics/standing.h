// SPDX-License-Identifier: Apache-2.0
//
// Where a machine stands: what each unit holds and waits for, when nothing can go on or the budget
// is spent. Whoever runs programs gives it; diagnosis.h makes words of it. Depends on isa/enums.h.
// Used by: isa/semantics, runtime/device, sim/cycle.
#ifndef TESSERA_ISA_SEMANTICS_STANDING_H_
#define TESSERA_ISA_SEMANTICS_STANDING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/enums.h"

namespace tessera::isa {

// One unit; registers UNIT_STATE and UNIT_INSN say the same. Masks are over enum Unit.
struct UnitStanding {
  bool holds = false;    // an instruction
  uint32_t missing = 0;  // units whose tokens it waits for
  uint32_t full = 0;     // units to which it cannot push yet
  uint32_t insn = 0;     // its number
};

// What device memory owes to one of its users.
struct MemoryWait {
  uint32_t unit = 0;     // enum Unit; kUnits: fetch
  bool write = false;    // STORE: it does not take data, or does not say that they are written
  uint64_t address = 0;  // of the first byte that is owed, as the bus has it
  uint64_t bytes = 0;    // that are owed; 0: nobody knows which
  uint64_t silent = 0;   // cycles since the memory last did anything
};

// The first beat of one of its users that device memory answered with an error; of STORE, the first
// that it could not write.
struct MemoryRefusal {
  uint32_t unit = 0;     // enum Unit; kUnits: fetch
  uint64_t address = 0;  // of the beat, as the bus has it
};

struct MachineStanding {
  std::array<UnitStanding, kUnits> units;
  bool knows_fetch = true;
  std::optional<uint32_t> fetch;   // the instruction that it cannot give away; none: no such
  std::vector<MemoryWait> memory;  // at the end of a budget, where somebody knows
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_STANDING_H_
