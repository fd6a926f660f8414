// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/layer_cycles.h"

#include <algorithm>

namespace tessera {
namespace {

// Layer |layer| is charged with what is between two moments of the run; null: its start.
struct Charge {
  size_t layer;
  const TraceEntry* from;
  const TraceEntry* to;
};

// The last retirement of each layer, then a pass over the layers in the order in which they end in
// the program.
std::vector<Charge> Charges(const isa::ProgramImage& program, std::span<const TraceEntry> trace,
                            size_t layers) {
  std::vector<const TraceEntry*> last(layers);
  for (const TraceEntry& entry : trace) {
    const auto range =
        std::ranges::upper_bound(program.source, entry.insn, {}, &isa::SourceRange::end);
    if (range == program.source.end() || entry.insn < range->begin || range->layer >= layers)
      continue;
    const TraceEntry*& end = last[range->layer];
    if (end == nullptr || entry.cycle > end->cycle) end = &entry;
  }
  std::vector<uint32_t> order;
  for (auto range = program.source.rbegin(); range != program.source.rend(); ++range) {
    if (range->layer < layers && std::ranges::count(order, range->layer) == 0)
      order.push_back(range->layer);
  }
  std::ranges::reverse(order);
  std::vector<Charge> charges;
  const TraceEntry* now = nullptr;
  for (const uint32_t layer : order) {
    const TraceEntry* end = last[layer];
    const bool later = end != nullptr && (now == nullptr || end->cycle > now->cycle);
    charges.push_back({layer, now, later ? end : now});
    if (later) now = end;
  }
  return charges;
}

uint64_t CycleOf(const TraceEntry* entry) { return entry == nullptr ? 0 : entry->cycle; }

UnitCounters Less(const UnitCounters& a, const UnitCounters& b) {
  return {a.busy - b.busy, a.token_wait - b.token_wait, a.memory_wait - b.memory_wait,
          a.hazard - b.hazard, a.idle - b.idle};
}

}  // namespace

std::vector<LayerSpan> LayerSpans(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers,
                                  uint64_t total) {
  std::vector<LayerSpan> spans;
  for (const Charge& c : Charges(program, trace, layers))
    spans.push_back({c.layer, CycleOf(c.from), CycleOf(c.to)});
  if (!spans.empty()) spans.back().end = std::max(spans.back().end, total);
  return spans;
}

std::vector<uint64_t> LayerCycles(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers,
                                  uint64_t total) {
  std::vector<uint64_t> cycles(layers);
  for (const LayerSpan& span : LayerSpans(program, trace, layers, total))
    cycles[span.layer] = span.end - span.begin;
  return cycles;
}

std::vector<std::array<UnitCounters, isa::kUnits>> LayerUnits(const isa::ProgramImage& program,
                                                              std::span<const TraceEntry> trace,
                                                              size_t layers,
                                                              const RunReport& report) {
  std::vector<std::array<UnitCounters, isa::kUnits>> units(layers);
  const std::vector<Charge> charges = Charges(program, trace, layers);
  for (const Charge& c : charges) {
    const bool final = &c == &charges.back();
    for (size_t u = 0; u < isa::kUnits; ++u) {
      const UnitCounters none, from = c.from ? c.from->units[u] : none,
                               to = c.to ? c.to->units[u] : none;
      units[c.layer][u] = Less(final ? report.units[u] : to, from);
    }
  }
  return units;
}

}  // namespace tessera
