// SPDX-License-Identifier: Apache-2.0
//
// MachineStanding: what each unit of a machine holds and waits for, when nothing can go on or the
// budget is spent. Devices and simulators fill it in; diagnosis.h puts it into words. Depends on
// isa/enums.h. Used by: isa/semantics, runtime/device, sim.
#ifndef TESSERA_ISA_SEMANTICS_STANDING_H_
#define TESSERA_ISA_SEMANTICS_STANDING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/enums.h"

namespace tessera::isa {

// One unit, as registers UNIT_STATE and UNIT_INSN show it. Masks are over enum Unit.
struct UnitStanding {
  bool holds = false;    // it has an instruction
  uint32_t missing = 0;  // units whose tokens it waits for
  uint32_t full = 0;     // units to which it cannot push yet
  uint32_t insn = 0;     // its number
};

// What device memory still owes to one of its users.
struct MemoryWait {
  uint32_t unit = 0;     // enum Unit; kUnits: fetch
  bool write = false;    // STORE: memory takes no data, or does not say that they are written
  uint64_t address = 0;  // bus address of the first byte that is owed
  uint64_t bytes = 0;    // how many bytes are owed; 0: unknown
  uint64_t silent = 0;   // cycles since the memory last did anything
};

// The first beat of one of its users that device memory answered with an error; for STORE, the
// first beat that it could not write.
struct MemoryRefusal {
  uint32_t unit = 0;     // enum Unit; kUnits: fetch
  uint64_t address = 0;  // bus address of the beat
};

struct MachineStanding {
  std::array<UnitStanding, kUnits> units;
  bool knows_fetch = true;
  std::optional<uint32_t> fetch;   // the instruction for which no queue has room; none: no such
  std::vector<MemoryWait> memory;  // at the end of a budget, where known
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_STANDING_H_
