// SPDX-License-Identifier: Apache-2.0
//
// What is tested: layouts: places of elements against a formula written here, sizes, packing and
// back, what counts as row-major, and every refusal of CheckLayout. Space: random shapes of one to
// four dimensions, blocked and permuted at random, with and without gaps, seeded. Not tested here:
// layouts as loop IR and as text (tests/compiler/ir).
#include "base/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"

namespace tessera::layout_test {
namespace {

using Shape = std::vector<int64_t>;

// Every dimension once, in random order; some dimensions are split in two, others have a halo.
Layout RandomLayout(Rng& rng, const Shape& shape) {
  Layout layout;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int dim = static_cast<int>(d);
    const int64_t block = rng.Range(1, 5);
    if (rng.OneIn(2)) {
      layout.dims.push_back({dim, block, 0});
      layout.dims.push_back({dim, 1, block});
    } else {
      layout.dims.push_back({dim, 1, 0});
      if (rng.OneIn(2)) layout.dims.back().before = rng.Range(0, 3);
      if (rng.OneIn(2)) layout.dims.back().after = rng.Range(0, 3);
    }
  }
  for (size_t k = layout.dims.size(); k > 1; --k)
    std::swap(layout.dims[k - 1],
              layout.dims[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(k) - 1))]);
  return layout;
}

class LayoutProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LayoutProperty, EveryElementHasItsOwnPlace) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  Shape shape(static_cast<size_t>(rng.Range(1, 4)));
  for (int64_t& extent : shape) extent = rng.Range(1, 7);
  Layout layout = RandomLayout(rng, shape);
  layout.fill = rng.Range(0, 100);
  if (rng.OneIn(2)) {  // a gap in front of every step
    layout.strides = PhysicalStrides(shape, layout);
    for (int64_t& stride : layout.strides) stride *= 3;
  }
  ASSERT_TRUE(CheckLayout(shape, layout, 1 << 20));
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  std::vector<uint8_t> data;
  for (int64_t i = 0; i < count; ++i) data.push_back(static_cast<uint8_t>(128 + i % 100));
  const std::vector<uint8_t> packed = PackLayout(shape, layout, 1, data);
  ASSERT_EQ(static_cast<int64_t>(packed.size()), SizeInElements(shape, layout));
  EXPECT_EQ(UnpackLayout(shape, layout, 1, packed), data);
  std::vector<uint8_t> want(packed.size(), static_cast<uint8_t>(layout.fill));
  for (int64_t i = 0; i < count; ++i) {
    Shape index(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    // From the innermost physical dimension outwards.
    int64_t at = 0, step = 1;
    for (size_t k = layout.dims.size(); k-- > 0;) {
      const LayoutDim& d = layout.dims[k];
      const int64_t extent = shape[static_cast<size_t>(d.dim)];
      int64_t here = (d.before + index[static_cast<size_t>(d.dim)]) / d.div;
      if (d.mod > 0) here %= d.mod;
      at += here * (layout.strides.empty() ? step : layout.strides[k]);
      step *= d.mod > 0 ? d.mod : d.before + (extent + d.div - 1) / d.div + d.after;
    }
    want[static_cast<size_t>(at)] = data[static_cast<size_t>(i)];
  }
  EXPECT_EQ(packed, want);
  EXPECT_EQ(IsRowMajor(shape, layout), packed == data);
}
INSTANTIATE_TEST_SUITE_P(Seeds, LayoutProperty, ::testing::Range(uint64_t{0}, uint64_t{300}));

TEST(Layout, WithoutDimensionsIsRowMajor) {
  const Shape shape{2, 3};
  EXPECT_EQ(PhysicalStrides(shape, {}), (Shape{3, 1}));
  EXPECT_EQ(SizeInElements(shape, {}), 6);
  EXPECT_TRUE(IsRowMajor(shape, {}));
  EXPECT_EQ(SizeInElements({}, {}), 1);
  // A pixel of 16 channels in blocks of 16 is row-major; four channels in such a block are not.
  const Layout blocked{{{0, 1, 0}, {1, 16, 0}, {2, 1, 0}, {3, 1, 0}, {1, 1, 16}}, 0, {}};
  EXPECT_TRUE(IsRowMajor(Shape{1, 16, 1, 1}, blocked));
  EXPECT_FALSE(IsRowMajor(Shape{1, 4, 1, 1}, blocked));
  EXPECT_FALSE(IsRowMajor(Shape{1, 16, 1, 2}, blocked));
}

TEST(Layout, ElementsOfSeveralBytesMoveTogether) {
  const Layout turned{{{1, 1, 0}, {0, 1, 0}}, 0, {}};
  const std::vector<uint8_t> data{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<uint8_t> packed = PackLayout(Shape{2, 2}, turned, 2, data);
  EXPECT_EQ(packed, (std::vector<uint8_t>{1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(Layout, WhatIsNoneIsRefused) {
  const Shape shape{4, 4};
  const auto says = [&](const Layout& layout, uint64_t most = 1000) {
    const Status status = CheckLayout(shape, layout, most);
    return status ? "accepted" : status.error().message;
  };
  EXPECT_EQ(says({{{0, 1, 0}, {1, 1, 0}}, 0, {1}}), "a layout of 2 dimensions has 1 strides");
  EXPECT_EQ(says({{{2, 1, 0}}, 0, {}}), "layout dimension 0 is 2 / 1 % 0 with stride 0");
  EXPECT_EQ(says({{{-1, 1, 0}}, 0, {}}), "layout dimension 0 is -1 / 1 % 0 with stride 0");
  EXPECT_EQ(says({{{0, 0, 0}}, 0, {}}), "layout dimension 0 is 0 / 0 % 0 with stride 0");
  EXPECT_EQ(says({{{0, 1, -2}}, 0, {}}), "layout dimension 0 is 0 / 1 % -2 with stride 0");
  EXPECT_EQ(says({{{0, 1, 0}}, 0, {-3}}), "layout dimension 0 is 0 / 1 % 0 with stride -3");
  EXPECT_EQ(says({{{0, 1, 0, -1, 0}, {1, 1, 0}}, 0, {}}),
            "layout dimension 0 has a halo of -1 and 0");
  EXPECT_EQ(says({{{0, 1, 0}, {1, 1, 4, 0, 1}}, 0, {}}),
            "layout dimension 1 has a halo of 0 and 1");
  EXPECT_EQ(says({{{0, 1, 0, 1, 0}, {1, 1, 0}}, 0, {}}, 19), "a layout reaches past 19 elements");
  EXPECT_EQ(says({{{0, 1, 0, 1, 0}, {1, 1, 0}}, 0, {}}, 20), "accepted");
  EXPECT_EQ(says({}, 15), "a layout reaches past 15 elements");
  EXPECT_EQ(says({}, 16), "accepted");
  EXPECT_EQ(says({{{0, 1, int64_t{1} << 62}, {1, 1, int64_t{1} << 62}}, 0, {}}),
            "a layout reaches past 1000 elements");
  EXPECT_EQ(says({{{0, 1, 0}, {1, 1, 0}}, 0, {int64_t{1} << 62, 1}}),
            "a layout reaches past 1000 elements");
  EXPECT_FALSE(CheckLayout(Shape{0}, {}, 10));
  EXPECT_EQ(says({{{0, 1, 0}, {1, 1, 0}}, 0, {4, 1}}), "accepted");
  EXPECT_EQ(says({{{0, 1, 0}, {1, 1, 0}}, 0, {3, 1}}),
            "layout dimension 0 has stride 3, where smaller steps reach element 3: elements would "
            "share places; a stride of 4 or more keeps them apart");
  EXPECT_EQ(says({{{0, 1, 0}, {1, 1, 0}}, 0, {16, 0}}),
            "layout dimension 1 has stride 0, where smaller steps reach element 0: elements would "
            "share places; a stride of 1 or more keeps them apart");
}

// Random strides; the places of the elements are counted.
TEST(Layout, AcceptedStridesKeepElementsApart) {
  Rng rng(42);
  int accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    Layout layout{{{0, 1, 0}, {1, 2, 0}, {2, 1, 0}, {1, 1, 2}}, 0, {}};
    const Shape shape{rng.Range(1, 4), 2 * rng.Range(1, 3), rng.Range(1, 5)};
    for (int k = 0; k < 4; ++k) layout.strides.push_back(rng.Range(0, 1) * rng.Range(0, 40) + k);
    if (!CheckLayout(shape, layout, 10000)) continue;
    ++accepted;
    std::set<int64_t> places;
    for (int64_t a = 0; a < shape[0]; ++a) {
      for (int64_t b = 0; b < shape[1]; ++b) {
        for (int64_t c = 0; c < shape[2]; ++c)
          places.insert(a * layout.strides[0] + b / 2 * layout.strides[1] + c * layout.strides[2] +
                        b % 2 * layout.strides[3]);
      }
    }
    EXPECT_EQ(std::ssize(places), shape[0] * shape[1] * shape[2]) << round;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace tessera::layout_test
