// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/layer_cycles.h"

#include <algorithm>

namespace tessera {
namespace {

// Charges |layer| with the time between two moments of the run; null: the run's start.
struct Charge {
  size_t layer;
  const TraceEntry* from;
  const TraceEntry* to;
};

// The layer of |entry|'s instruction; |layers| or more if it has none.
size_t LayerOf(const isa::ProgramImage& program, const TraceEntry& entry, size_t layers) {
  const auto range =
      std::ranges::upper_bound(program.source, entry.insn, {}, &isa::SourceRange::end);
  return range == program.source.end() || entry.insn < range->begin ? layers : range->layer;
}

uint64_t GemmBusy(const TraceEntry* entry) {
  return entry == nullptr ? 0 : entry->units[static_cast<size_t>(isa::Unit::kGemm)].busy;
}

// The pieces of the run from cut to cut; consecutive pieces of one layer become one.
std::vector<Charge> Charges(const isa::ProgramImage& program, std::span<const TraceEntry> trace,
                            size_t layers) {
  std::vector<const TraceEntry*> entries;
  for (const TraceEntry& entry : trace) {
    if (LayerOf(program, entry, layers) < layers) entries.push_back(&entry);
  }
  std::ranges::stable_sort(entries, {}, [](const TraceEntry* e) { return e->cycle; });
  std::vector<Charge> charges;
  const TraceEntry* cut = nullptr;
  for (const TraceEntry* entry : entries) {
    const bool ends = entry->unit == isa::Unit::kGemm ||
                      (entry->unit != isa::Unit::kLoad && GemmBusy(entry) == GemmBusy(cut));
    if (!ends) continue;
    const size_t layer = LayerOf(program, *entry, layers);
    if (charges.empty() || charges.back().layer != layer) charges.push_back({layer, cut, nullptr});
    charges.back().to = cut = entry;
  }
  // The program only loads.
  if (charges.empty() && !entries.empty())
    charges.push_back({LayerOf(program, *entries.back(), layers), nullptr, entries.back()});
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
    cycles[span.layer] += span.end - span.begin;
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
      units[c.layer][u] += Less(final ? report.units[u] : to, from);
    }
  }
  return units;
}

}  // namespace tessera
