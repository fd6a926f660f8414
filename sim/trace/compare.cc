// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/compare.h"

#include <algorithm>

#include "sim/trace/program_text.h"

namespace tessera::sim {
namespace {

std::vector<TraceEntry> OfUnit(std::span<const TraceEntry> trace, isa::Unit unit) {
  std::vector<TraceEntry> result;
  std::copy_if(trace.begin(), trace.end(), std::back_inserter(result),
               [&](const TraceEntry& entry) { return entry.unit == unit; });
  return result;
}

// "instruction 12 (requant ...; conv1)"
std::string InsnName(uint32_t number, const ProgramText& program) {
  if (number >= program.image().insn_count())
    return fmt::format("instruction {} (not in the program)", number);
  const std::string_view source = program.image().SourceOf(number);
  return fmt::format("instruction {} ({}{}{})", number, program.Text(number),
                     source.empty() ? "" : "; ", source);
}

uint32_t Number(const TraceDifference& d) {
  if (!d.a) return d.b->insn;
  return d.b ? std::min(d.a->insn, d.b->insn) : d.a->insn;
}

}  // namespace

std::vector<TraceDifference> CompareTraces(std::span<const TraceEntry> a,
                                           std::span<const TraceEntry> b,
                                           const isa::ProgramImage& image,
                                           const isa::Config& config, std::string_view name_a,
                                           std::string_view name_b) {
  const ProgramText program(image, config);
  std::vector<TraceDifference> differences;
  for (int u = 0; u < isa::kUnits; ++u) {
    TraceDifference d{.unit = static_cast<isa::Unit>(u), .a = {}, .b = {}, .text = {}};
    const std::vector<TraceEntry> of_a = OfUnit(a, d.unit), of_b = OfUnit(b, d.unit);
    const size_t shorter = std::min(of_a.size(), of_b.size());
    size_t i = 0;
    while (i < shorter && of_a[i] == of_b[i]) ++i;
    if (i < of_a.size()) d.a = of_a[i];
    if (i < of_b.size()) d.b = of_b[i];
    if (!d.a && !d.b) continue;
    const std::string_view unit = Text(d.unit);
    if (!d.a || !d.b) {
      d.text = fmt::format("{}: {}: {} retired it, {} did not", unit, InsnName(Number(d), program),
                           d.a ? name_a : name_b, d.a ? name_b : name_a);
    } else if (d.a->insn != d.b->insn) {
      d.text = fmt::format("{}: {} retired {}, {} retired {}", unit, name_a,
                           InsnName(d.a->insn, program), name_b, InsnName(d.b->insn, program));
    } else {
      d.text = fmt::format("{}: {}: {} {:016x}, {} {:016x}", unit, InsnName(d.a->insn, program),
                           name_a, d.a->digest, name_b, d.b->digest);
    }
    differences.push_back(std::move(d));
  }
  std::stable_sort(
      differences.begin(), differences.end(),
      [](const TraceDifference& x, const TraceDifference& y) { return Number(x) < Number(y); });
  return differences;
}

}  // namespace tessera::sim
