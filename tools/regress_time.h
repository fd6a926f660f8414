// SPDX-License-Identifier: Apache-2.0
//
// Where the cycles of a piece of `tessera regress` went, and what of it moved since an earlier run.
// Depends on: runtime/device.h. Used by: regress.
#ifndef TESSERA_TOOLS_REGRESS_TIME_H_
#define TESSERA_TOOLS_REGRESS_TIME_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/device.h"

namespace tessera::tools {

// Of runs on one machine with a clock.
struct MachineTime {
  uint64_t cycles = 0;
  uint64_t bytes_read = 0, bytes_written = 0;  // on the bus
  // By unit: busy, token, memory, hazard, idle.
  std::array<std::array<uint64_t, 5>, isa::kUnits> units{};

  void Add(const RunReport& report);
  MachineTime& operator+=(const MachineTime& other);
  bool operator==(const MachineTime&) const = default;
};
void to_json(nlohmann::ordered_json& json, const MachineTime& time);
void from_json(const nlohmann::ordered_json& json, MachineTime& time);

// What one piece took on one machine.
struct TimedItem {
  std::string name, machine;
  MachineTime time;
};

// What accounts for |now|'s other cycles than |before|'s, most first: bytes on the bus and cycles
// of units that were busy, waited for memory or for a bank; waits for tokens and idle cycles, which
// follow from others, only where there is nothing else: "load memory +120, bytes read +64". ""
// where |before| has no units.
std::string WhyMoved(const MachineTime& now, const MachineTime& before);

// The times in an earlier run's JSON at |path|, or the golden cycles of networks there
// (tests/models/cycles.json), which are those of the RTL and of the cycle model and have no units.
//   errors  ReadFile's; kInvalidArgument  it is no JSON of this verb
Result<std::vector<TimedItem>> ReadTimes(const std::string& path);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_TIME_H_
