// SPDX-License-Identifier: Apache-2.0
//
// compare --explain: the cycles of each layer, by unit and by what the unit did.
#include <algorithm>

#include "tools/compare_report.h"
#include "tools/output.h"
#include "tools/unit_parts.h"

namespace tessera::tools {
namespace {

constexpr int kBar = 40;  // characters
constexpr const char* kUnitNames[] = {"LOAD", "GEMM", "VECTOR", "STORE"};

// One character for each 1/40 of the cycles: # busy, t token, m memory, h hazard, . idle.
std::string Bar(const UnitCounters& c, int64_t cycles) {
  constexpr char kSigns[] = "#tmh.";
  std::string bar;
  uint64_t sum = 0;
  for (size_t k = 0; k < kUnitParts.size() && cycles > 0; ++k) {
    sum += PartsOf(c)[k];
    bar.append(static_cast<size_t>((sum * kBar + static_cast<uint64_t>(cycles) / 2) /
                                   static_cast<uint64_t>(cycles)) -
                   bar.size(),
               kSigns[k]);
  }
  return bar;
}

std::string Block(const std::string& title, int64_t cycles,
                  const std::array<UnitCounters, isa::kUnits>& units) {
  const auto busiest = std::ranges::max_element(units, {}, &UnitCounters::busy);
  std::string text = fmt::format("{}: {} cycles", title, Grouped(cycles));
  if (cycles > 0) {
    text += fmt::format("; busiest {}, {:.0f} %", kUnitNames[busiest - units.begin()],
                        100.0 * static_cast<double>(busiest->busy) / static_cast<double>(cycles));
  }
  text += "\n";
  for (size_t u = 0; u < units.size() && cycles > 0; ++u) {
    text += fmt::format("  {:6} {:{}}", kUnitNames[u], Bar(units[u], cycles), kBar);
    for (const uint64_t part : PartsOf(units[u]))
      text += fmt::format(" {:>9}", Grouped(static_cast<int64_t>(part)));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string ExplainText(const Comparison& c) {
  const ClockedRun& clock = *c.Shown();
  std::string text = fmt::format(
      "\nWhere the cycles went ({}; # busy, t waits for a token of another unit, m waits for "
      "memory, h hazard, . idle):\n",
      clock.device);
  text += fmt::format("  {:6} {:{}}", "", "", kBar);
  for (const char* head : kUnitParts) text += fmt::format(" {:>9}", head);
  text += "\n";
  for (size_t l = 0; l < clock.layer_cycles.size(); ++l) {
    if (clock.layer_cycles[l] > 0)
      text += Block(c.layers[l].name, clock.layer_cycles[l], clock.layer_units[l]);
  }
  return text + Block("all layers", clock.cycles, clock.units);
}

}  // namespace tessera::tools
