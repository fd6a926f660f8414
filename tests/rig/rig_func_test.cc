// SPDX-License-Identifier: Apache-2.0
//
// What is tested, over random programs of both profiles in all named shapes: the checker finds
// nothing in programs that are legal by construction, and their memory and traces are the same
// under different legal interleavings of the functional simulator; every opcode occurs. Also the
// reverse: the checker reports a program that lost one token, or the token was redundant and all
// interleavings agree. Crowded programs are legal too; with counters of one place less some of them
// deadlock, so they fill the counters as far as a program may. Not tested here: other machines
// (tests/cosim).
#include <gtest/gtest.h>

#include <map>

#include "isa/check/check.h"
#include "sim/rig/program.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::rig::rig_func_test {
namespace {

struct Case {
  std::string config;
  isa::Profile profile;
  int programs;
};

class Rig : public ::testing::TestWithParam<Case> {};

TEST_P(Rig, ProgramsAreLegalAndInterleavingsAgree) {
  const isa::Config config = Named(GetParam().config);
  const std::unique_ptr<Device> first = Func(config, 0);
  std::vector<std::unique_ptr<Device>> others;
  for (uint64_t seed = 1; seed <= 2; ++seed) others.push_back(Func(config, seed));
  std::map<std::string, int> seen;
  for (int n = 1; n <= GetParam().programs; ++n) {
    const RigOptions options{config, GetParam().profile, static_cast<uint64_t>(n), 5 + n % 40};
    SCOPED_TRACE(::testing::Message() << config.name << " seed " << n);
    const isa::ProgramImage image = MakeProgram(options);
    const isa::CheckReport check = CheckProgram(image, config);
    ASSERT_EQ(check.ToString(), "");
    const Result<ImageOutcome> want = RunImage(*first, image, true);
    ASSERT_TRUE(want) << want.error().message;
    EXPECT_FALSE(want->report.leftover_tokens);
    for (const std::unique_ptr<Device>& other : others) {
      const Result<ImageOutcome> got = RunImage(*other, image, true);
      ASSERT_TRUE(got) << got.error().message;
      ASSERT_EQ(Difference(*want, *got, image, config), "");
    }
    for (const isa::Fetched& fetched : FetchAll(image, config)) {
      const std::string text = Describe(fetched.insn);
      ++seen[text.substr(0, text.find(' '))];
    }
  }
  const std::vector<std::string> opcodes =
      GetParam().profile == isa::Profile::kVta
          ? std::vector<std::string>{"load", "store", "gemm", "alu", "finish"}
          : std::vector<std::string>{"load", "store", "gemm", "depthwise", "requant",
                                     "add",  "alu",   "sync", "finish"};
  for (const std::string& opcode : opcodes)
    EXPECT_GE(seen[opcode], GetParam().programs / 4) << opcode;
}

constexpr isa::Profile kTessera = isa::Profile::kTessera, kVta = isa::Profile::kVta;
INSTANTIATE_TEST_SUITE_P(Configs, Rig,
                         ::testing::Values(Case{"tiny", kTessera, 5000},
                                           Case{"default", kTessera, 2000},
                                           Case{"batch4", kTessera, 1000},
                                           Case{"wide", kTessera, 500}, Case{"tiny", kVta, 2500},
                                           Case{"default", kVta, 1000}, Case{"batch4", kVta, 500}),
                         [](const auto& param) {
                           return param.param.config + "_" + std::string(Text(param.param.profile));
                         });

struct CrowdedCase {
  const char* config;
  isa::Profile profile;
  int programs;
};

TEST(Crowded, AsFarAsAProgramMayGo) {
  for (const CrowdedCase& c :
       {CrowdedCase{"tiny", kTessera, 200}, CrowdedCase{"default", kTessera, 50},
        CrowdedCase{"tiny", kVta, 20}}) {
    const isa::Config config = Named(c.config);
    isa::Config less = config;
    --less.token_depth;
    int at_most = 0;
    for (uint64_t seed = 1; seed <= static_cast<uint64_t>(c.programs); ++seed) {
      SCOPED_TRACE(::testing::Message() << c.config << " " << Text(c.profile) << " seed " << seed);
      isa::ProgramImage image = MakeProgram({config, c.profile, seed, 30, /*crowded=*/true});
      ASSERT_EQ(CheckProgram(image, config).ToString(), "");
      const Result<ImageOutcome> want = RunImage(*Func(config, 0), image, true);
      ASSERT_TRUE(want) << want.error().message;
      EXPECT_FALSE(want->report.leftover_tokens);
      EXPECT_GT(image.insn_count(), 2 * config.TokenDepth(c.profile));
      const Result<ImageOutcome> got = RunImage(*Func(config, seed), image, true);
      ASSERT_TRUE(got) << got.error().message;
      ASSERT_EQ(Difference(*want, *got, image, config), "");
      if (c.profile == kVta) continue;  // no configuration has its depth
      image.config_hash = less.Hash();
      const isa::CheckReport check = CheckProgram(image, less);
      if (!check.ok()) {
        EXPECT_EQ(check.diagnostics[0].finding, isa::Finding::kDeadlock);
      }
      at_most += !check.ok();
    }
    if (c.profile == kVta) continue;
    EXPECT_GE(at_most, c.programs / 50) << "of " << c.programs;
    EXPECT_LT(at_most, c.programs / 2);
  }
}

}  // namespace
}  // namespace tessera::rig::rig_func_test
