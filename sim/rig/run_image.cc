// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/run_image.h"

#include "sim/rig/first_word.h"
#include "sim/trace/compare.h"

namespace tessera::rig {
namespace {

// The first byte of memory that differs after the run; "" if none does.
std::string MemoryDifference(const ImageOutcome& a, const ImageOutcome& b, std::string_view name_a,
                             std::string_view name_b) {
  for (int s = 0; s < isa::kSegments; ++s) {
    for (size_t i = 0; i < a.segments[s].size(); ++i) {
      if (a.segments[s][i] != b.segments[s][i]) {
        return fmt::format("after the run, segment {} byte {}: {} {}, {} {}", s, i, name_a,
                           a.segments[s][i], name_b, b.segments[s][i]);
      }
    }
  }
  return "";
}

// The text of |d| with values: those of the word that the instruction wrote differently, or else
// those of the first byte of memory that differs.
std::string TextOf(const sim::TraceDifference& d, const ImageOutcome& a, const ImageOutcome& b,
                   const isa::ProgramImage& image, const isa::Config& config,
                   std::string_view name_a, std::string_view name_b) {
  std::string values;
  if (d.a && d.b && d.a->insn == d.b->insn)
    values = WordThatDiffers(a, d.a->insn, d.b->digest, image, config, name_a, name_b);
  if (values.empty()) values = MemoryDifference(a, b, name_a, name_b);
  return values.empty() ? d.text : d.text + "; " + values;
}

}  // namespace

Result<ImageOutcome> RunImage(Device& device, const isa::ProgramImage& image, bool trace,
                              uint64_t budget, RunObserver* observer) {
  ImageOutcome outcome;
  DeviceRanges ranges(device);
  Launch launch{.profile = image.profile,
                .insn_count = static_cast<uint32_t>(image.insn_count()),
                .budget = budget};
  TESSERA_ASSIGN(launch.insn_addr, ranges.Place(image.code.size(), image.code));
  for (int s = 0; s < isa::kSegments; ++s) {
    std::vector<uint8_t> bytes = image.segments[s].data;
    bytes.resize(image.segments[s].size);
    if (bytes.empty()) continue;
    TESSERA_ASSIGN(launch.segments[s].base, ranges.Place(bytes.size(), bytes));
    outcome.bases[s] = launch.segments[s].base;
    launch.segments[s].size = bytes.size();
  }
  TESSERA_TRY(device.Reset());
  RetiredList retired(&outcome.trace);
  TokenLevels tokens;
  ObserverList observers;
  observers.Add(&retired);
  observers.Add(&tokens);
  if (observer != nullptr) observers.Add(observer);
  if (trace) {
    const Status set = device.SetObserver(observers.any());
    if (!set && set.error().code != Code::kUnsupported) return std::unexpected(set.error());
    outcome.traced = set.has_value();
  }
  const Result<RunReport> report = device.Run(launch);
  if (outcome.traced) TESSERA_TRY(device.SetObserver(nullptr));
  if (!report) return std::unexpected(report.error());
  outcome.report = *report;
  outcome.tokens = tokens.most();
  for (int s = 0; s < isa::kSegments; ++s) {
    outcome.segments[s].resize(launch.segments[s].size);
    TESSERA_TRY(device.Read(launch.segments[s].base, outcome.segments[s]));
  }
  return outcome;
}

std::string Difference(const ImageOutcome& a, const ImageOutcome& b, const isa::ProgramImage& image,
                       const isa::Config& config, std::string_view name_a,
                       std::string_view name_b) {
  if (a.traced && b.traced) {
    const std::vector<sim::TraceDifference> differences =
        sim::CompareTraces(a.trace, b.trace, image, config, name_a, name_b);
    if (!differences.empty()) return TextOf(differences[0], a, b, image, config, name_a, name_b);
  }
  if (std::string memory = MemoryDifference(a, b, name_a, name_b); !memory.empty()) return memory;
  if (a.report.leftover_tokens != b.report.leftover_tokens) {
    return fmt::format("after the run, tokens are left over on {}",
                       a.report.leftover_tokens ? name_a : name_b);
  }
  return "";
}

}  // namespace tessera::rig
