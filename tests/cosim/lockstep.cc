// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/lockstep.h"

#include "base/check.h"
#include "base/rng.h"
#include "runtime/device/registry.h"

namespace tessera::cosim {
namespace {

constexpr uint64_t kMemoryBytes = 8 << 20;
constexpr uint64_t kBudget = 5'000'000;

std::unique_ptr<Device> Open(const char* driver, const isa::Config& config, uint64_t stall_seed) {
  DeviceOptions options{.memory_bytes = kMemoryBytes};
  if (stall_seed != 0 && (*FindDriver(Drivers(), driver))->clock)
    options.values["stall-seed"] = std::to_string(stall_seed);
  auto device = OpenDevice(driver, config, options);
  TESSERA_CHECK(device.has_value(), "{}", device.error().message);
  return std::move(*device);
}

}  // namespace

MemoryChoice MemoryFor(uint64_t seed) {
  Rng rng(seed ^ 0x5eed);
  MemoryChoice choice;
  choice.model = rng.OneIn(2) ? isa::DramModel::kZynq : isa::DramModel::kTsim;
  if (!rng.OneIn(4)) choice.stall_seed = rng.Next() | 1;
  return choice;
}

Lockstep::Lockstep(const isa::Config& config) : config_(config), func_(Open("func", config, 0)) {}

std::string Lockstep::Compare(const char* driver, const rig::Outcome& want,
                              const isa::ProgramImage& image, const MemoryChoice& memory,
                              uint64_t* cycles) const {
  isa::Config config = config_;
  config.dram = memory.model;
  const std::unique_ptr<Device> device = Open(driver, config, memory.stall_seed);
  auto got = rig::RunImage(*device, image, /*trace=*/true, kBudget);
  if (!got) return fmt::format("{} does not run it: {}", driver, got.error().message);
  *cycles += got->report.cycles;
  const std::string difference = rig::Difference(want, *got, image, config_);
  if (!difference.empty()) return fmt::format("{}: {}", driver, difference);
  if (got->trace.size() == want.trace.size()) return "";
  return fmt::format("{} entries in the trace of func, {} in {}'s", want.trace.size(),
                     got->trace.size(), driver);
}

Verdict Lockstep::Run(const isa::ProgramImage& image, const MemoryChoice& memory) {
  auto want = rig::RunImage(*func_, image, /*trace=*/true, kBudget);
  if (!want) return {.difference = "func does not run it: " + want.error().message};
  Verdict verdict;
  for (const char* driver : Machines()) {
    verdict.difference = Compare(driver, *want, image, memory, &verdict.cycles);
    if (!verdict.difference.empty()) break;
  }
  return verdict;
}

}  // namespace tessera::cosim
