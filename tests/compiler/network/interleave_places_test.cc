// SPDX-License-Identifier: Apache-2.0
//
// What is tested: images whose rows, columns or blocks of channels take turns, and columns that are
// channels, lie in the result: at which byte, with which layout, against the places of all elements
// in the packings. Space: one case of each form on configuration default. Not tested here: that
// programs write the right bytes (tests/networks).
#include <gtest/gtest.h>

#include "compiler/network/tensor_places.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/network/parts.h"

namespace tessera::network::interleave_places_test {
namespace {

using namespace tensor_places_test;

// Images whose columns take turns share no bytes, though each reaches over the others.
TEST(TensorPlaces, InterleavedImagesAreApart) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const TensorId x = p.Input({1, 20, 4, 4});
  const TensorId a = p.Rescale(x), b = p.Rescale(x);
  const TensorId both =
      p.Apply(Op::kInterleave, {a, b}, graph::InterleaveAttributes{{1, 2}}, {1, 20, 4, 8});
  const TensorId right = p.Slice(both, 3, 4, 4);
  const TensorPlaces places(p.graph, config, std::vector<bool>(p.graph.nodes.size(), true));
  EXPECT_EQ(places.OffsetOf(b), 16);
  EXPECT_EQ(places.PackingOf(b).layout.strides, (std::vector<int64_t>{512, 512, 128, 32, 1}));
  EXPECT_FALSE(places.Overlap(a, b));
  EXPECT_TRUE(places.Overlap(a, both));
  EXPECT_TRUE(places.Overlap(right, b));
  EXPECT_EQ(places.PackingOf(right).layout.strides, (std::vector<int64_t>{512, 512, 128, 16, 1}));
}

// Parts whose blocks of channels take turns; of other numbers of channels they are no places.
TEST(TensorPlaces, BlocksOfChannelsTakeTurns) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const TensorId x = p.Input({1, 48, 2, 2});
  const TensorId a = p.Rescale(x), b = p.Rescale(x);
  const TensorId both =
      p.Apply(Op::kInterleave, {a, b}, graph::InterleaveAttributes{.channels = 16}, {1, 96, 2, 2});
  p.Apply(Op::kInterleave, {a, b}, graph::InterleaveAttributes{.channels = 8}, {1, 96, 2, 2});
  EXPECT_TRUE(LyingOf(p.graph, p.graph.nodes[3], config).empty());
  p.graph.nodes.pop_back();
  const TensorId middle = p.Slice(both, 1, 16, 64);
  const TensorPlaces places(p.graph, config, std::vector<bool>(p.graph.nodes.size(), true));
  EXPECT_EQ(places.OffsetOf(a), 0);
  EXPECT_EQ(places.OffsetOf(b), 64);
  EXPECT_EQ(places.PackingOf(b).layout.strides, (std::vector<int64_t>{192, 128, 32, 16, 1}));
  EXPECT_FALSE(places.Overlap(a, b));
  EXPECT_EQ(places.OffsetOf(middle), 64);
  EXPECT_TRUE(places.Overlap(middle, a) && places.Overlap(middle, b));
}

// Eight columns of two channels are the 16 channels of a column.
TEST(TensorPlaces, ColumnsAsChannelsHaveTheSameBytes) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const TensorId part = p.Rescale(p.Input({1, 16, 4, 3}));
  const graph::InterleaveAttributes columns{.steps = {1, 1}, .columns = 8};
  const TensorId image = p.Apply(Op::kInterleave, {part}, columns, {1, 2, 4, 24});
  p.graph.outputs = {image};
  ASSERT_TRUE(quantize::AttachRequant(p.graph));
  ASSERT_TRUE(graph::Verify(p.graph));
  TensorPlaces places(p.graph, config, std::vector<bool>(p.graph.nodes.size(), true));
  EXPECT_EQ(places.Of(part).in, image);
  // Element (c, y, x) of the image is where element (x % 8 * 2 + c, y, x / 8) of the part is.
  const std::vector<int64_t> of_image = PlacesOf(places.PackingOf(image)),
                             of_part = PlacesOf(places.PackingOf(part));
  for (int64_t c = 0; c < 2; ++c) {
    for (int64_t y = 0; y < 4; ++y) {
      for (int64_t x = 0; x < 24; ++x) {
        const int64_t channel = x % 8 * 2 + c;
        ASSERT_EQ(of_image[static_cast<size_t>((c * 4 + y) * 24 + x)],
                  of_part[static_cast<size_t>((channel * 4 + y) * 3 + x / 8)]);
      }
    }
  }
  EXPECT_TRUE(places.Overlap(part, image));
  EXPECT_TRUE(places.PackingOf(part).layout.strides.empty());
  // Nothing lies in such a part.
  p.Slice(part, 2, 0, 2);
  EXPECT_FALSE(places.LayAll(LyingOf(p.graph, p.graph.nodes.back(), config)));
}

// Two columns of 32 channels are the 64 channels of a column. Two such parts take turns row by row,
// in an image that is channels 16 to 47 of a concatenation.
TEST(TensorPlaces, ColumnsOfWholeBlocksAreChannels) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const TensorId x = p.Input({1, 64, 3, 4});
  const TensorId a = p.Rescale(x), b = p.Rescale(x), front = p.Rescale(p.Input({1, 16, 6, 8}));
  const TensorId image =
      p.Apply(Op::kInterleave, {a, b}, graph::InterleaveAttributes{{2, 1}, 2}, {1, 32, 6, 8});
  const TensorId all = p.Concat({front, image});
  p.graph.outputs = {all};
  ASSERT_TRUE(quantize::AttachRequant(p.graph));
  ASSERT_TRUE(graph::Verify(p.graph));
  const TensorPlaces places(p.graph, config, std::vector<bool>(p.graph.nodes.size(), true));
  EXPECT_EQ(places.Of(b).in, all);
  EXPECT_EQ(places.OffsetOf(b), 16 * 6 * 8 + 16 * 8);
  // The second column is one tile behind the first, the second block a plane behind the first.
  const Layout& layout = places.PackingOf(b).layout;
  EXPECT_EQ(layout.dims, (std::vector<LayoutDim>{
                             {0, 1, 0}, {1, 32, 0}, {1, 16, 2}, {2, 1, 0}, {3, 1, 0}, {1, 1, 16}}));
  EXPECT_EQ(layout.strides, (std::vector<int64_t>{2304, 16, 768, 256, 32, 1}));
  EXPECT_TRUE(places.Overlap(b, all));
  EXPECT_FALSE(places.Overlap(a, b) || places.Overlap(front, b));
  const std::vector<int64_t> of_all = PlacesOf(places.PackingOf(all)),
                             of_part = PlacesOf(places.PackingOf(b));
  for (int64_t c = 0; c < 64; ++c) {
    for (int64_t y = 0; y < 3; ++y) {
      for (int64_t column = 0; column < 4; ++column) {
        const int64_t channel = 16 + c % 32, at = column * 2 + c / 32;
        ASSERT_EQ(of_part[static_cast<size_t>((c * 3 + y) * 4 + column)] + places.OffsetOf(b),
                  of_all[static_cast<size_t>((channel * 6 + y * 2 + 1) * 8 + at)]);
      }
    }
  }
}

// Columns of 8 channels are a block; in rows that take turns they have gaps. Columns of 12 channels
// would begin inside a block.
TEST(TensorPlaces, ThinColumnsLieInRowsThatTakeTurns) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const graph::InterleaveAttributes turns{{2, 1}, 2};
  const TensorId x = p.Input({1, 16, 3, 4});
  const TensorId a = p.Rescale(x), b = p.Rescale(x);
  p.Apply(Op::kInterleave, {a, b}, turns, {1, 8, 6, 8});
  const TensorPlaces places(p.graph, config, std::vector<bool>(p.graph.nodes.size(), true));
  EXPECT_EQ(places.OffsetOf(b), 64);
  EXPECT_EQ(places.PackingOf(b).layout.strides, (std::vector<int64_t>{192, 192, 128, 16, 1}));
  const TensorId y = p.Input({1, 24, 3, 4});
  p.Apply(Op::kInterleave, {p.Rescale(y), p.Rescale(y)}, turns, {1, 12, 6, 8});
  EXPECT_TRUE(LyingOf(p.graph, p.graph.nodes.back(), config).empty());
}

}  // namespace
}  // namespace tessera::network::interleave_places_test
