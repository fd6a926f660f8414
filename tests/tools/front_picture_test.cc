// SPDX-License-Identifier: Apache-2.0
//
// What is tested: pictures of fronts: their size, and the colours of the machines at the places
// that their values have; equal bytes for equal machines; other endings are refused. Space: no
// machine, one of each kind. Not tested here: letters, axes (curve_picture_test.cc draws with the
// same parts).
#include "tools/front_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/tensor/picture.h"
#include "tests/tools/command.h"

namespace tessera::test::front_picture_test {
namespace {

// The red, green and blue of the pixel at |x| of the plot's width and |y| of its height, both from
// the origin at the bottom left.
uint32_t PixelAt(const std::string& path, double x, double y) {
  const auto picture = ReadPicture(path);
  if (!picture) return 0;
  // The plot lies 76 pixels from the left, 24 from the right, 52 below the top, 64 above the end.
  const auto column = static_cast<size_t>(76 + x * (tools::kFrontWidth - 100));
  const auto row =
      static_cast<size_t>(tools::kFrontHeight - 64 - y * (tools::kFrontHeight - 52 - 64));
  const size_t at = 3 * (row * tools::kFrontWidth + column);
  return uint32_t{picture->bytes[at]} << 16 | uint32_t{picture->bytes[at + 1]} << 8 |
         picture->bytes[at + 2];
}

TEST(FrontPicture, HasEachMachineAtItsPlace) {
  const tools::FrontPicture picture{.title = "a network on a part",
                                    .x = "ms",
                                    .y = "lut",
                                    .predicted = {{5, 90}, {500, 90}},
                                    .ran = {{8, 80}},
                                    .front = {{2, 100}, {10, 50}},
                                    .beside = {{4, 60, "default"}}};
  const std::string path = TempPath("front.png"), again = TempPath("again.png");
  ASSERT_TRUE(tools::WriteFront(path, picture));
  ASSERT_TRUE(tools::WriteFront(again, picture));
  EXPECT_TRUE(Read(path) == Read(again));
  // The axes end 15 % beyond the largest values of the front and of what is beside it.
  const double most_x = 11.5, most_y = 115;
  EXPECT_EQ(PixelAt(path, 2 / most_x, 100 / most_y), 0x0072b2u);
  EXPECT_EQ(PixelAt(path, 10 / most_x, 50 / most_y), 0x0072b2u);
  EXPECT_EQ(PixelAt(path, 4 / most_x, 60 / most_y), 0xd55e00u);
  EXPECT_EQ(PixelAt(path, 8 / most_x, 80 / most_y), 0x56b4e9u);
  EXPECT_EQ(PixelAt(path, 5 / most_x, 90 / most_y), 0xa8a8a8u);
}

TEST(FrontPicture, OfNothingIsEmpty) {
  const std::string path = TempPath("none.svg");
  ASSERT_TRUE(tools::WriteFront(path, {}));
  EXPECT_THAT(Read(path), ::testing::HasSubstr("width=\"900px\" height=\"540px\""));
  const Status wrong = tools::WriteFront(TempPath("front.pdf"), {});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("whose name ends in .svg or .png"));
}

}  // namespace
}  // namespace tessera::test::front_picture_test
