// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the message on a machine without an OpenCL loader; kernels that are built twice,
// memory of no bytes, on the driver of this machine. Not here: what kernels compute
// (tests/compiler/gpu).
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
