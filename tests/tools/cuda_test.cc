// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `--device cuda` on the stand-in for the driver, which runs PTX on the processor:
// compare with the host; an artifact that has only the plan for it; a machine without a driver, and
// one with a driver and no GPU; the schedules of GPUs that --dump schedule prints and --schedule
// reads back. Not here: operators and layers (tests/runtime/gpu, tests/compiler/gpu).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/tools/command.h"

namespace tessera::test::cuda_test {
namespace {

using ::testing::HasSubstr;

const std::string kStandIn = "TESSERA_CUDA_DRIVER=" TESSERA_STAND_IN " ";

TEST(Cuda, AgreesWithTheHost) {
  const CommandResult r = Tessera(
      fmt::format("compare {} --devices cpu,cuda --input {} --first 1", kModel, kImages), kStandIn);
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("cuda: kernels through PTX, on the first NVIDIA GPU"));
  EXPECT_THAT(r.output, HasSubstr("are equal on cpu, cuda"));
}

TEST(Cuda, RunsAnArtifactWithItsPlanAlone) {
  const std::string net = TempPath("cuda.tsr");
  const CommandResult made = Tessera(fmt::format("compile {} --target cuda -o {}", kModel, net));
  ASSERT_EQ(made.code, 0) << made.output;
  const CommandResult r =
      Tessera(fmt::format("run {} --device cuda --input {} --first 1", net, kImages), kStandIn);
  EXPECT_EQ(r.code, 0) << r.output;
  const CommandResult other = Tessera(fmt::format("run {} --device cpu --input {}", net, kImages));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output,
              HasSubstr("device cpu: the artifact was compiled for --target cuda alone; "
                        "compile the model with --target cuda,cpu"));
}

TEST(Cuda, SaysWhatIsMissing) {
  const std::string run = fmt::format("run {} --device cuda --input {} --first 1", kModel, kImages);
  const CommandResult none = Tessera(run, "TESSERA_CUDA_DRIVER=libnone.so.7 ");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.output,
            "tessera: device cuda: libnone.so.7: cannot open shared object file: No such file or "
            "directory; install NVIDIA's driver (Debian: libcuda1), or choose opencl\n");
  const CommandResult no_gpu = Tessera(run, kStandIn + "TESSERA_STAND_IN_CUDA=devices=0 ");
  EXPECT_EQ(no_gpu.code, 2);
  EXPECT_EQ(no_gpu.output,
            "tessera: device cuda: cuInit gives CUDA_ERROR_NO_DEVICE; no GPU is there that this "
            "driver runs\n");
  const CommandResult old = Tessera(run, kStandIn + "TESSERA_STAND_IN_CUDA=ptx=65 ");
  EXPECT_EQ(old.code, 2);
  EXPECT_THAT(old.output, HasSubstr("does not take kernels of PTX 7.0 for sm_80"));
}

CommandResult CompileFor(const std::string& target, const std::string& more) {
  return Tessera(fmt::format("compile {} --target {} {}", kModel, target, more));
}

class GpuSchedules : public ::testing::TestWithParam<const char*> {};

TEST_P(GpuSchedules, WhatIsPrintedGivesTheSameArtifact) {
  const std::string plain = TempPath("plain.tsr"), again = TempPath("again.tsr");
  const CommandResult made =
      CompileFor(GetParam(), fmt::format("-o {} --dump schedule --json -", plain));
  ASSERT_EQ(made.code, 0) << made.output;
  const std::string dump = made.output.substr(0, made.output.find("\n{\n") + 1);
  EXPECT_THAT(dump, HasSubstr(fmt::format("{} stem_conv/Conv:\n", GetParam())));
  const CommandResult back =
      CompileFor(GetParam(), fmt::format("-o {} --schedule {}", again, Write("dump.txt", dump)));
  ASSERT_EQ(back.code, 0) << back.output;
  EXPECT_TRUE(Read(plain) == Read(again));
  const CommandResult told = Tessera(fmt::format("info {} --schedules", plain));
  ASSERT_EQ(told.code, 0) << told.output;
  const CommandResult third = CompileFor(
      GetParam(), fmt::format("-o {} --schedule {}", again, Write("told.txt", told.output)));
  ASSERT_EQ(third.code, 0) << third.output;
  EXPECT_TRUE(Read(plain) == Read(again));
}

TEST_P(GpuSchedules, OfAnotherTargetOrWithLayoutsBetweenLayers) {
  const std::string net = TempPath("bad.tsr"),
                    heading = fmt::format("{} stem_conv/Conv:\n", GetParam());
  const CommandResult other =
      CompileFor("cpu", fmt::format("-o {} --schedule {}", net, Write("other.txt", heading)));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr(fmt::format("layer stem_conv/Conv has no code for device {}, "
                                                  "so it takes no schedule for it",
                                                  GetParam())));
  const CommandResult laid =
      CompileFor(GetParam(), fmt::format("-o {} --schedule {}", net,
                                         Write("laid.txt", heading + "layout stem_q 0,2,3,1\n")));
  EXPECT_EQ(laid.code, 2);
  EXPECT_THAT(laid.output, HasSubstr("laid.txt:2: step 1 (layout stem_q 0,2,3,1): its schedule "
                                     "gives stem_q a layout, but "
                                     "between layers tensors are row-major"));
  EXPECT_FALSE(std::ifstream(net).good()) << "an artifact is left";
}

INSTANTIATE_TEST_SUITE_P(Targets, GpuSchedules, ::testing::Values("opencl", "cuda"),
                         [](const auto& named) { return std::string(named.param); });

// Other tiles by fragments give a layer another kernel and the same integers.
TEST(Cuda, AnEditedScheduleGivesTheSameIntegers) {
  const std::string net = TempPath("plain.tsr"), edited = TempPath("edited.tsr");
  const CommandResult made =
      CompileFor("cpu,cuda", fmt::format("-o {} --dump schedule --json -", net));
  ASSERT_EQ(made.code, 0) << made.output;
  std::string dump = made.output.substr(0, made.output.find("\n{\n") + 1);
  const size_t layer = dump.find("cuda stage3_conv1_conv/Conv:\n");
  const std::string chunk = "decide chunk {32 64} 64", warps = "decide c.warps {1 2} 2";
  for (const std::string& decision : {chunk, warps}) {
    const size_t at = dump.find(decision, layer);
    ASSERT_NE(at, std::string::npos) << decision;
    dump.replace(at, decision.size(),
                 decision.substr(0, decision.rfind(' ')) + (decision == chunk ? " 32" : " 1"));
  }
  const CommandResult r =
      CompileFor("cpu,cuda", fmt::format("-o {} --schedule {}", edited, Write("edited.txt", dump)));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_FALSE(Read(net) == Read(edited));
  const CommandResult same = Tessera(
      fmt::format("compare {} --devices cpu,cuda --input {} --first 1", edited, kImages), kStandIn);
  EXPECT_EQ(same.code, 0) << same.output;
  EXPECT_THAT(same.output, HasSubstr("are equal on cpu, cuda"));
}

}  // namespace
}  // namespace tessera::test::cuda_test
