// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/count.h"

#include <algorithm>

#include "base/bits.h"
#include "sim/cycle/machine.h"
#include "sim/dram/dram.h"

namespace tessera::sim {
namespace {

constexpr uint64_t kAlign = 64;

// Places the program as the executor does when the program is alone on a fresh device: the arena
// lies after the other segments. Bursts end at multiples of 4 KiB, so the time depends a little on
// addresses.
Launch Placed(const isa::ProgramImage& image, uint64_t budget) {
  Launch launch{.profile = image.profile,
                .insn_count = static_cast<uint32_t>(image.insn_count()),
                .budget = budget};
  const auto in_arena = [](size_t s) {
    return std::ranges::count(isa::kArenaSegments, static_cast<isa::Segment>(s)) > 0;
  };
  uint64_t end = RoundUp(image.code.size(), kAlign);
  for (size_t s = 0; s < isa::kSegments; ++s) {
    const uint64_t size = image.segments[s].size;
    if (size == 0 || in_arena(s)) continue;
    launch.segments[s] = {end, size};
    end += RoundUp(size, kAlign);
  }
  for (size_t s = 0; s < isa::kSegments; ++s) {
    if (in_arena(s)) launch.segments[s] = {end, image.segments[s].size};
  }
  return launch;
}

// The part of device memory that a run without data reads: code and micro-ops.
std::vector<uint8_t> MemoryOf(const isa::ProgramImage& image, const Launch& launch) {
  const auto uops = static_cast<size_t>(isa::Segment::kUops);
  std::vector<uint8_t> memory = image.code;
  const SegmentBinding& at = launch.segments[uops];
  memory.resize(std::max<uint64_t>(memory.size(), at.base + at.size));
  std::ranges::copy(image.segments[uops].data,
                    memory.begin() + static_cast<std::ptrdiff_t>(at.base));
  return memory;
}

}  // namespace

Result<RunReport> CountCycles(const isa::ProgramImage& image, const isa::Config& config,
                              uint64_t budget) {
  TESSERA_ASSIGN(const isa::Fetcher fetcher, isa::Fetcher::Make(image.profile, config));
  const Launch launch = Placed(image, budget);
  std::vector<uint8_t> bytes = MemoryOf(image, launch);
  isa::MachineState state(config);
  state.profile = image.profile;
  state.vta = fetcher.vta();
  for (size_t s = 0; s < isa::kSegments; ++s)
    state.segments[s] = {launch.segments[s].base, launch.segments[s].size};
  state.dram = bytes;
  Dram memory(config.dram, static_cast<uint32_t>(config.bus_bytes()));
  memory.Reset();
  cycle::CycleRun run(launch, fetcher, state, memory, nullptr, Effects::kMicroOps);
  bool done = false;
  while (!done && run.next() < budget) done = !run.Step();
  const cycle::RunEnd end = run.End(done);
  if (!done) return Fail(Code::kTimeout, "the program takes more than {} cycles", budget);
  if (end.error != isa::MachineError::kNone) {
    return Fail(isa::CodeOf(end.error),
                "the machine stops at instruction {} of the program; `tessera check` says why",
                end.error_insn);
  }
  RunReport report{.cycles = end.cycles,
                   .instructions = end.instructions,
                   .units = end.units,
                   .leftover_tokens = end.leftover,
                   .bytes_read = end.bytes_read,
                   .bytes_written = end.bytes_written};
  for (UnitCounters& unit : report.units) unit.SetIdle(end.cycles);
  return report;
}

}  // namespace tessera::sim
