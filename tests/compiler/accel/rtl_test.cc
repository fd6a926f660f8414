// SPDX-License-Identifier: Apache-2.0
//
// What is tested: compiled regions of every class of shape on the Verilated RTL, against the
// definition of the tensor expressions. Space: shapes.cc, and 1 to 40 channels, on configurations
// default, tiny, batch4 and wide, random values. Not tested here: the same on the functional
// simulator (region_test), whole networks (tests/tools).
#include <gtest/gtest.h>

#include "runtime/device/registry.h"
#include "tests/compiler/accel/shapes.h"

namespace tessera::test::rtl_test {
namespace {

// Compiles |net|, runs it on the RTL, compares with the definition.
void ExpectExactOnRtl(Net& net, const isa::Config& config) {
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  DeviceOptions options;
  options.memory_bytes = uint64_t{16} << 20;
  auto device = OpenDevice("rtl", config, options);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ(RunAndCompareOn(**device, *compiled, values), "");
}

class ShapesOnRtl : public ::testing::TestWithParam<const char*> {};

TEST_P(ShapesOnRtl, GiveTheDefinition) {
  const isa::Config config = NamedConfig(GetParam());
  for (size_t i = 0; i < ShapeCases().size(); ++i) {
    SCOPED_TRACE(testing::Message() << ShapeCases()[i].name << ", seed " << 2000 + i);
    Net net(2000 + i);
    net.Output(ShapeCases()[i].build(net));
    ExpectExactOnRtl(net, config);
  }
}

TEST_P(ShapesOnRtl, EveryNumberOfChannelsIsExact) {
  const isa::Config config = NamedConfig(GetParam());
  for (int64_t channels = 1; channels <= 40; ++channels) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    Net net(static_cast<uint64_t>(channels));
    const auto y = net.Conv(net.Input({1, channels, 6, 6}), 41 - channels, Square(3));
    net.Output(net.Conv(y, channels, Square(3)));
    ExpectExactOnRtl(net, config);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ShapesOnRtl,
                         ::testing::Values("default", "tiny", "batch4", "wide"));

}  // namespace
}  // namespace tessera::test::rtl_test
