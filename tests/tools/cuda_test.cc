// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `--device cuda` on the stand-in for the driver, which runs PTX on the processor:
// compare with the host, an artifact that has only the plan for it, a machine without a driver and
// with one but no GPU. Not here: operators and layers (tests/runtime/gpu, tests/compiler/gpu).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/command.h"

namespace tessera::test {
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
  EXPECT_THAT(other.output, HasSubstr("the artifact has no plan 'cpu'; it has [cuda]"));
}

TEST(Cuda, SaysWhatIsMissing) {
  const std::string run = fmt::format("run {} --device cuda --input {} --first 1", kModel, kImages);
  const CommandResult none = Tessera(run, "TESSERA_CUDA_DRIVER=libnone.so.7 ");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.output,
            "tessera: device cuda: libnone.so.7 is not on this machine; install NVIDIA's driver "
            "(Debian: libcuda1), or choose opencl\n");
  const CommandResult no_gpu = Tessera(run, kStandIn + "TESSERA_STAND_IN_CUDA=devices=0 ");
  EXPECT_EQ(no_gpu.code, 2);
  EXPECT_EQ(no_gpu.output,
            "tessera: device cuda: cuInit gives CUDA_ERROR_NO_DEVICE; no GPU is there that this "
            "driver runs\n");
  const CommandResult old = Tessera(run, kStandIn + "TESSERA_STAND_IN_CUDA=ptx=65 ");
  EXPECT_EQ(old.code, 2);
  EXPECT_THAT(old.output, HasSubstr("does not take kernels of PTX 7.0 for sm_80"));
}

}  // namespace
}  // namespace tessera::test
