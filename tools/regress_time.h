// SPDX-License-Identifier: Apache-2.0
//
// Where the cycles of an item of `tessera regress` went, and what changed since an earlier run.
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

// The time of runs on one machine with a clock.
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

// The time of one item on one machine.
struct TimedItem {
  std::string name, machine;
  MachineTime time;
};

// What explains the change of cycles from |before| to |now|, the largest first: bytes on the bus,
// and cycles in which units were busy or waited for memory or a bank. Waits for tokens and idle
// cycles follow from others, so they appear only if nothing else changed. "load memory +120, bytes
// read +64"; "" if |before| has no units.
std::string WhyMoved(const MachineTime& now, const MachineTime& before);

// The times in an earlier run's JSON at |path|, or the golden cycles of networks there
// (tests/models/cycles.json), which hold for the RTL and the cycle model and have no units.
//   errors  those of ReadFile; kInvalidArgument  not a JSON file of this verb
Result<std::vector<TimedItem>> ReadTimes(const std::string& path);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_TIME_H_
