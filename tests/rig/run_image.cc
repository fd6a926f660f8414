// SPDX-License-Identifier: Apache-2.0
#include "run_image.h"

#include "sim/trace/compare.h"

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

}  // namespace

Result<Outcome> RunImage(Device& device, const isa::ProgramImage& image, bool trace,
                         uint64_t budget) {
  Outcome outcome;
  Allocations allocations(device);
  Launch launch{.profile = image.profile,
                .insn_count = static_cast<uint32_t>(image.insn_count()),
                .budget = budget};
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

std::string Difference(const Outcome& a, const Outcome& b, const isa::ProgramImage& image,
                       const isa::Config& config) {
  if (!a.trace.empty() && !b.trace.empty()) {
    const std::vector<sim::TraceDifference> differences =
        sim::CompareTraces(a.trace, b.trace, image, config, "one", "other");
    if (!differences.empty()) return differences[0].text;
  }
  for (int s = 0; s < isa::kSegments; ++s) {
    for (size_t i = 0; i < a.segments[s].size(); ++i) {
      if (a.segments[s][i] != b.segments[s][i]) {
        return fmt::format("segment {} byte {}: {} against {}", s, i, a.segments[s][i],
                           b.segments[s][i]);
      }
    }
  }
  if (a.report.leftover_tokens != b.report.leftover_tokens)
    return "tokens are left over on one of them";
  return "";
}

}  // namespace tessera::rig
