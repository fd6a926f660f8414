// SPDX-License-Identifier: Apache-2.0
//
// Comparison of two traces of one program: the first instruction of each unit at which they differ,
// as text. Depends on: runtime/device.h (TraceEntry), isa. Used by: lockstep tests, `tessera
// compare` and `trace`.
#ifndef TESSERA_SIM_TRACE_COMPARE_H_
#define TESSERA_SIM_TRACE_COMPARE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/image.h"
#include "runtime/device.h"

namespace tessera::sim {

struct TraceDifference {
  isa::Unit unit = isa::Unit::kLoad;
  // What each side retired at this place of the unit's order; nothing: it has retired no more.
  std::optional<TraceEntry> a, b;
  // "vector: instruction 12 (requant ...; conv1): func 0123456789abcdef, rtl 0023456789abcdef"
  std::string text;
};

// One element for each unit whose entries differ in number or digest, the one with the lowest
// instruction number first: later ones are often its consequences. Empty if the traces agree.
// Cycles are not compared.
std::vector<TraceDifference> CompareTraces(std::span<const TraceEntry> a,
                                           std::span<const TraceEntry> b,
                                           const isa::ProgramImage& image,
                                           const isa::Config& config, std::string_view name_a,
                                           std::string_view name_b);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_COMPARE_H_
