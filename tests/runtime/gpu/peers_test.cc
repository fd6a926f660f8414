// SPDX-License-Identifier: Apache-2.0
//
// What is tested: bench/peers' gpu_peers: its command line, what it says without a driver, without
// a GPU and without a peer, and that our kernels of its small cases, in every type, equal their
// definition on the stand-in for the driver. Not here: cuBLAS, cuDNN and times, which need a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct PeersRun {
  int code = -1;
  std::string output;  // standard output and error together
};

PeersRun Peers(const std::string& environment, const std::string& arguments) {
  PeersRun run;
  FILE* pipe = popen((environment + " " TESSERA_GPU_PEERS " " + arguments + " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char text[4096];
  while (pipe != nullptr && std::fgets(text, sizeof text, pipe) != nullptr) run.output += text;
  const int status = pipe != nullptr ? pclose(pipe) : -1;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  return run;
}

const std::string kStandIn = "TESSERA_CUDA_DRIVER=" TESSERA_STAND_IN;

TEST(GpuPeers, SaysWhatIsMissingInOneLine) {
  const PeersRun none = Peers("TESSERA_CUDA_DRIVER=libnone.so.7", "");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.output,
            "gpu_peers: device cuda: libnone.so.7: cannot open shared object file: No such file or "
            "directory; install NVIDIA's driver (Debian: libcuda1), or choose opencl\n");
  const PeersRun no_gpu = Peers(kStandIn + " TESSERA_STAND_IN_CUDA=devices=0", "");
  EXPECT_EQ(no_gpu.code, 2);
  EXPECT_EQ(no_gpu.output,
            "gpu_peers: device cuda: cuInit gives CUDA_ERROR_NO_DEVICE; no GPU is there that this "
            "driver runs\n");
}

TEST(GpuPeers, ReadsItsCommandLine) {
  EXPECT_THAT(Peers("", "--help").output, HasSubstr("Example: gpu_peers --filter int8"));
  const PeersRun rounds = Peers("", "--rounds 0");
  EXPECT_EQ(rounds.code, 2);
  EXPECT_THAT(rounds.output, HasSubstr("--rounds"));
  const PeersRun other = Peers(kStandIn, "--tiny --filter C99");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.output, "gpu_peers: --filter C99: no case has it in its name\n");
}

TEST(GpuPeers, OurSideEqualsTheDefinition) {
  const PeersRun run = Peers(kStandIn, "--tiny --rounds 1 --launches 1");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("stand-in, sm_80; the least of 1 rounds of 1 launches"));
  EXPECT_THAT(run.output, Not(HasSubstr("DIFFERENT")));
  for (const char* type : {"float32", "float16", "int8"}) {
    const std::string kernel = type == std::string("float32") ? "scalar" : "mma";
    for (const char* name : {"product 24x20x40", "C 3x3 8 to 16"}) {
      const size_t at =
          run.output.find(name + std::string(26 - std::string(name).size(), ' ') + type);
      ASSERT_NE(at, std::string::npos) << name << type << run.output;
      const std::string line = run.output.substr(at, run.output.find('\n', at) - at);
      EXPECT_THAT(line, HasSubstr(kernel));
      EXPECT_THAT(line, HasSubstr("equal to definition"));
    }
  }
  EXPECT_THAT(run.output, HasSubstr("no peer: cu"));
}

}  // namespace
}  // namespace tessera
