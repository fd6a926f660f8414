// SPDX-License-Identifier: Apache-2.0
//
// What is tested: driver xrt in a build without XRT: it is listed with its options, and the error
// of opening it names the packages to install. Not tested here: the driver with XRT (xrt_test.cc).
#include <gtest/gtest.h>

#include "runtime/drivers/xrt/xrt_device.h"

namespace tessera::no_xrt_test {
namespace {

TEST(NoXrt, SaysWhatToInstall) {
  const Driver drivers[] = {XrtDriver()};
  EXPECT_EQ(OptionList(drivers[0].options),
            "index=N, xclbin=FILE, kernel=NAME, interrupt=auto|on|off, answer-ms=MS");
  const auto device = OpenDevice(drivers, "xrt", isa::NamedConfigs()[0]);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnsupported);
  EXPECT_EQ(device.error().message,
            "xrt: this build has no XRT: install Debian's libxrt-dev and uuid-dev or AMD's XRT "
            "package, configure again (cmake --preset release says whether it is found) and build");
}

}  // namespace
}  // namespace tessera::no_xrt_test
