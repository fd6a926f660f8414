// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the search for one plan leaves out tiles that cannot be better, and still finds
// the best of all plans; of equal ones it takes the first. Space: 60 random layers of each kind on
// three configurations. Not tested here: how good the estimate is (quality_test).
#include "compiler/schedule/accel/plan.h"

#include <gtest/gtest.h>

#include "compiler/network/layers.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::plan_test {
namespace {

using graph::TensorId;

constexpr int kKinds = 5;

TensorId RandomLayer(int kind, Net& net) {
  Rng& rng = net.rng();
  const int64_t channels = 8 * rng.Range(1, 8), side = rng.Range(3, 24);
  if (kind == 0) return net.Dense(net.Input({1, channels}), rng.Range(1, 120));
  const TensorId x = net.Input({1, channels, side, rng.Range(3, 24)});
  const graph::Window window = Square(rng.OneIn(2) ? 3 : 1, rng.Range(1, 2));
  if (kind == 1) return net.Conv(x, 8 * rng.Range(1, 12), window);
  if (kind == 2) return net.Conv(x, channels, window, channels);
  if (kind == 3) return net.MaxPool(x, Square(3, 2));
  return net.Add(x, net.Input(net.graph().tensor(x).shape));
}

// What a plan decides, and its estimate.
std::string TextOf(const schedule::accel::TilePlan& p) {
  return fmt::format("{} {} {}x{} inputs {} {} {} weights {} cycles {}", p.channel_tile,
                     p.channel_part, p.y_tile, p.x_tile, p.input_tile, p.spatial_outside,
                     p.input_above, static_cast<int>(p.weights), p.cycles());
}

TEST(Plan, NoTilesThatAreLeftOutAreBetter) {
  for (const char* machine : {"default", "tiny", "batch4"}) {
    const isa::Config config = NamedConfig(machine);
    int planned = 0;
    for (uint64_t seed = 0; seed < 60 * kKinds; ++seed) {
      SCOPED_TRACE(::testing::Message() << machine << " seed " << seed);
      Net net(seed);
      net.Output(RandomLayer(static_cast<int>(seed % kKinds), net));
      const network::Layers layers(net.graph(), config);
      const auto& analyzed = *layers.Analyzed(graph::Fuse(net.graph())[0]);
      if (!analyzed) continue;
      const auto best = schedule::accel::MakePlan(*analyzed, config);
      const auto all = schedule::accel::MakePlans(*analyzed, config, {}, 1 << 20);
      ASSERT_EQ(best.has_value(), all.has_value());
      if (!best) continue;
      ++planned;
      ASSERT_EQ(TextOf(*best), TextOf(all->front()));
    }
    EXPECT_GT(planned, 100) << machine;
  }
}

}  // namespace
}  // namespace tessera::test::plan_test
