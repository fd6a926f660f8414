// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the message on a machine without an OpenCL loader; kernels that are built twice,
// memory of no bytes, times of kernels, on the driver of this machine. Not here: what kernels
// compute (tests/compiler/gpu).
#include "runtime/gpu/opencl_api.h"

#include <gtest/gtest.h>

#include "runtime/gpu/opencl_device.h"

namespace tessera::opencl_api_test {
namespace {

TEST(OpenClLoader, ThatIsMissingOrOfAnotherKind) {
  const auto none = LoadOpenCl("libnone.so.7");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, Code::kUnsupported);
  EXPECT_EQ(
      none.error().message,
      "device opencl: libnone.so.7: cannot open shared object file: No such file or directory; "
      "install an OpenCL loader and driver (Debian: ocl-icd-libopencl1 and "
      "pocl-opencl-icd)");
  const auto other = LoadOpenCl("libc.so.6");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().message,
            "device opencl: libc.so.6 has no clGetPlatformIDs; install an OpenCL 1.2 loader");
}

TEST(OpenClDeviceTest, HasItsKernelsOnce) {
  const auto device = OpenOpenClDevice();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  const Status early = (*device)->Launch("f", {1, 1, 1}, {1, 1, 1}, {});
  ASSERT_FALSE(early.has_value());
  EXPECT_EQ(early.error().message, "device opencl: no kernel f was built (code 0)");
  ASSERT_FALSE((*device)->Build("no OpenCL").has_value());
  const Status built = (*device)->Build("kernel void f() {}\n");  // a refused build counts as none
  ASSERT_TRUE(built.has_value()) << built.error().message;
  EXPECT_TRUE((*device)->Launch("f", {1, 1, 1}, {1, 1, 1}, {}).has_value());
  const Status again = (*device)->Build("kernel void f() {}\n");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Code::kInvalidArgument);
  EXPECT_EQ(again.error().message, "device opencl: " + (*device)->name() +
                                       " has its kernels already; open a device for other ones");
}

TEST(OpenClDeviceTest, TimesKernelsByItsClock) {
  const auto device = OpenOpenClDevice();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  const Status built = (*device)->Build(
      "kernel void f(global uint* x, ulong at) {\n  for (uint k = 0; k < 100000; ++k) x[at] = "
      "x[at] * 5 + k;\n}\n");
  ASSERT_TRUE(built.has_value()) << built.error().message;
  const auto memory = (*device)->Allocate(4);
  ASSERT_TRUE(memory.has_value()) << memory.error().message;
  const KernelDevice::MemoryPlace place[] = {{*memory, 0}};
  const auto several = [&](int count) -> Result<uint64_t> {
    return (*device)->Timed([&]() -> Status {
      for (int k = 0; k < count; ++k)
        TESSERA_TRY((*device)->Launch("f", {1, 1, 1}, {1, 1, 1}, place));
      return {};
    });
  };
  const auto one = several(1), many = several(30);
  ASSERT_TRUE(one.has_value()) << one.error().message;
  ASSERT_TRUE(many.has_value()) << many.error().message;
  EXPECT_GT(*many, 30 * 1000u) << "30 kernels of 100,000 steps";
  const auto none = several(0);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, Code::kInvalidArgument);
  EXPECT_EQ(none.error().message, "device opencl: no kernel ran that has a time");
  const auto missing = (*device)->Timed([&] {
    return (*device)->Launch("g", {1, 1, 1}, {1, 1, 1}, place);
  });
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::kNotFound);
}

TEST(OpenClDeviceTest, TakesAndGivesNoBytes) {
  const auto device = OpenOpenClDevice();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  const auto memory = (*device)->Allocate(0);
  ASSERT_TRUE(memory.has_value()) << memory.error().message;
  EXPECT_TRUE((*device)->Write({*memory, 0}, {}).has_value());
  EXPECT_TRUE((*device)->Read({*memory, 0}, {}).has_value());
}

}  // namespace
}  // namespace tessera::opencl_api_test
