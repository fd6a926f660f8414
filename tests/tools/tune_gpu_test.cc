// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tessera tune --target opencl and compile --records for it as a user runs them, on
// this machine's OpenCL device: records are used, and the network computes what the host computes;
// records of another target are none for it; a machine without the driver. Space: one network, a
// few trials. Not tested here: single layers (tests/compiler/tune/gpu_test.cc); how fast anything
// is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/command.h"

namespace tessera::test::tune_gpu_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string TuneGpu(const std::string& target, const std::string& records) {
  return std::string("tune ") + kModel + " --target " + target + " --trials 12 -o " + records;
}

TEST(TuneGpu, RecordsAreUsedByCompile) {
  const std::string records = TempPath("gpu.jsonl"), net = TempPath("gpu.tsr");
  const CommandResult tune = Tessera(TuneGpu("opencl", records));
  ASSERT_EQ(tune.code, 0) << tune.output;
  EXPECT_THAT(tune.output, ContainsRegex("\nnetwork: [0-9,]+ ns as the compiler schedules it"));
  EXPECT_THAT(tune.output, HasSubstr("--target opencl --records " + records));
  const std::string compile =
      std::string("compile ") + kModel + " --records " + records + " -o " + net + " --target ";
  const CommandResult made = Tessera(compile + "cpu,opencl");
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_THAT(made.output, ContainsRegex(": records of [1-9][0-9]* of [0-9]+ layers of opencl"));
  EXPECT_THAT(made.output, HasSubstr("  stem_conv/Conv: a record: "));
  EXPECT_THAT(made.output, ::testing::Not(HasSubstr("layers of the host")));
  const CommandResult same =
      Tessera("compare " + net + " --devices cpu,opencl --input " + kImages + " --first 2");
  EXPECT_EQ(same.code, 0) << same.output;
  const CommandResult host = Tessera(compile + "cpu");
  ASSERT_EQ(host.code, 0) << host.output;
  EXPECT_THAT(host.output, HasSubstr(": records of 0 of 11 layers of the host"));
}

TEST(TuneGpu, SaysWhatIsMissingWithoutADriver) {
  const CommandResult r =
      Tessera(TuneGpu("opencl", TempPath("none.jsonl")), "OCL_ICD_VENDORS=/nonexistent/ ");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr("the loader knows 0 platforms and no device"));
  EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  const CommandResult other = Tessera(TuneGpu("fpga", TempPath("none.jsonl")));
  EXPECT_EQ(other.code, 2) << other.output;
  EXPECT_THAT(other.output, HasSubstr("--target fpga: schedules are searched for one of vta (or "
                                      "accel), cpu (or host), opencl and cuda"));
}

}  // namespace
}  // namespace tessera::test::tune_gpu_test
