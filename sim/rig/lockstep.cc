// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/lockstep.h"

#include "base/check.h"
#include "base/rng.h"
#include "sim/rig/timing.h"
#include "sim/trace/race_watch.h"

namespace tessera::rig {
namespace {

constexpr uint64_t kMemoryBytes = 8 << 20;
// Random instructions take about 60 cycles each, and several hundred if the memory stalls.
constexpr uint64_t kCyclesAnInsn = 5'000;

}  // namespace

MemoryChoice MemoryFor(uint64_t seed) {
  Rng rng(seed ^ 0x5eed);
  MemoryChoice choice;
  choice.model = rng.OneIn(2) ? isa::DramModel::kZynq : isa::DramModel::kTsim;
  if (!rng.OneIn(4)) choice.stall_seed = rng.Next() | 1;
  return choice;
}

std::string Text(const MemoryChoice& memory) {
  const char* model = memory.model == isa::DramModel::kZynq ? "zynq" : "tsim";
  if (memory.stall_seed == 0) return fmt::format("memory {}", model);
  return fmt::format("memory {}, stall seed {}", model, memory.stall_seed);
}

Status PutBefore(const MemoryChoice& memory, DeviceSpec& spec, isa::Config& config) {
  TESSERA_ASSIGN(const Driver* driver, FindDriver(Drivers(), spec.name));
  if (!driver->clock) return {};
  config.dram = memory.model;
  for (const DriverOption& option : driver->options) {
    if (option.name == "stall-seed")
      spec.values.try_emplace("stall-seed", std::to_string(memory.stall_seed));
  }
  return {};
}

uint64_t Lockstep::Budget(const isa::ProgramImage& image) {
  return 200'000 + kCyclesAnInsn * static_cast<uint64_t>(image.insn_count());
}

Result<Lockstep> Lockstep::Open(const isa::Config& config, std::vector<DeviceSpec> machines) {
  TESSERA_CHECK(machines.size() >= 2);
  Lockstep lockstep(config);
  for (DeviceSpec& spec : machines) {
    TESSERA_ASSIGN(const Driver* driver, FindDriver(Drivers(), spec.name));
    lockstep.machines_.push_back({std::move(spec), driver->clock, {}, nullptr});
    TESSERA_TRY(lockstep.Ready(lockstep.machines_.back(), {config.dram, 0}));
  }
  return lockstep;
}

Status Lockstep::Ready(Participant& machine, const MemoryChoice& memory) const {
  if (machine.device && (!machine.clock || machine.memory == memory)) return {};
  isa::Config config = config_;
  DeviceSpec spec = machine.spec;
  TESSERA_TRY(PutBefore(memory, spec, config));
  const DeviceOptions options{.memory_bytes = kMemoryBytes, .values = spec.values};
  // Destroys the old device after this one is open, so that what it has loaded stays loaded.
  TESSERA_ASSIGN(std::unique_ptr<Device> device, OpenDevice(machine.spec.name, config, options));
  machine.device = std::move(device);
  machine.memory = memory;
  return {};
}

Result<Verdict> Lockstep::Run(const isa::ProgramImage& image, const MemoryChoice& memory,
                              bool check_races) {
  const uint64_t budget = Budget(image);
  Verdict verdict;
  std::optional<ImageOutcome> want;
  // The first machine whose trace has cycles. Its outcome may be that of the reference.
  std::optional<ImageOutcome> other;
  const ImageOutcome* timed = nullptr;
  std::string timed_by;
  for (Participant& machine : machines_) {
    TESSERA_TRY(Ready(machine, memory));
    std::optional<sim::RaceWatch> races;
    if (check_races) races.emplace(image, config_);
    Result<ImageOutcome> got =
        RunImage(*machine.device, image, /*trace=*/true, budget, races ? &*races : nullptr);
    if (!got) {
      verdict.machine = machine.spec.name;
      verdict.difference =
          fmt::format("{} does not run it: {}", machine.spec.name, got.error().message);
      machine.device.reset();
      return verdict;
    }
    verdict.reports.push_back(got->report);
    Raise(verdict.tokens, got->tokens);
    if (want) {
      verdict.difference =
          Difference(*want, *got, image, config_, machines_[0].spec.name, machine.spec.name);
    }
    if (const auto lines = races ? races->Lines() : std::vector<std::string>(); !lines.empty())
      verdict.difference = fmt::format("on {}, {}", machine.spec.name, lines[0]);
    const bool times = machine.clock && !got->trace.empty();
    if (verdict.difference.empty() && times && timed != nullptr) {
      std::string text = TimeDifference(timed->trace, got->trace);
      if (text.empty()) text = ReportDifference(timed->report, got->report);
      if (!text.empty())
        verdict.difference =
            fmt::format("{} is not {} in time: {}", machine.spec.name, timed_by, text);
    }
    if (!verdict.difference.empty()) {
      verdict.machine = machine.spec.name;
      return verdict;
    }
    const bool first_timed = times && timed == nullptr;
    std::optional<ImageOutcome>& kept = want ? other : want;
    if (!want || first_timed) kept = std::move(*got);
    if (!first_timed) continue;
    timed = &*kept;
    timed_by = machine.spec.name;
  }
  return verdict;
}

}  // namespace tessera::rig
