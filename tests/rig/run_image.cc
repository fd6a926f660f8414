// SPDX-License-Identifier: Apache-2.0
#include "run_image.h"

namespace tessera::rig {
namespace {

// Frees what was allocated, also after an error.
class Allocations {
 public:
  explicit Allocations(Device& device) : device_(device) {}
  ~Allocations() {
    for (uint64_t address : addresses_) static_cast<void>(device_.Free(address));
  }
  Result<uint64_t> Place(const std::vector<uint8_t>& bytes) {
    TESSERA_ASSIGN(const uint64_t address, device_.Allocate(bytes.size()));
    addresses_.push_back(address);
    TESSERA_TRY(device_.Write(address, bytes));
    return address;
  }

 private:
  Device& device_;
  std::vector<uint64_t> addresses_;
};

std::vector<TraceEntry> OfUnit(const std::vector<TraceEntry>& trace, int unit) {
  std::vector<TraceEntry> result;
  for (const TraceEntry& entry : trace) {
    if (static_cast<int>(entry.unit) == unit) result.push_back(entry);
  }
  return result;
}

}  // namespace

Result<Outcome> RunImage(Device& device, const isa::ProgramImage& image, bool trace, uint64_t budget) {
  Outcome outcome;
  Allocations allocations(device);
  Launch launch{.profile = image.profile, .insn_count = static_cast<uint32_t>(image.insn_count()), .budget = budget};
  TESSERA_ASSIGN(launch.insn_addr, allocations.Place(image.code));
  for (int s = 0; s < isa::kSegments; ++s) {
    std::vector<uint8_t> bytes = image.segments[s].data;
    bytes.resize(image.segments[s].size);
    if (bytes.empty()) continue;
    TESSERA_ASSIGN(launch.segments[s].base, allocations.Place(bytes));
    launch.segments[s].size = bytes.size();
  }
  TESSERA_TRY(device.Reset());
  if (trace) TESSERA_TRY(device.SetTrace(&outcome.trace));
  const Result<RunReport> report = device.Run(launch);
  if (trace) TESSERA_TRY(device.SetTrace(nullptr));
  if (!report) return std::unexpected(report.error());
  outcome.report = *report;
  for (int s = 0; s < isa::kSegments; ++s) {
    outcome.segments[s].resize(launch.segments[s].size);
    TESSERA_TRY(device.Read(launch.segments[s].base, outcome.segments[s]));
  }
  return outcome;
}

std::string Difference(const Outcome& a, const Outcome& b) {
  if (!a.trace.empty() && !b.trace.empty()) {
    for (int unit = 0; unit < isa::kUnits; ++unit) {
      const std::vector<TraceEntry> ta = OfUnit(a.trace, unit), tb = OfUnit(b.trace, unit);
      for (size_t i = 0; i < std::max(ta.size(), tb.size()); ++i) {
        if (i >= ta.size() || i >= tb.size()) {
          return fmt::format("{} retired {} instructions against {}", isa::Text(static_cast<isa::Unit>(unit)), ta.size(), tb.size());
        }
        if (ta[i] == tb[i]) continue;
        return fmt::format("{}: instruction {} with digest {:016x} against instruction {} with digest {:016x}",
                           isa::Text(static_cast<isa::Unit>(unit)), ta[i].insn, ta[i].digest, tb[i].insn, tb[i].digest);
      }
    }
  }
  for (int s = 0; s < isa::kSegments; ++s) {
    for (size_t i = 0; i < a.segments[s].size(); ++i) {
      if (a.segments[s][i] != b.segments[s][i]) {
        return fmt::format("segment {} byte {}: {} against {}", s, i, a.segments[s][i], b.segments[s][i]);
      }
    }
  }
  if (a.report.leftover_tokens != b.report.leftover_tokens) return "tokens are left over on one of them";
  return "";
}

}  // namespace tessera::rig
