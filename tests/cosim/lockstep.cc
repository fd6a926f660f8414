// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/lockstep.h"

#include "base/check.h"
#include "base/rng.h"
#include "runtime/device/registry.h"
#include "tests/rig/run_image.h"

namespace tessera::cosim {
namespace {

constexpr uint64_t kMemoryBytes = 8 << 20;
constexpr uint64_t kBudget = 5'000'000;

std::unique_ptr<Device> Open(const char* driver, const isa::Config& config, uint64_t stall_seed) {
  DeviceOptions options{.memory_bytes = kMemoryBytes};
  if (stall_seed != 0) options.values["stall-seed"] = std::to_string(stall_seed);
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

Verdict Lockstep::Run(const isa::ProgramImage& image, const MemoryChoice& memory) {
  auto want = rig::RunImage(*func_, image, /*trace=*/true, kBudget);
  if (!want) return {.difference = "func does not run it: " + want.error().message};
  isa::Config config = config_;
  config.dram = memory.model;
  const std::unique_ptr<Device> rtl = Open("rtl", config, memory.stall_seed);
  auto got = rig::RunImage(*rtl, image, /*trace=*/true, kBudget);
  if (!got) return {.difference = "rtl does not run it: " + got.error().message};
  if (got->trace.size() != want->trace.size()) {
    const std::string difference = rig::Difference(*want, *got, image, config_);
    return {.difference = difference.empty()
                              ? fmt::format("{} entries in the trace of func, {} in rtl's",
                                            want->trace.size(), got->trace.size())
                              : difference};
  }
  return {.difference = rig::Difference(*want, *got, image, config_), .cycles = got->report.cycles};
}

}  // namespace tessera::cosim
