// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the HLS twin, the RTL and the cycle model against the functional simulator on
// random legal programs, both profiles, the latter two under random memory stalls and both memory
// models: every instruction's digest, final memory, leftover tokens. The cycle model also equals
// the RTL in time: the cycle of every retirement, every counter at that cycle, the report. Space:
// programs of the rig, a quick number each time. A program on which the machines differ is shrunk
// and kept in tests/corpus/rig, and every later test runs it.
//   TESSERA_COSIM_PROGRAMS   programs for each configuration and profile (default 60)
//   TESSERA_COSIM_SEED       the first seed (default 1)
// Not tested here: programs that must fail (tests/cts), what the cycles are (tests/hw).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "base/file.h"
#include "isa/asm/asm.h"
#include "isa/asm/keep_program.h"
#include "sim/rig/lockstep.h"
#include "sim/rig/rig.h"
#include "sim/rig/shrink.h"
#include "tests/cosim/machines.h"

namespace tessera::cosim::random_test {
namespace {

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

using rig::MemoryChoice;

// func and the machines of this test program, on |config|.
rig::Lockstep OpenAll(const isa::Config& config) {
  std::vector<DeviceSpec> machines{{.name = "func", .values = {}}};
  for (const char* machine : Machines()) machines.push_back({.name = machine, .values = {}});
  Result<rig::Lockstep> lockstep = rig::Lockstep::Open(config, machines);
  TESSERA_CHECK(lockstep.has_value(), "{}", lockstep.error().message);
  return std::move(*lockstep);
}

// The difference, or why a machine cannot be opened.
std::string DifferenceOf(rig::Lockstep& lockstep, const isa::ProgramImage& image,
                         const MemoryChoice& memory) {
  const Result<rig::Verdict> verdict = lockstep.Run(image, memory);
  return verdict ? verdict->difference : verdict.error().message;
}

struct Case {
  const char* config;
  isa::Profile profile;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.config << " " << isa::Text(c.profile); }

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return fmt::format("{}_{}", info.param.config, isa::Text(info.param.profile));
}

class RandomPrograms : public ::testing::TestWithParam<Case> {};

TEST_P(RandomPrograms, AgreeOnAllMachines) {
  const isa::Config config = ConfigNamed(GetParam().config);
  const uint64_t first = FromEnvironment("TESSERA_COSIM_SEED", 1);
  const uint64_t count = FromEnvironment("TESSERA_COSIM_PROGRAMS", 60);
  rig::Lockstep lockstep = OpenAll(config);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const isa::ProgramImage image = rig::MakeProgram({.config = config,
                                                      .profile = GetParam().profile,
                                                      .seed = seed,
                                                      .instructions = seed % 8 == 0 ? 150 : 40});
    const MemoryChoice memory = rig::MemoryFor(seed);
    const std::string difference = DifferenceOf(lockstep, image, memory);
    if (difference.empty()) continue;
    const isa::ProgramImage small = rig::Shrink(
        image, config,
        [&](const isa::ProgramImage& p) { return !DifferenceOf(lockstep, p, memory).empty(); },
        600);
    const std::string name =
        fmt::format("cosim_{}_{}_{}", config.name, isa::Text(GetParam().profile), seed);
    const std::string why = DifferenceOf(lockstep, small, memory);
    const Result<std::string> kept = isa::KeepProgram("tests/corpus/rig", name, why, small, config);
    ADD_FAILURE() << difference << "\nkept as " << (kept ? *kept : kept.error().message) << " ("
                  << Text(memory) << "): " << why;
    return;  // one program is enough
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cosim, RandomPrograms,
    ::testing::Values(Case{"tiny", isa::Profile::kTessera}, Case{"tiny", isa::Profile::kVta},
                      Case{"default", isa::Profile::kTessera}, Case{"default", isa::Profile::kVta},
                      Case{"batch4", isa::Profile::kTessera}, Case{"batch4", isa::Profile::kVta},
                      Case{"wide", isa::Profile::kTessera}),
    CaseName);

TEST(KeptPrograms, AgreeOnAllMachines) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus/rig")) {
    const std::string path = entry.path();
    if (!path.ends_with(".tsr.s")) continue;
    SCOPED_TRACE(path);
    auto text = ReadFile(path);
    ASSERT_TRUE(text) << text.error().message;
    auto image = isa::Assemble({reinterpret_cast<const char*>(text->data()), text->size()});
    ASSERT_TRUE(image) << image.error().message;
    rig::Lockstep lockstep = OpenAll(ConfigNamed(image->config_name));
    for (const MemoryChoice& memory :
         {MemoryChoice{}, MemoryChoice{isa::DramModel::kZynq, 0},
          MemoryChoice{isa::DramModel::kTsim, 1}, MemoryChoice{isa::DramModel::kTsim, 2},
          MemoryChoice{isa::DramModel::kZynq, 3}}) {
      EXPECT_EQ(DifferenceOf(lockstep, *image, memory), "");
    }
    ++found;
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace tessera::cosim::random_test
