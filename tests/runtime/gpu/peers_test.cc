// SPDX-License-Identifier: Apache-2.0
//
// What is tested: bench/peers' gpu_peers: its command line; its messages without a driver, without
// a GPU, without a peer and for a launch that fails; our kernels of its small cases, in every type,
// equal their definition on the stand-in for the driver; ptxas accepts its large ones. Not here:
// cuBLAS, cuDNN (nvidia_test.cc) and times, which need a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace tessera::peers_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct PeersRun {
  int code = -1;
  std::string output;  // standard output and error together
};

PeersRun Command(const std::string& command) {
  PeersRun run;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char text[4096];
  while (pipe != nullptr && std::fgets(text, sizeof text, pipe) != nullptr) run.output += text;
  const int status = pipe != nullptr ? pclose(pipe) : -1;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  return run;
}

PeersRun Peers(const std::string& environment, const std::string& arguments) {
  return Command(environment + " " TESSERA_GPU_PEERS " " + arguments);
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
  const PeersRun folder = Peers("", "--tiny --ptx /dev/null/x");
  EXPECT_EQ(folder.code, 2);
  EXPECT_EQ(folder.output, "gpu_peers: --ptx /dev/null/x: Not a directory\n");
}

// The line of |name|, or nothing.
std::string LineOf(const std::string& output, const std::string& name) {
  const size_t at = output.find("\n" + name);
  return at == std::string::npos ? "" : output.substr(at + 1, output.find('\n', at + 1) - at - 1);
}

TEST(GpuPeers, OurSideEqualsTheDefinition) {
  const PeersRun run = Peers(kStandIn, "--tiny --rounds 1 --launches 1");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("stand-in, sm_80; driver of CUDA 11.8, 108 processors of at most 1410 MHz, "
                        "memory of 1215 MHz; cuBLAS none, cuDNN none\n"
                        "The least of 1 turns of 1 launches each.\n"));
  EXPECT_THAT(LineOf(run.output, "nothing"), HasSubstr("an empty kernel"));
  EXPECT_THAT(run.output, Not(HasSubstr("DIFFERENT")));
  EXPECT_THAT(run.output, Not(HasSubstr("*")));  // no time includes the host
  for (const char* type : {"float32", "float16", "int8"}) {
    const std::string kernel = type == std::string("float32") ? "scalar" : "mma";
    for (const std::string name : {"product 24x20x40", "C 3x3 8 to 16"}) {
      const std::string line = LineOf(run.output, name + std::string(26 - name.size(), ' ') + type);
      EXPECT_THAT(line, HasSubstr(kernel)) << name << type << run.output;
      EXPECT_THAT(line, HasSubstr("equal to definition"));
    }
  }
  // This machine's libraries do not matter: they use another driver.
  EXPECT_THAT(run.output,
              HasSubstr("\nno peer for any case: the driver is " TESSERA_STAND_IN
                        ", and cuBLAS and cuDNN use the system's; unset TESSERA_CUDA_DRIVER\n"));
}

TEST(GpuPeers, MarksTimesThatTheHostIsIn) {
  const PeersRun run = Peers(kStandIn + " TESSERA_STAND_IN_CUDA=queue=0",
                             "--tiny --rounds 1 --launches 1 --filter 'product 24x20x40 int8'");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(LineOf(run.output, "product"), HasSubstr("* "));
  EXPECT_THAT(run.output, HasSubstr("\n* the GPU waited for the host between launches\n"));
}

// The stand-in counts launches from the opening of a device: each case fails at its third.
TEST(GpuPeers, GoesOnAfterACaseThatFails) {
  const PeersRun run = Peers(kStandIn + " TESSERA_STAND_IN_CUDA=launches=2",
                             "--tiny --rounds 1 --launches 1 --filter int8");
  EXPECT_EQ(run.code, 1) << run.output;
  for (const char* name : {"product 24x20x40", "C 3x3 8 to 16"}) {
    const std::string line = LineOf(run.output, name);
    EXPECT_THAT(line,
                HasSubstr("FAILS: device cuda: stand-in, sm_80 refuses cuLaunchKernel of peer"));
    EXPECT_THAT(line, HasSubstr(": CUDA_ERROR_LAUNCH_FAILED"));
  }
}

// Every kernel of full size, and the timer's kernels.
TEST(GpuPeers, WritesPtxThatTheAssemblerTakes) {
  const std::filesystem::path folder = ::testing::TempDir() + "peers_ptx";
  std::filesystem::remove_all(folder);
  const PeersRun run = Peers("", "--ptx " + folder.string());
  ASSERT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("C1_7x7_3_to_64_float32.ptx: scalar\n"));
  EXPECT_THAT(run.output, HasSubstr("C1_7x7_3_to_64_int8.ptx: mma\n"));
  EXPECT_THAT(run.output, HasSubstr("fc_1x1000x512_float16.ptx: "));
  const std::string ptxas = TESSERA_PTXAS;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    for (const char* arch : {"sm_80", "sm_90"}) {
      if (ptxas.empty()) continue;
      const PeersRun assembled =
          Command(ptxas + " -O1 -o /dev/null -arch=" + arch + " " + entry.path().string());
      EXPECT_EQ(assembled.code, 0) << assembled.output;
    }
  }
  EXPECT_EQ(files, 3 * (4 + 12 + 1) + 1);  // and the timer's file
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed (CUDA's toolkit has it): PTX is not assembled";
}

}  // namespace
}  // namespace tessera::peers_test
