// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the text of measured times, read and printed, and each message about a wrong one;
// layers cost what was measured for their structure, whatever their names, and a placement follows
// it. Not tested here: measurements (tests/tools/place_test).
#include "compiler/network/layer_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/network/place.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::layer_times_test {
namespace {

using test::Net;
using test::Square;
using ::testing::HasSubstr;

TEST(LayerTimes, ATextIsReadAndPrinted) {
  const auto times = ParseLayerTimes(
      "# mine\n\nmachine a box, 2 cores\nhost 00000000000000ff 1.5e-05 conv1+relu\r\n"
      "  opencl\t10 0.25 pool 2 \ncuda 10 0 pool 2\n",
      "f.txt");
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(times->machine(), "a box, 2 cores");
  EXPECT_EQ(times->size(), 3u);
  EXPECT_EQ(times->Of(kHost, 255), 1.5e-5);
  EXPECT_EQ(times->Of(kOpenCl, 16), 0.25);
  EXPECT_EQ(times->Of(kCuda, 16), 0.0);
  EXPECT_EQ(times->Of(kHost, 16), std::nullopt);
  EXPECT_THAT(times->Print(), HasSubstr("\nmachine a box, 2 cores\n"
                                        "host 00000000000000ff 1.5e-05 conv1+relu\n"
                                        "opencl 0000000000000010 0.25 pool 2\n"
                                        "cuda 0000000000000010 0 pool 2\n"));
  EXPECT_EQ(ParseLayerTimes(times->Print(), "f.txt")->Print(), times->Print());
}

TEST(LayerTimes, AWrongLineIsNamed) {
  for (const char* line : {"host", "host 12", "host 12 x conv", "host 12 -1 conv",
                           "host 12 inf conv", "host 0x12 1 conv", "gpu 12 1 conv",
                           "accelerator 12 1 conv", "host 11112222333344445 1 conv"}) {
    const auto times = ParseLayerTimes(std::string("machine m\n") + line + "\n", "f.txt");
    ASSERT_FALSE(times) << line;
    EXPECT_THAT(times.error().message,
                HasSubstr(std::string("f.txt line 2: '") + line + "' is no time of a layer"));
  }
  EXPECT_THAT(ParseLayerTimes("host 12 1 conv\n", "f.txt").error().message,
              HasSubstr("f.txt line 1: 'host 12 1 conv'; the first line of a file of layers' times "
                        "is 'machine NAME'"));
  EXPECT_THAT(ParseLayerTimes("# nothing\n", "f.txt").error().message,
              HasSubstr("f.txt: the first line of a file of layers' times is 'machine NAME'"));
  EXPECT_THAT(ParseLayerTimes("machine m\nhost 12 1 a\nhost 12 2 b\n", "f.txt").error().message,
              HasSubstr("f.txt line 3: structure 0000000000000012 has a time on host already"));
}

// Three convolutions.
graph::Graph Chain() {
  Net net(3);
  const graph::TensorId x = net.Conv(net.Input({1, 16, 8, 8}), 16, Square(1));
  net.Output(net.Conv(net.Conv(x, 16, Square(3)), 16, Square(1)));
  return net.graph();
}

TEST(LayerTimes, LayersOfOneStructureCostWhatWasMeasured) {
  const graph::Graph graph = Chain();
  graph::Graph renamed = graph;
  for (graph::GraphTensor& tensor : renamed.tensors) tensor.name += "_too";
  isa::Config config = test::NamedConfig("default");
  config.gpu.driver = "opencl";
  const Layers plain(graph, config);
  const std::vector<graph::Region> layers = graph::Fuse(graph, false);
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(plain.KeyOf(layers[0]), Layers(renamed, config).KeyOf(layers[0]));
  EXPECT_NE(plain.KeyOf(layers[0]), plain.KeyOf(layers[1]));
  const auto measured = std::make_shared<LayerTimes>("m");
  measured->Set(kHost, plain.KeyOf(layers[0]), 0.5, "first");
  measured->Set(kOpenCl, plain.KeyOf(layers[1]), 0.25, "second");
  const Layers known(graph, config, measured);
  EXPECT_EQ(known.HostSeconds(layers[0]), 0.5);
  EXPECT_EQ(Layers(renamed, config, measured).HostSeconds(layers[0]), 0.5);
  EXPECT_EQ(known.HostSeconds(layers[1]), plain.HostSeconds(layers[1]));
  EXPECT_EQ(known.GpuSeconds(layers[1]), 0.25);
  EXPECT_EQ(known.GpuSeconds(layers[0]), plain.GpuSeconds(layers[0]));
}

TEST(LayerTimes, APlacementFollowsThem) {
  const graph::Graph graph = Chain();
  const isa::Config config = test::NamedConfig("default");
  const Layers plain(graph, config);
  for (const auto& [seconds, device] : {std::pair{1e-9, kHost}, std::pair{1.0, kAccelerator}}) {
    const auto measured = std::make_shared<LayerTimes>("m");
    for (const graph::Region& layer : graph::Fuse(graph, false))
      measured->Set(kHost, plain.KeyOf(layer), seconds, layer.name);
    const Layers known(graph, config, measured);
    for (const uint32_t on : DevicesOf(PlaceNodes(known, {}, {}, {}, Objective())))
      EXPECT_EQ(on, device);
  }
}

}  // namespace
}  // namespace tessera::network::layer_times_test
