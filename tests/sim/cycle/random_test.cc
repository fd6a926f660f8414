// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the cycle model against the RTL on random legal programs of both profiles, both
// memory models, three in four with random stalls: digest and cycle of every retirement, what each
// unit had done by then, the report, memory. Space: programs of the rig, a quick number each time.
// A program on which they differ is made small and kept in tests/corpus/rig.
//   TESSERA_CYCLE_PROGRAMS   programs for each configuration and profile (default 40)
//   TESSERA_CYCLE_SEED       the first seed (default 1)
// Not tested here: networks (network_test), programs that must fail (tests/cts).
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/rng.h"
#include "runtime/device/registry.h"
#include "sim/rig/rig.h"
#include "sim/rig/run_image.h"
#include "sim/rig/shrink.h"
#include "tests/sim/cycle/agreement.h"

namespace tessera::sim {
namespace {

constexpr uint64_t kMemoryBytes = 8 << 20;
constexpr uint64_t kBudget = 5'000'000;

uint64_t FromEnvironment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != 0 ? std::strtoull(text, nullptr, 0) : fallback;
}

isa::Config ConfigNamed(std::string_view name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  ADD_FAILURE() << "no configuration " << name;
  return {};
}

struct Timed {
  isa::Config config;
  uint64_t stall_seed = 0;

  Result<rig::ImageOutcome> Run(const char* driver, const isa::ProgramImage& image) const {
    DeviceOptions options{.memory_bytes = kMemoryBytes};
    if (stall_seed != 0) options.values["stall-seed"] = std::to_string(stall_seed);
    auto device = OpenDevice(driver, config, options);
    if (!device) return std::unexpected(device.error());
    return rig::RunImage(**device, image, /*trace=*/true, kBudget);
  }
  std::string Difference(const isa::ProgramImage& image) const {
    auto want = Run("rtl", image), got = Run("cycle", image);
    if (!want || !got) {
      return fmt::format("rtl: {}; cycle: {}", want ? "ran" : want.error().message,
                         got ? "ran" : got.error().message);
    }
    std::string text = TimeDifference(want->trace, got->trace);
    if (text.empty()) text = ReportDifference(want->report, got->report);
    if (text.empty()) text = rig::Difference(*want, *got, image, config);
    return text;
  }
};

struct Case {
  const char* config;
  isa::Profile profile;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.config << " " << isa::Text(c.profile); }

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return fmt::format("{}_{}", info.param.config, isa::Text(info.param.profile));
}

class RandomTiming : public ::testing::TestWithParam<Case> {};

TEST_P(RandomTiming, IsTheRtls) {
  const uint64_t first = FromEnvironment("TESSERA_CYCLE_SEED", 1);
  const uint64_t count = FromEnvironment("TESSERA_CYCLE_PROGRAMS", 40);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed ^ 0xc7c1e);
    Timed timed{.config = ConfigNamed(GetParam().config)};
    timed.config.dram = rng.OneIn(2) ? isa::DramModel::kZynq : isa::DramModel::kTsim;
    if (!rng.OneIn(4)) timed.stall_seed = rng.Next() | 1;
    const isa::ProgramImage image = rig::MakeProgram({.config = timed.config,
                                                      .profile = GetParam().profile,
                                                      .seed = seed,
                                                      .instructions = seed % 8 == 0 ? 150 : 40});
    const std::string difference = timed.Difference(image);
    if (difference.empty()) continue;
    const isa::ProgramImage small = rig::Shrink(
        image, timed.config,
        [&](const isa::ProgramImage& p) { return !timed.Difference(p).empty(); }, 200);
    const std::string name =
        fmt::format("cycle_{}_{}_{}", timed.config.name, isa::Text(GetParam().profile), seed);
    const std::string why = timed.Difference(small);
    EXPECT_TRUE(rig::KeepProgram("tests/corpus/rig", name, why, small, timed.config));
    ADD_FAILURE() << difference << "\nkept as tests/corpus/rig/" << name << ".tsr.s (memory "
                  << (timed.config.dram == isa::DramModel::kZynq ? "zynq" : "tsim")
                  << ", stall seed " << timed.stall_seed << "): " << why;
    return;  // one program is enough to look at
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cycle, RandomTiming,
    ::testing::Values(Case{"tiny", isa::Profile::kTessera}, Case{"tiny", isa::Profile::kVta},
                      Case{"default", isa::Profile::kTessera}, Case{"default", isa::Profile::kVta},
                      Case{"batch4", isa::Profile::kTessera}, Case{"batch4", isa::Profile::kVta},
                      Case{"wide", isa::Profile::kTessera}),
    CaseName);

}  // namespace
}  // namespace tessera::sim
