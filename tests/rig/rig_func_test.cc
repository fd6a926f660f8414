// SPDX-License-Identifier: Apache-2.0
//
// What is tested, over random programs of both profiles in all named shapes: the checker finds
// nothing in programs that are legal by construction, and their memory and traces are the same
// under different legal interleavings of the functional simulator; every opcode occurs. Also the
// reverse: a program from which one token was taken is reported, or the token was redundant and no
// interleaving differs. Not tested here: other machines (tests/cosim).
#include <gtest/gtest.h>

#include <map>

#include "isa/check/check.h"
#include "sim/rig/program.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::rig {
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

}  // namespace
}  // namespace tessera::rig
