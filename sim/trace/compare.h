// SPDX-License-Identifier: Apache-2.0
//
// Compares two traces of one program: for each unit, the first instruction at which they differ, as
// text. Depends on: runtime/device.h (TraceEntry), isa. Used by: sim/rig, sim/debug, tools.
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
  // The entries of both sides at this place of the unit's order; not set: the side retired no more.
  std::optional<TraceEntry> a, b;
  // "vector: instruction 12 (requant ...; conv1): func 0123456789abcdef, rtl 0023456789abcdef"
  std::string text;
};

// One element for each unit whose entries differ in instruction number or digest. The element with
// the lowest instruction number is first, because later ones are often its consequences. Empty if
// the traces agree. Cycles are not compared.
std::vector<TraceDifference> CompareTraces(std::span<const TraceEntry> a,
                                           std::span<const TraceEntry> b,
                                           const isa::ProgramImage& image,
                                           const isa::Config& config, std::string_view name_a,
                                           std::string_view name_b);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_COMPARE_H_
