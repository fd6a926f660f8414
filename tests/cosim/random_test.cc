// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the HLS twin and the RTL against the functional simulator on random legal
// programs, both profiles, the RTL under random memory stalls and both memory models: every
// instruction's digest, final memory, leftover tokens. Space: programs of the rig, a quick number
// each time. A program on which they differ is made small and kept in tests/corpus/rig, where it is
// run by every later test.
//   TESSERA_COSIM_PROGRAMS   programs for each configuration and profile (default 60)
//   TESSERA_COSIM_SEED       the first seed (default 1)
// Not tested here: programs that must fail (tests/cts), cycles (tests/hw).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "tests/cosim/lockstep.h"
#include "tests/rig/rig.h"
#include "tests/rig/shrink.h"

namespace tessera::cosim {
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
  Lockstep lockstep(config);
  uint64_t cycles = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const isa::ProgramImage image = rig::MakeProgram({.config = config,
                                                      .profile = GetParam().profile,
                                                      .seed = seed,
                                                      .instructions = seed % 8 == 0 ? 150 : 40});
    const MemoryChoice memory = MemoryFor(seed);
    const Verdict verdict = lockstep.Run(image, memory);
    cycles += verdict.cycles;
    if (verdict.difference.empty()) continue;
    const isa::ProgramImage small = rig::Shrink(
        image, config,
        [&](const isa::ProgramImage& p) { return !lockstep.Run(p, memory).difference.empty(); },
        600);
    const std::string name =
        fmt::format("cosim_{}_{}_{}", config.name, isa::Text(GetParam().profile), seed);
    const std::string why = lockstep.Run(small, memory).difference;
    EXPECT_TRUE(rig::KeepProgram(".", name, why, small, config));
    ADD_FAILURE() << verdict.difference << "\nkept as tests/corpus/rig/" << name
                  << ".tsr.s (memory " << (memory.model == isa::DramModel::kZynq ? "zynq" : "tsim")
                  << ", stall seed " << memory.stall_seed << "): " << why;
    return;  // one program is enough to look at
  }
  RecordProperty("cycles", std::to_string(cycles));
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
    Lockstep lockstep(ConfigNamed(image->config_name));
    for (const MemoryChoice& memory :
         {MemoryChoice{}, MemoryChoice{isa::DramModel::kZynq, 0},
          MemoryChoice{isa::DramModel::kTsim, 1}, MemoryChoice{isa::DramModel::kTsim, 2},
          MemoryChoice{isa::DramModel::kZynq, 3}}) {
      EXPECT_EQ(lockstep.Run(*image, memory).difference, "");
    }
    ++found;
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace tessera::cosim
