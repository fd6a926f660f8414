// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what a machine without an OpenCL loader says. Not here: what a device does
// (tests/compiler/gpu).
#include "runtime/gpu/opencl_api.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(OpenClLoader, ThatIsMissingOrOfAnotherKind) {
  const auto none = LoadOpenCl("libnone.so.7");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, Code::kUnsupported);
  EXPECT_EQ(none.error().message,
            "device opencl: libnone.so.7 is not on this machine; install an OpenCL loader and "
            "driver (Debian: ocl-icd-libopencl1 and pocl-opencl-icd)");
  const auto other = LoadOpenCl("libc.so.6");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().message,
            "device opencl: libc.so.6 has no clGetPlatformIDs; install an OpenCL 1.2 loader");
}

}  // namespace
}  // namespace tessera
