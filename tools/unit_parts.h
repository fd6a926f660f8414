// SPDX-License-Identifier: Apache-2.0
//
// The parts of a unit's cycles, by the names that all verbs use. Depends on: runtime/device.h. Used
// by: compare, trace, regress.
#ifndef TESSERA_TOOLS_UNIT_PARTS_H_
#define TESSERA_TOOLS_UNIT_PARTS_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "isa/insns.h"
#include "runtime/device.h"

namespace tessera::tools {

inline constexpr std::array<const char*, 5> kUnitParts{"busy", "token", "memory", "hazard", "idle"};

// In the order of kUnitParts.
inline std::array<uint64_t, kUnitParts.size()> PartsOf(const UnitCounters& c) {
  return {c.busy, c.token_wait, c.memory_wait, c.hazard, c.idle};
}

// {load: {busy, ...}, gemm: ...}
inline nlohmann::ordered_json UnitsJson(const std::array<UnitCounters, isa::kUnits>& units) {
  nlohmann::ordered_json json;
  for (size_t u = 0; u < units.size(); ++u) {
    nlohmann::ordered_json& unit = json[std::string(isa::Text(static_cast<isa::Unit>(u)))];
    for (size_t p = 0; p < kUnitParts.size(); ++p) unit[kUnitParts[p]] = PartsOf(units[u])[p];
  }
  return json;
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_UNIT_PARTS_H_
