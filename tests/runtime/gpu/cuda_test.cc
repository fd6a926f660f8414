// SPDX-License-Identifier: Apache-2.0
//
// What is tested: device cuda on the stand-in for the driver, which runs the PTX instruction by
// instruction: every operator in every type, every function, convolutions in blocks and random
// schedules equal te::Evaluate, bit for bit; operators, functions and fragments also on a GPU, if
// there is one; the message for each refusal of the driver. Not here: the command (tests/tools).
#include "compiler/target/cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "base/file.h"
#include "compiler/codegen/llvm/ptx.h"
#include "runtime/gpu/cuda_api.h"
#include "runtime/gpu/cuda_device.h"
#include "runtime/gpu/shared_library.h"
#include "tests/compiler/gpu/gpu_cases.h"

namespace tessera::cuda_test {
namespace {

using ::testing::HasSubstr;

// The stand-in with TESSERA_STAND_IN_CUDA set to |configured|.
Result<std::unique_ptr<KernelDevice>> OpenStandIn(const char* configured = "") {
  setenv("TESSERA_CUDA_DRIVER", TESSERA_STAND_IN, 1);
  setenv("TESSERA_STAND_IN_CUDA", configured, 1);
  return OpenCudaDevice();
}

using Open = std::function<Result<std::unique_ptr<KernelDevice>>()>;

void ExpectExactOn(const Open& open, const test::GpuCases& cases) {
  test::ExpectExact(
      [&](const std::vector<lower::GpuKernel>& kernels) -> Result<std::unique_ptr<KernelDevice>> {
        TESSERA_ASSIGN(const std::string source, codegen::PtxSource(kernels));
        TESSERA_ASSIGN(std::unique_ptr<KernelDevice> device, open());
        TESSERA_TRY(device->Build(source));
        return device;
      },
      cases);
}

void ExpectExactOnCuda(const test::GpuCases& cases) {
  ExpectExactOn([] { return OpenStandIn(); }, cases);
}

TEST(Cuda, EveryOperatorInEveryType) { ExpectExactOnCuda(test::EveryOperator()); }

// As the compiler calls the generator.
TEST(Cuda, EveryOperatorByFragmentsToo) {
  ExpectExactOnCuda(test::EveryOperator({.target = target::Cuda(), .constants_known = true}));
}

TEST(Cuda, EveryFunction) { ExpectExactOnCuda(test::EveryFunction()); }

TEST(Cuda, ConvolutionsInBlocks) { ExpectExactOnCuda(test::BlockedConvolutions()); }

TEST(Cuda, MatrixFragments) { ExpectExactOnCuda(test::FragmentCases()); }

TEST(Cuda, FragmentsThatTheGeneratorChooses) { ExpectExactOnCuda(test::GeneratedFragments()); }

// Uses the system's driver.
class CudaOnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TESSERA_CUDA_DRIVER");
    const auto device = OpenCudaDevice();
    if (!device) GTEST_SKIP() << device.error().message;
  }
};

TEST_F(CudaOnAGpu, EveryOperatorInEveryType) {
  ExpectExactOn(OpenCudaDevice, test::EveryOperator());
}

TEST_F(CudaOnAGpu, EveryFunction) { ExpectExactOn(OpenCudaDevice, test::EveryFunction()); }

TEST_F(CudaOnAGpu, FragmentsThatTheGeneratorChooses) {
  ExpectExactOn(OpenCudaDevice, test::GeneratedFragments());
}

class CudaRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(CudaRandom, MatchesTheDefinition) { ExpectExactOnCuda(test::RandomCases(GetParam(), 40)); }

INSTANTIATE_TEST_SUITE_P(Seeds, CudaRandom, ::testing::Range<uint64_t>(0, 4));

template <typename T>
void ExpectRefused(const Result<T>& status, Code code, const std::string& message) {
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().message, message);
}

Status Opened(const char* configured) {
  const auto device = OpenStandIn(configured);
  return device ? Status() : std::unexpected(device.error());
}

constexpr const char* kEmpty = ".version 7.0\n.target sm_80\n.address_size 64\n";

TEST(CudaRefusals, NoDriverOrAnother) {
  ExpectRefused(LoadCuda("libnone.so.7"), Code::kUnsupported,
                "device cuda: libnone.so.7: cannot open shared object file: No such file or "
                "directory; install NVIDIA's driver (Debian: libcuda1), or choose opencl");
  ExpectRefused(LoadCuda("libc.so.6"), Code::kUnsupported,
                "device cuda: libc.so.6 has no cuInit; install a driver of CUDA 11 or later");
}

TEST(CudaRefusals, EveryNameThatWasTried) {
  const auto none = LoadFunctions({"it", {"libnone.so.2", "libnone.so.1"}, "install it", ""}, {});
  ExpectRefused(none, Code::kUnsupported,
                "it: libnone.so.2: cannot open shared object file: No such file or directory; "
                "libnone.so.1: cannot open shared object file: No such file or directory; install "
                "it");
  EXPECT_TRUE(LoadFunctions({"it", {"libnone.so.2", "libc.so.6"}, "", ""}, {}).has_value());
}

TEST(CudaRefusals, ADriverWithoutAGpu) {
  ExpectRefused(Opened("devices=0"), Code::kUnsupported,
                "device cuda: cuInit gives CUDA_ERROR_NO_DEVICE; no GPU is there that this driver "
                "runs");
  ExpectRefused(Opened("init=803"), Code::kUnsupported,
                "device cuda: cuInit gives CUDA_ERROR_SYSTEM_DRIVER_MISMATCH; the driver does not "
                "start: nvidia-smi may say why, or choose opencl");
}

// A library that does not load has another message than a missing one.
TEST(CudaRefusals, ALibraryThatDoesNotLoad) {
  const std::string file = ::testing::TempDir() + "no_library.so";
  ASSERT_TRUE(WriteFile(file, std::string("text")).has_value());
  ExpectRefused(LoadCuda(file), Code::kUnsupported,
                "device cuda: " + file +
                    ": file too short; install NVIDIA's driver (Debian: libcuda1), or choose "
                    "opencl");
}

TEST(CudaRefusals, ADeviceHasItsKernelsOnce) {
  const auto device = OpenStandIn();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  ASSERT_FALSE((*device)->Build("no PTX").has_value());
  ASSERT_TRUE((*device)->Build(kEmpty).has_value());  // a refused build counts as none
  ExpectRefused((*device)->Build(kEmpty), Code::kInvalidArgument,
                "device cuda: stand-in, sm_80 has its kernels already; open a device for other "
                "ones");
}

TEST(CudaRefusals, PtxThatTheDriverOrTheGpuIsTooOldFor) {
  auto device = OpenStandIn("ptx=63");
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ((*device)->name(), "stand-in, sm_80");
  ExpectRefused(
      (*device)->Build(kEmpty), Code::kUnsupported,
      "device cuda: stand-in, sm_80, with a driver of CUDA 11.8, does not take kernels of "
      "PTX 7.0 for sm_80 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION); update the driver, or "
      "choose opencl");
  device = OpenStandIn("capability=75");
  ASSERT_TRUE(device.has_value()) << device.error().message;
  ExpectRefused(
      (*device)->Build(kEmpty), Code::kUnsupported,
      "device cuda: stand-in, sm_75, with a driver of CUDA 11.8, does not take kernels of "
      "PTX 7.0 for sm_80 (CUDA_ERROR_NO_BINARY_FOR_GPU); update the driver, or choose "
      "opencl");
}

TEST(CudaRefusals, PtxThatIsNone) {
  const auto device = OpenStandIn();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  ExpectRefused((*device)->Build(std::string(kEmpty) + ".visible .entry f(\n)\n{\n\tjump 3;\n}\n"),
                Code::kInvalidArgument,
                "device cuda: stand-in, sm_80 does not build the kernels (CUDA_ERROR_INVALID_PTX): "
                "ptx: no instruction 'jump 3'");
  ExpectRefused((*device)->Launch("f", {1, 1, 1}, {1, 1, 1}, {}), Code::kNotFound,
                "device cuda: no kernel f was built (code 0)");
}

TEST(CudaRefusals, MoreMemoryThanThereIs) {
  const auto device = OpenStandIn("bytes=4096");
  ASSERT_TRUE(device.has_value()) << device.error().message;
  ASSERT_TRUE((*device)->Allocate(4000).has_value());
  ExpectRefused((*device)->Allocate(200), Code::kUnavailable,
                "device cuda: stand-in, sm_80 has no 200 bytes left (cuMemAlloc: "
                "CUDA_ERROR_OUT_OF_MEMORY)");
  const uint8_t bytes[16] = {};
  ExpectRefused((*device)->Write({0, 3999}, bytes), Code::kUnavailable,
                "device cuda: stand-in, sm_80 refuses cuMemcpyHtoD: CUDA_ERROR_INVALID_VALUE");
}

TEST(CudaRefusals, AGroupThatIsTooDeep) {
  const std::string kernel = ".visible .entry f(\n)\n.reqntid 1, 1, {}\n{{\n\tret;\n}}\n";
  for (const uint32_t depth : {64u, 65u}) {
    const auto device = OpenStandIn();
    ASSERT_TRUE(device.has_value()) << device.error().message;
    const std::string text = kEmpty + fmt::format(fmt::runtime(kernel), depth);
    ASSERT_TRUE((*device)->Build(text).has_value());
    const Status ran = (*device)->Launch("f", {1, 1, 1}, {1, 1, depth}, {});
    if (depth == 64) {
      EXPECT_TRUE(ran.has_value()) << ran.error().message;
    } else {
      ExpectRefused(ran, Code::kUnavailable,
                    "device cuda: stand-in, sm_80 refuses cuLaunchKernel of f: "
                    "CUDA_ERROR_INVALID_VALUE");
    }
  }
}

// A kernel of one thread that stores to byte 64 of its buffer.
constexpr const char* kStore = R"(
.visible .entry store(
	.param .u64 store_param_0
)
.reqntid 1, 1, 1
{
	.reg .b64 	%rd<2>;
	ld.param.u64 	%rd1, [store_param_0];
	st.global.u32 	[%rd1+64], 5;
	ret;
}
)";

TEST(Cuda, TimesKernelsByItsClock) {
  const auto device = OpenStandIn();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  ASSERT_TRUE((*device)->Build(std::string(kEmpty) + kStore).has_value());
  const auto memory = (*device)->Allocate(68);
  ASSERT_TRUE(memory.has_value());
  const KernelDevice::MemoryPlace place[] = {{*memory, 0}};
  const auto launch = [&] { return (*device)->Launch("store", {1, 1, 1}, {1, 1, 1}, place); };
  const auto took = (*device)->Timed(launch);
  ASSERT_TRUE(took.has_value()) << took.error().message;
  EXPECT_GT(*took, 0u);
  ExpectRefused((*device)->Timed([] { return Status(); }), Code::kInvalidArgument,
                "device cuda: no kernel ran that has a time");
  const auto missing = (*device)->Timed([&] {
    return (*device)->Launch("g", {1, 1, 1}, {1, 1, 1}, place);
  });
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::kNotFound);
}

TEST(CudaRefusals, AKernelThatLeavesItsMemory) {
  for (const uint64_t bytes : {68, 64}) {
    const auto device = OpenStandIn();
    ASSERT_TRUE(device.has_value()) << device.error().message;
    ASSERT_TRUE((*device)->Build(std::string(kEmpty) + kStore).has_value());
    const auto memory = (*device)->Allocate(bytes);
    ASSERT_TRUE(memory.has_value());
    const KernelDevice::MemoryPlace place[] = {{*memory, 0}};
    ASSERT_TRUE((*device)->Launch("store", {1, 1, 1}, {1, 1, 1}, place).has_value());
    uint8_t last[4] = {};
    const Status read = (*device)->Read({*memory, bytes - 4}, last);
    if (bytes == 68) {
      ASSERT_TRUE(read.has_value()) << read.error().message;
      EXPECT_EQ(last[0], 5);
      ExpectRefused((*device)->Launch("store", {1, 1, 1}, {2, 1, 1}, place), Code::kUnavailable,
                    "device cuda: stand-in, sm_80 refuses cuLaunchKernel of store: "
                    "CUDA_ERROR_INVALID_VALUE");
    } else {
      ExpectRefused(read, Code::kUnavailable,
                    "device cuda: stand-in, sm_80 refuses cuMemcpyDtoH, after the kernels before "
                    "it: CUDA_ERROR_ILLEGAL_ADDRESS");
    }
  }
}

}  // namespace
}  // namespace tessera::cuda_test
