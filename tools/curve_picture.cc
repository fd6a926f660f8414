// SPDX-License-Identifier: Apache-2.0
#include "tools/curve_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/canvas.h"

namespace tessera::tools {
namespace {

// Pixels around the plot; at its right is the legend, as wide as its names. All lengths here are
// pixels.
constexpr double kLeft = 76, kRight = 24, kTop = 52, kBottom = 64;
constexpr double kWidestName = 260, kSwatch = 24, kGap = 8, kLegendRow = 20;

class Drawing {
 public:
  Drawing(Canvas& canvas, const std::vector<Curve>& curves) : canvas_(canvas), curves_(curves) {
    for (const Curve& curve : curves_) {
      names_.push_back(canvas_.Shortened(curve.name, kWidestName));
      legend_ = std::max(legend_, canvas_.WidthOf(names_.back()));
      for (const CurvePoint& point : curve.points) {
        low_ = std::min(low_, point.share);
        high_ = std::max(high_, point.share);
        last_ = std::max(last_, static_cast<double>(point.trials));
      }
    }
    // Room at both ends; at least one per cent in all.
    const double room = std::max((high_ - low_) / 16, 0.005);
    low_ = std::max(low_ - room, 0.0);
    high_ += room;
    right_ = kCurvesWidth - kRight - legend_ - kSwatch - 2 * kGap;
  }

  void Draw(const std::string& unit, const std::string& axis) {
    DrawAxes(unit, axis);
    for (size_t c = 0; c < curves_.size(); ++c) DrawCurve(c);
    DrawLegend();
  }

 private:
  double X(double trials) const { return kLeft + (right_ - kLeft) * trials / last_; }
  double Y(double share) const {
    return kTop + (kCurvesHeight - kTop - kBottom) * (high_ - share) / (high_ - low_);
  }
  void DrawAxes(const std::string& unit, const std::string& axis) {
    const double bottom = kCurvesHeight - kBottom, middle = (kTop + bottom) / 2;
    const Ticks trials = TicksOf(0, last_, 1), shares = TicksOf(100 * low_, 100 * high_, 0);
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(shares.step) + 1e-9)));
    canvas_.SetFont(Canvas::kTextSize, false);
    for (const double at : trials.at) {
      canvas_.SetColour(kGrid);
      canvas_.DrawLine(Sharp(X(at)), kTop, Sharp(X(at)), bottom, 1);
      canvas_.SetColour(kText);
      canvas_.Write(X(at), bottom + 20, fmt::format("{:.0f}", at), Anchor::kMiddle);
    }
    for (const double at : shares.at) {
      canvas_.SetColour(kGrid);
      canvas_.DrawLine(kLeft, Sharp(Y(at / 100)), right_, Sharp(Y(at / 100)), 1);
      canvas_.SetColour(kText);
      canvas_.Write(kLeft - kGap, Y(at / 100) + 4, fmt::format("{:.{}f}", at, decimals),
                    Anchor::kEnd);
    }
    canvas_.SetColour(kGrey);
    canvas_.DrawLine(kLeft, Sharp(Y(1)), right_, Sharp(Y(1)), 1);
    canvas_.SetColour(kFrame);
    canvas_.DrawLine(Sharp(kLeft), kTop, Sharp(kLeft), bottom + 0.5, 1);
    canvas_.DrawLine(kLeft, Sharp(bottom), right_, Sharp(bottom), 1);
    canvas_.SetColour(kText);
    canvas_.Write((kLeft + right_) / 2, kCurvesHeight - 20, axis, Anchor::kMiddle);
    canvas_.WriteUpwards(20, middle, fmt::format("{}, in % of the compiler's own choice", unit));
    canvas_.SetFont(Canvas::kTitleSize, true);
    canvas_.Write(kLeft, 30, fmt::format("{} of the best so far", unit), Anchor::kStart);
  }

  void SetCurve(size_t c) {
    canvas_.SetColour(kColours[c % kColours.size()]);
    cairo_set_line_width(canvas_.cairo(), 2);
    const double dashes[] = {6, 4};  // of a colour's second curve
    cairo_set_dash(canvas_.cairo(), dashes, c / kColours.size() % 2 == 0 ? 0 : 2, 0);
  }
  // The steps of curve |c|, with a dot at its end.
  void DrawCurve(size_t c) {
    const std::vector<CurvePoint>& points = curves_[c].points;
    if (points.empty()) return;
    SetCurve(c);
    cairo_set_line_join(canvas_.cairo(), CAIRO_LINE_JOIN_ROUND);
    double before = points[0].share;
    cairo_new_path(canvas_.cairo());  // text leaves a point behind
    for (const CurvePoint& point : points) {
      const double x = X(static_cast<double>(point.trials));
      cairo_line_to(canvas_.cairo(), x, Y(before));
      cairo_line_to(canvas_.cairo(), x, Y(point.share));
      before = point.share;
    }
    cairo_stroke(canvas_.cairo());
    canvas_.DrawDot(X(static_cast<double>(points.back().trials)), Y(before), 3.5);
  }

  void DrawLegend() {
    canvas_.SetFont(Canvas::kTextSize, false);
    const double left = right_ + 2 * kGap;
    const double row = std::min(
        kLegendRow, (kCurvesHeight - kTop - kBottom) / static_cast<double>(curves_.size() + 1));
    for (size_t c = 0; c < curves_.size(); ++c) {
      const double y = kTop + row * (static_cast<double>(c) + 0.5);
      SetCurve(c);
      cairo_move_to(canvas_.cairo(), left, y);
      cairo_line_to(canvas_.cairo(), left + kSwatch - kGap / 2, y);
      cairo_stroke(canvas_.cairo());
      canvas_.SetColour(kText);
      canvas_.Write(left + kSwatch, y + 4, names_[c], Anchor::kStart);
    }
    cairo_set_dash(canvas_.cairo(), nullptr, 0, 0);
  }

  Canvas& canvas_;
  const std::vector<Curve>& curves_;
  std::vector<std::string> names_;
  double low_ = 1, high_ = 1, last_ = 1;  // shares; trials
  double legend_ = 0, right_ = 0;         // the width of its names; the plot's right end
};

}  // namespace

Status CheckCurves(const std::string& path) { return CheckPicture(path); }

Status WriteCurves(const std::string& path, const std::vector<Curve>& curves,
                   const std::string& unit, const std::string& axis) {
  return WritePicture(path, kCurvesWidth, kCurvesHeight,
                      [&](Canvas& canvas) { Drawing(canvas, curves).Draw(unit, axis); });
}

}  // namespace tessera::tools
