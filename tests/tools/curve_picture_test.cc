// SPDX-License-Identifier: Apache-2.0
//
// What is tested: pictures of searches. PNG: its signature, its size and its pixels as libpng reads
// them: where curves lie, that the legend lies beside them, equal bytes for equal curves. SVG: its
// size and the colours of its curves. Refused: other endings, a file that cannot be written, a name
// that is not UTF-8; what was there stays. Space: no curve, curves of no and of one point, two
// curves, sixteen with long names. Not tested here: letters; that equal searches have equal SVG
// (tune_test).
#include "tools/curve_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "runtime/tensor/picture.h"
#include "tests/tools/command.h"

namespace tessera::test::curve_picture_test {
namespace {

using ::testing::HasSubstr;
using tools::Curve;

constexpr uint32_t kFirst = 0x0072b2, kSecond = 0xd55e00;  // colours of curves

std::vector<Curve> TwoCurves() {
  return {{"network", {{8, 1.0}, {32, 0.5}}}, {"layers", {{8, 0.9}, {64, 0.9}}}};
}

// A picture that was read back.
struct Pixels {
  int64_t width = 0, height = 0;
  std::vector<uint32_t> rgb;  // row by row
  uint32_t At(int64_t x, int64_t y) const { return rgb[static_cast<size_t>(y * width + x)]; }
  bool InColumn(int64_t x, uint32_t colour) const {
    for (int64_t y = 0; y < height; ++y) {
      if (At(x, y) == colour) return true;
    }
    return false;
  }
};

Pixels Drawn(const std::vector<Curve>& curves, const char* name = "drawn.png") {
  const std::string path = TempPath(name);
  const Status written = tools::WriteCurves(path, curves, "cycles");
  EXPECT_TRUE(written) << written.error().message;
  const auto picture = ReadPicture(path);
  EXPECT_TRUE(picture) << picture.error().message;
  Pixels pixels;
  if (!picture) return pixels;
  EXPECT_EQ(picture->shape, (std::vector<int64_t>{tools::kCurvesHeight, tools::kCurvesWidth, 3}));
  pixels.height = picture->shape[0];
  pixels.width = picture->shape[1];
  const std::vector<uint8_t>& bytes = picture->bytes;
  for (size_t at = 0; at + 2 < bytes.size(); at += 3)
    pixels.rgb.push_back(uint32_t{bytes[at]} << 16 | bytes[at + 1] << 8 | bytes[at + 2]);
  return pixels;
}

TEST(CurvePicture, IsAPngThatOthersRead) {
  const Pixels drawn = Drawn(TwoCurves(), "two.png");
  const std::string bytes = Read(TempPath("two.png"));
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  ASSERT_EQ(drawn.width, 900);
  ASSERT_EQ(drawn.height, 540);
  EXPECT_EQ(drawn.At(0, 0), 0xffffffu);
  EXPECT_EQ(drawn.At(899, 539), 0xffffffu);
  Drawn(TwoCurves(), "again.png");
  EXPECT_EQ(Read(TempPath("again.png")), bytes);
}

// The first curve falls from 100 % to 50 %. The second one stays at 90 %, one fifth of the way.
TEST(CurvePicture, HasTheCurvesWhereTheirSharesAre) {
  const Pixels drawn = Drawn(TwoCurves());
  std::vector<int64_t> rows, others;  // in the left half, where there is no legend
  for (int64_t y = 0; y < drawn.height; ++y) {
    for (int64_t x = 0; x < drawn.width / 2; ++x) {
      if (drawn.At(x, y) == kFirst) rows.push_back(y);
      if (drawn.At(x, y) == kSecond) others.push_back(y);
    }
  }
  ASSERT_FALSE(rows.empty());
  ASSERT_FALSE(others.empty());
  const auto whole = static_cast<double>(rows.back() - rows.front()),
             part = static_cast<double>(others.front() - rows.front());
  EXPECT_GT(whole, 300) << "the picture is used";
  EXPECT_NEAR(part / whole, 0.2, 0.02);
  EXPECT_LE(others.back() - others.front(), 2) << "a level curve";
}

// Two columns of white, from top to bottom, part the plot from the legend; each colour is on both
// sides.
TEST(CurvePicture, LegendLiesBesideTheCurves) {
  std::vector<Curve> many;
  for (int c = 0; c < 16; ++c) {
    Curve curve{"a name that is longer than the legend of a picture is wide, of strategy " +
                    std::to_string(c),
                {}};
    for (int64_t trials = 8; trials <= 128; ++trials)
      curve.points.push_back({trials, 1.2 - 0.02 * c + 0.9 / static_cast<double>(trials)});
    many.push_back(std::move(curve));
  }
  for (const std::vector<Curve>& curves : {TwoCurves(), many}) {
    const Pixels drawn = Drawn(curves);
    int64_t gap = drawn.width / 2;
    const auto white = [&](int64_t x) {
      for (int64_t y = 0; y < drawn.height; ++y) {
        if (drawn.At(x, y) != 0xffffff) return false;
      }
      return true;
    };
    while (gap < drawn.width - 1 && !(white(gap) && white(gap + 1))) ++gap;
    ASSERT_LT(gap, drawn.width - 100);
    for (const uint32_t colour : {kFirst, kSecond}) {
      int64_t before = 0, behind = 0;
      for (int64_t x = 0; x < drawn.width; ++x)
        (x < gap ? before : behind) += drawn.InColumn(x, colour) ? 1 : 0;
      EXPECT_GT(before, 100);
      EXPECT_GT(behind, 10);
      EXPECT_LT(behind, 30) << "the legend's line";
    }
    for (int64_t x = drawn.width - 8; x < drawn.width; ++x) EXPECT_TRUE(white(x)) << x;
  }
}

TEST(CurvePicture, IsAnSvg) {
  const std::string path = TempPath("two.svg");
  ASSERT_TRUE(tools::WriteCurves(path, TwoCurves(), "ns"));
  const std::string svg = Read(path);
  EXPECT_THAT(svg, HasSubstr("width=\"900px\" height=\"540px\" viewBox=\"0 0 900 540\""));
  EXPECT_THAT(svg, HasSubstr("stroke:rgb(0%,44.705882%,69.803922%)"));
  EXPECT_THAT(svg, HasSubstr("stroke:rgb(83.529412%,36.862745%,0%)"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(CurvePicture, NeedsNoCurve) {
  EXPECT_EQ(Drawn({}).width, 900);
  // The dot of one point in the middle of the plot.
  const Pixels one = Drawn({{"layers", {{1, 1.0}}}, {"nothing", {}}, {"longer", {{2, 1.0}}}});
  int64_t dot = 0;
  for (int64_t x = 0; x < one.width * 2 / 3; ++x) dot += one.InColumn(x, kFirst) ? 1 : 0;
  EXPECT_GE(dot, 4);
  EXPECT_LE(dot, 8);
}

TEST(CurvePicture, RefusesOtherEndings) {
  for (const char* name : {"x.pdf", "x", "png", "x.PNG", "x.svg.gz"}) {
    const std::string path = TempPath(name);
    for (const Status& refused :
         {tools::CheckCurves(path), tools::WriteCurves(path, TwoCurves(), "ns")}) {
      ASSERT_FALSE(refused) << path;
      EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
      EXPECT_EQ(refused.error().message,
                path +
                    ": curves are drawn as SVG or PNG; give a file whose name ends in .svg or "
                    ".png");
    }
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(CurvePicture, SaysThatAFileCannotBeWritten) {
  for (const char* path : {"/nonexistent/x.svg", "/nonexistent/x.png"}) {
    for (const Status& refused :
         {tools::CheckCurves(path), tools::WriteCurves(path, TwoCurves(), "ns")}) {
      ASSERT_FALSE(refused) << path;
      EXPECT_EQ(refused.error().code, Code::kUnavailable);
      EXPECT_THAT(refused.error().message, HasSubstr(std::string(path) + ": cannot create: "));
    }
  }
}

TEST(CurvePicture, LeavesTheFileWhereItCannotDraw) {
  for (const char* name : {"kept.svg", "kept.png"}) {
    const std::string path = Write(name, "as it was");
    EXPECT_TRUE(tools::CheckCurves(path));
    const Status refused = tools::WriteCurves(path, {{"\xff", {{1, 1.0}}}}, "ns");
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr(path + ": cairo cannot draw the curves: "));
    EXPECT_EQ(Read(path), "as it was");
  }
}

}  // namespace
}  // namespace tessera::test::curve_picture_test
