// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the text of a placement, read and printed, and each message about a wrong one;
// where pins put nodes, and those that cannot be met. Not tested here: the files through the
// command (tests/tools/place_test).
#include "compiler/network/pins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/network/place.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::pins_test {
namespace {

using test::Net;
using test::Square;
using ::testing::HasSubstr;

TEST(Pins, ATextIsReadAndPrinted) {
  const auto pins = ParsePins(
      "# mine\n\nhost conv1+relu\r\n  accelerator\tpool 2 \nboth:48 conv2\nrows:7 add\n", "f.txt");
  ASSERT_TRUE(pins) << pins.error().message;
  EXPECT_EQ(*pins, (Pins{{"conv1+relu", kHost},
                         {"pool 2", kAccelerator},
                         {"conv2", kAccelerator, 48},
                         {"add", kAccelerator, 0, 7}}));
  EXPECT_EQ(PrintPins(*pins),
            "host        conv1+relu\naccelerator pool 2\nboth:48     conv2\nrows:7      add\n");
  EXPECT_EQ(*ParsePins(PrintPins(*pins), "f.txt"), *pins);
  EXPECT_EQ(ParsePins("", "f.txt")->size(), 0u);
  const auto gpus = ParsePins("opencl conv1\ncuda pool\n", "f.txt");
  ASSERT_TRUE(gpus) << gpus.error().message;
  EXPECT_EQ(*gpus, (Pins{{"conv1", kOpenCl}, {"pool", kCuda}}));
  EXPECT_EQ(PrintPins(*gpus), "opencl      conv1\ncuda        pool\n");
}

TEST(Pins, AWrongLineIsNamed) {
  for (const char* line :
       {"gpu conv1", "host", "hostconv1", "conv1 host", "both conv1", "both: conv1", "both:0 conv1",
        "both:-16 conv1", "both:16", "both:16x conv1", "both:99999999999999999999 conv1",
        "rows conv1", "rows:0 conv1", "rows:4"}) {
    const auto pins = ParsePins(std::string("# one\n") + line, "f.txt");
    ASSERT_FALSE(pins) << line;
    EXPECT_THAT(pins.error().message, HasSubstr(std::string("f.txt line 2: '") + line));
    EXPECT_THAT(pins.error().message, HasSubstr("a line is 'host LAYER'"));
    EXPECT_THAT(pins.error().message, HasSubstr("'opencl LAYER'"));
    EXPECT_THAT(pins.error().message, HasSubstr("'both:CHANNELS LAYER', 'rows:ROWS LAYER' or"));
  }
  const auto twice = ParsePins("host a\naccelerator a\n", "f.txt");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "f.txt line 2: layer a has a device already; leave one out");
}

struct Placed {
  std::vector<NodePlace> places;
  std::vector<graph::Region> layers;
  Status checked;
};

Placed PlacedBy(Net& net, const Pins& pins) {
  const Layers layers(net.graph(), test::NamedConfig("default"));
  Placed placed{PlaceNodes(layers, {}, {}, pins), {}, {}};
  placed.layers = FusePlaced(layers, placed.places, true);
  placed.checked = CheckPins(net.graph(), placed.places, pins);
  return placed;
}

// A convolution and its addition are one layer; a pin of one of them takes them apart.
TEST(Pins, ANodeGoesWhereItsPinSays) {
  Net net(1);
  const graph::TensorId x = net.Input({1, 16, 8, 8});
  net.Output(net.Add(net.Conv(x, 16, Square(3)), x));
  const std::string conv = net.graph().nodes[0].name, add = net.graph().nodes[1].name;
  EXPECT_EQ(PlacedBy(net, {}).layers.size(), 1u);
  const Placed apart = PlacedBy(net, {{add, kHost}});
  EXPECT_TRUE(apart.checked);
  EXPECT_EQ(apart.places[0].device, kAccelerator);
  EXPECT_EQ(apart.places[1].device, kHost);
  EXPECT_EQ(apart.layers.size(), 2u);
  const Placed both = PlacedBy(net, {{conv + "+" + add, kHost}});
  EXPECT_TRUE(both.checked);
  EXPECT_EQ(both.layers.size(), 1u);
  EXPECT_EQ(both.places[0].device, kHost);
}

// Two networks in one: the second is not worth its start, unless it is asked for.
TEST(Pins, TheAcceleratorKeepsWhatIsAskedFor) {
  Net net(2);
  net.Output(net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3)));
  net.Output(net.Rescale(net.Input({1, 16, 8, 8})));
  const std::string last = net.graph().nodes[1].name;
  EXPECT_EQ(PlacedBy(net, {}).places[1].device, kHost);
  const Placed kept = PlacedBy(net, {{last, kAccelerator}});
  EXPECT_EQ(kept.places[1].device, kAccelerator);
  EXPECT_TRUE(kept.checked);
}

TEST(Pins, AGpuRunsWhatIsPinnedThere) {
  Net net(3);
  net.Output(net.Conv(net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3)), 16, Square(3)));
  const Placed placed = PlacedBy(net, {{net.graph().nodes[0].name, kCuda}});
  EXPECT_TRUE(placed.checked);
  EXPECT_EQ(DevicesOf(placed.places), (Devices{kCuda, kAccelerator}));
}

TEST(Pins, WhatCannotBeIsSaid) {
  Net net(3);
  net.Output(net.Transpose(net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3))));
  const std::string conv = net.graph().nodes[0].name, transpose = net.graph().nodes[1].name;
  const Status cannot = PlacedBy(net, {{transpose, kAccelerator}}).checked;
  ASSERT_FALSE(cannot);
  EXPECT_EQ(cannot.error().code, Code::kUnsupported);
  EXPECT_THAT(cannot.error().message, HasSubstr("the accelerator cannot run " + transpose + ": "));
  EXPECT_THAT(cannot.error().message, HasSubstr("leave the line out, or say 'host'"));
  const Status two = PlacedBy(net, {{conv, kOpenCl}, {transpose, kCuda}}).checked;
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message, "placement of " + transpose +
                                     ": opencl has a layer already, and a network runs on one "
                                     "kind of GPU; say 'opencl' here too");
  const Status unknown = PlacedBy(net, {{conv + "x", kHost}}).checked;
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::kNotFound);
  EXPECT_EQ(unknown.error().message, "placement of " + conv + "x: the network has no layer " +
                                         conv + "x; the name most like it is " + conv);
}

}  // namespace
}  // namespace tessera::network::pins_test
