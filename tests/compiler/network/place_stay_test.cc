// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which tensors the forecast of a placement keeps on chip, by sizes worked out by
// hand. Not tested here: how near the forecast then is (models_estimates_test).
#include <gtest/gtest.h>

#include "compiler/network/place.h"
#include "compiler/network/place_cost.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::place_stay_test {
namespace {

using graph::TensorId;
using test::Net;
using test::Square;

// INP of `default` has 32 KiB, half of it for turns: 16 channels of 64x64 are 64 KiB, a row 1 KiB.
TEST(PlaceStay, TensorsStayWholeOrInTurns) {
  struct Case {
    int64_t side, channels, kernel, groups;
    bool again;  // a second reader
    bool stays;
  };
  const Case cases[] = {
      {32, 16, 3, 1, true, true},       // 16 KiB
      {64, 16, 3, 1, false, true},      // rows of the window and of the next step: 4 KiB
      {64, 16, 3, 1, true, false},      // the second reader needs it later
      {64, 64, 3, 1, false, true},      // 4 rows of 4 KiB
      {64, 80, 3, 1, false, false},     // of 5 KiB
      {64, 80, 1, 1, false, true},      // 2 rows of 5 KiB
      {64, 256, 3, 256, false, true},   // 4 rows of one block of channels
      {1024, 16, 3, 1, false, false},   // 4 rows of 16 KiB
      {1024, 16, 3, 16, false, false},  // of one block too
  };
  for (const Case& c : cases) {
    Net net(3);
    const TensorId made =
        net.Conv(net.Input({1, c.channels, c.side, c.side}), c.channels, Square(1));
    net.Output(net.Conv(made, c.channels, Square(c.kernel), c.groups));
    if (c.again) net.Output(net.Rescale(made));
    const Layers layers(net.graph(), test::NamedConfig("default"));
    const PlaceCosts costs(layers, [&](const Devices& on) { return FuseOn(layers, on, true); });
    EXPECT_EQ(costs.MayStay(made), c.stays) << c.side << " " << c.channels << " " << c.kernel;
  }
}

}  // namespace
}  // namespace tessera::network::place_stay_test
