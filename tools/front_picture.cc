// SPDX-License-Identifier: Apache-2.0
#include "tools/front_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/canvas.h"

namespace tessera::tools {
namespace {

// Pixels around the plot.
constexpr double kFrontLeft = 76, kFrontRight = 24, kFrontTop = 52, kFrontBottom = 64;

class FrontDrawing {
 public:
  FrontDrawing(Canvas& canvas, const FrontPicture& picture) : canvas_(canvas), picture_(picture) {
    // The front and what it is compared with decide the extent; what lies far off is left out.
    for (const auto* machines : {&picture.front, &picture.beside}) {
      for (const DrawnMachine& machine : *machines) {
        most_x_ = std::max(most_x_, 1.15 * machine.x);
        most_y_ = std::max(most_y_, 1.15 * machine.y);
      }
    }
  }

  void Draw() {
    DrawAxes();
    DrawDots(picture_.predicted, kGrey, 1.5);
    DrawDots(picture_.ran, kColours[5], 2.5);
    DrawSteps();
    DrawDots(picture_.front, kColours[0], 4);
    DrawDots(picture_.beside, kColours[1], 4);
    canvas_.SetFont(Canvas::kTextSize, false);
    for (const DrawnMachine& machine : picture_.beside) {
      canvas_.SetColour(kColours[1]);
      canvas_.Write(X(machine.x) + 8, Y(machine.y) - 6, canvas_.Shortened(machine.name, 180),
                    Anchor::kStart);
    }
  }

 private:
  double X(double value) const {
    return kFrontLeft + (kFrontWidth - kFrontLeft - kFrontRight) * value / most_x_;
  }
  double Y(double value) const {
    return kFrontHeight - kFrontBottom -
           (kFrontHeight - kFrontTop - kFrontBottom) * value / most_y_;
  }

  void DrawAxes() {
    const double bottom = kFrontHeight - kFrontBottom, right = kFrontWidth - kFrontRight;
    const Ticks xs = TicksOf(0, most_x_, 0), ys = TicksOf(0, most_y_, 0);
    const auto text = [](double at, double step) {
      return fmt::format("{:.{}f}", at,
                         std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))));
    };
    for (const double at : xs.at) {
      canvas_.SetColour(kGrid);
      canvas_.DrawLine(Sharp(X(at)), kFrontTop, Sharp(X(at)), bottom, 1);
      canvas_.SetColour(kText);
      canvas_.Write(X(at), bottom + 20, text(at, xs.step), Anchor::kMiddle);
    }
    for (const double at : ys.at) {
      canvas_.SetColour(kGrid);
      canvas_.DrawLine(kFrontLeft, Sharp(Y(at)), right, Sharp(Y(at)), 1);
      canvas_.SetColour(kText);
      canvas_.Write(kFrontLeft - 8, Y(at) + 4, text(at, ys.step), Anchor::kEnd);
    }
    canvas_.SetColour(kFrame);
    canvas_.DrawLine(Sharp(kFrontLeft), kFrontTop, Sharp(kFrontLeft), bottom + 0.5, 1);
    canvas_.DrawLine(kFrontLeft, Sharp(bottom), right, Sharp(bottom), 1);
    canvas_.SetColour(kText);
    canvas_.Write((kFrontLeft + right) / 2, kFrontHeight - 20, picture_.x, Anchor::kMiddle);
    canvas_.WriteUpwards(20, (kFrontTop + bottom) / 2, picture_.y);
    canvas_.SetFont(Canvas::kTitleSize, true);
    canvas_.Write(kFrontLeft, 30, canvas_.Shortened(picture_.title, right - kFrontLeft),
                  Anchor::kStart);
  }

  void DrawDots(const std::vector<DrawnMachine>& machines, const Rgb& colour, double radius) {
    canvas_.SetColour(colour);
    for (const DrawnMachine& machine : machines) {
      if (machine.x <= most_x_ && machine.y <= most_y_)
        canvas_.DrawDot(X(machine.x), Y(machine.y), radius);
    }
  }

  // What the front leaves undominated, from the smallest x on.
  void DrawSteps() {
    canvas_.SetColour(kColours[0]);
    for (size_t k = 1; k < picture_.front.size(); ++k) {
      const DrawnMachine &a = picture_.front[k - 1], &b = picture_.front[k];
      canvas_.DrawLine(X(a.x), Y(a.y), X(b.x), Y(a.y), 1.5);
      canvas_.DrawLine(X(b.x), Y(a.y), X(b.x), Y(b.y), 1.5);
    }
  }

  Canvas& canvas_;
  const FrontPicture& picture_;
  double most_x_ = 1e-9, most_y_ = 1e-9;
};

}  // namespace

Status WriteFront(const std::string& path, const FrontPicture& picture) {
  return WritePicture(path, kFrontWidth, kFrontHeight,
                      [&](Canvas& canvas) { FrontDrawing(canvas, picture).Draw(); });
}

}  // namespace tessera::tools
