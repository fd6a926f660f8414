// SPDX-License-Identifier: Apache-2.0
#include "tools/curve_picture.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/file.h"

namespace tessera::tools {
namespace {

// Pixels around the plot; at its right is the legend, as wide as its names. All lengths here are
// pixels.
constexpr double kLeft = 76, kRight = 24, kTop = 52, kBottom = 64;
constexpr double kWidestName = 260, kSwatch = 24, kGap = 8, kLegendRow = 20;
constexpr double kTitleSize = 15, kTextSize = 12;
constexpr int kMostTicks = 7;  // of an axis

struct Rgb {
  int red, green, blue;
};
// The colours of the curves are Okabe and Ito's, which readers with colour blindness tell apart.
constexpr std::array<Rgb, 8> kColours{{{0x00, 0x72, 0xb2},
                                       {0xd5, 0x5e, 0x00},
                                       {0x00, 0x9e, 0x73},
                                       {0xcc, 0x79, 0xa7},
                                       {0xe6, 0x9f, 0x00},
                                       {0x56, 0xb4, 0xe9},
                                       {0x00, 0x00, 0x00},
                                       {0x8c, 0x78, 0x00}}};
constexpr Rgb kWhite{255, 255, 255}, kGrid{0xe4, 0xe4, 0xe4}, kGiven{0xa8, 0xa8, 0xa8},
    kFrame{0x60, 0x60, 0x60}, kText{0x20, 0x20, 0x20};

struct CairoDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <typename T>
using CairoHandle = std::unique_ptr<T, CairoDeleter>;

// Of cairo, which hands over a file in parts.
cairo_status_t Append(void* file, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

// The marks of an axis: multiples of a step of 1, 2 or 5 times a power of ten.
struct Ticks {
  double step;
  std::vector<double> at;
};
Ticks TicksOf(double low, double high, double least_step) {
  double step = std::pow(10, std::floor(std::log10((high - low) / kMostTicks)));
  for (int k = 0; (high - low) / step > kMostTicks; ++k) step *= k % 3 == 1 ? 2.5 : 2;
  Ticks ticks{std::max(step, least_step), {}};
  const auto first = static_cast<int64_t>(std::ceil(low / ticks.step - 1e-9)),
             last = static_cast<int64_t>(std::floor(high / ticks.step + 1e-9));
  for (int64_t n = first; n <= last; ++n) ticks.at.push_back(static_cast<double>(n) * ticks.step);
  return ticks;
}

// Which part of a text lies at its place, as in SVG.
enum class Anchor : uint8_t { kStart, kMiddle, kEnd };

class Drawing {
 public:
  Drawing(cairo_surface_t* surface, const std::vector<Curve>& curves)
      : cairo_(cairo_create(surface)), curves_(curves) {
    const CairoHandle<cairo_font_options_t> options(cairo_font_options_create());
    // Equal places of letters on all surfaces.
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo_.get(), options.get());
    SetFont(kTextSize, false);
    for (const Curve& curve : curves_) {
      names_.push_back(Shortened(curve.name));
      legend_ = std::max(legend_, WidthOf(names_.back()));
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

  cairo_status_t Draw(const std::string& unit, const std::string& axis) {
    SetColour(kWhite);
    cairo_paint(cairo_.get());
    DrawAxes(unit, axis);
    for (size_t c = 0; c < curves_.size(); ++c) DrawCurve(c);
    DrawLegend();
    return cairo_status(cairo_.get());
  }

 private:
  double X(double trials) const { return kLeft + (right_ - kLeft) * trials / last_; }
  double Y(double share) const {
    return kTop + (kCurvesHeight - kTop - kBottom) * (high_ - share) / (high_ - low_);
  }
  void SetColour(const Rgb& c) {
    cairo_set_source_rgb(cairo_.get(), c.red / 255.0, c.green / 255.0, c.blue / 255.0);
  }
  void SetFont(double size, bool bold) {
    cairo_select_font_face(cairo_.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_.get(), size);
  }
  double WidthOf(const std::string& text) {
    cairo_text_extents_t extents{};  // cairo leaves it as it is after an error
    cairo_text_extents(cairo_.get(), text.c_str(), &extents);
    return extents.x_advance;
  }
  // |name| with its end left out where it is too wide for the legend.
  std::string Shortened(std::string name) {
    if (WidthOf(name) <= kWidestName) return name;
    const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    while (!name.empty() && WidthOf(name + "\u2026") > kWidestName) {
      while (name.size() > 1 && inside(name.back())) name.pop_back();
      name.pop_back();
    }
    return name + "\u2026";
  }
  // |text| with its base line at |y|.
  void Write(double x, double y, const std::string& text, Anchor anchor) {
    const double width = anchor == Anchor::kStart ? 0 : WidthOf(text);
    cairo_move_to(cairo_.get(), anchor == Anchor::kMiddle ? x - width / 2 : x - width, y);
    cairo_show_text(cairo_.get(), text.c_str());
  }
  void DrawLine(double x0, double y0, double x1, double y1, double width) {
    cairo_set_line_width(cairo_.get(), width);
    cairo_move_to(cairo_.get(), x0, y0);
    cairo_line_to(cairo_.get(), x1, y1);
    cairo_stroke(cairo_.get());
  }

  void DrawAxes(const std::string& unit, const std::string& axis) {
    const double bottom = kCurvesHeight - kBottom, middle = (kTop + bottom) / 2;
    const Ticks trials = TicksOf(0, last_, 1), shares = TicksOf(100 * low_, 100 * high_, 0);
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(shares.step) + 1e-9)));
    SetFont(kTextSize, false);
    // A line of one pixel is sharp where it lies in the middle of a pixel.
    const auto sharp = [](double at) { return std::floor(at) + 0.5; };
    for (const double at : trials.at) {
      SetColour(kGrid);
      DrawLine(sharp(X(at)), kTop, sharp(X(at)), bottom, 1);
      SetColour(kText);
      Write(X(at), bottom + 20, fmt::format("{:.0f}", at), Anchor::kMiddle);
    }
    for (const double at : shares.at) {
      SetColour(kGrid);
      DrawLine(kLeft, sharp(Y(at / 100)), right_, sharp(Y(at / 100)), 1);
      SetColour(kText);
      Write(kLeft - kGap, Y(at / 100) + 4, fmt::format("{:.{}f}", at, decimals), Anchor::kEnd);
    }
    SetColour(kGiven);
    DrawLine(kLeft, sharp(Y(1)), right_, sharp(Y(1)), 1);
    SetColour(kFrame);
    DrawLine(sharp(kLeft), kTop, sharp(kLeft), bottom + 0.5, 1);
    DrawLine(kLeft, sharp(bottom), right_, sharp(bottom), 1);
    SetColour(kText);
    Write((kLeft + right_) / 2, kCurvesHeight - 20, axis, Anchor::kMiddle);
    cairo_save(cairo_.get());
    cairo_translate(cairo_.get(), 20, middle);
    cairo_rotate(cairo_.get(), -std::acos(0.0));
    Write(0, 0, fmt::format("{}, in % of the compiler's own choice", unit), Anchor::kMiddle);
    cairo_restore(cairo_.get());
    SetFont(kTitleSize, true);
    Write(kLeft, 30, fmt::format("{} of the best so far", unit), Anchor::kStart);
  }

  void SetCurve(size_t c) {
    SetColour(kColours[c % kColours.size()]);
    cairo_set_line_width(cairo_.get(), 2);
    const double dashes[] = {6, 4};  // of a colour's second curve
    cairo_set_dash(cairo_.get(), dashes, c / kColours.size() % 2 == 0 ? 0 : 2, 0);
  }
  // The steps of curve |c|, with a dot at its end.
  void DrawCurve(size_t c) {
    const std::vector<CurvePoint>& points = curves_[c].points;
    if (points.empty()) return;
    SetCurve(c);
    cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
    double before = points[0].share;
    cairo_new_path(cairo_.get());  // text leaves a point behind
    for (const CurvePoint& point : points) {
      const double x = X(static_cast<double>(point.trials));
      cairo_line_to(cairo_.get(), x, Y(before));
      cairo_line_to(cairo_.get(), x, Y(point.share));
      before = point.share;
    }
    cairo_stroke(cairo_.get());
    cairo_arc(cairo_.get(), X(static_cast<double>(points.back().trials)), Y(before), 3.5, 0,
              4 * std::acos(0.0));
    cairo_fill(cairo_.get());
  }

  void DrawLegend() {
    SetFont(kTextSize, false);
    const double left = right_ + 2 * kGap;
    const double row = std::min(
        kLegendRow, (kCurvesHeight - kTop - kBottom) / static_cast<double>(curves_.size() + 1));
    for (size_t c = 0; c < curves_.size(); ++c) {
      const double y = kTop + row * (static_cast<double>(c) + 0.5);
      SetCurve(c);
      cairo_move_to(cairo_.get(), left, y);
      cairo_line_to(cairo_.get(), left + kSwatch - kGap / 2, y);
      cairo_stroke(cairo_.get());
      SetColour(kText);
      Write(left + kSwatch, y + 4, names_[c], Anchor::kStart);
    }
    cairo_set_dash(cairo_.get(), nullptr, 0, 0);
  }

  const CairoHandle<cairo_t> cairo_;
  const std::vector<Curve>& curves_;
  std::vector<std::string> names_;
  double low_ = 1, high_ = 1, last_ = 1;  // shares; trials
  double legend_ = 0, right_ = 0;         // the width of its names; the plot's right end
};

enum class Format : uint8_t { kSvg, kPng };

Result<Format> FormatOf(const std::string& path) {
  if (path.ends_with(".svg")) return Format::kSvg;
  if (path.ends_with(".png")) return Format::kPng;
  return Fail(Code::kInvalidArgument,
              "{}: curves are drawn as SVG or PNG; give a file whose name ends in .svg or .png",
              path);
}

}  // namespace

Status CheckCurves(const std::string& path) {
  TESSERA_TRY(FormatOf(path));
  return CheckWritable(path);
}

Status WriteCurves(const std::string& path, const std::vector<Curve>& curves,
                   const std::string& unit, const std::string& axis) {
  TESSERA_ASSIGN(const Format format, FormatOf(path));
  std::string file;
  // A PNG of RGB: without transparency.
  const CairoHandle<cairo_surface_t> surface(
      format == Format::kPng
          ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, kCurvesWidth, kCurvesHeight)
          : cairo_svg_surface_create_for_stream(Append, &file, kCurvesWidth, kCurvesHeight));
  if (format == Format::kSvg) cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  cairo_status_t status = Drawing(surface.get(), curves).Draw(unit, axis);
  if (status == CAIRO_STATUS_SUCCESS && format == Format::kPng)
    status = cairo_surface_write_to_png_stream(surface.get(), Append, &file);
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) return WriteFile(path, file);
  return Fail(status == CAIRO_STATUS_INVALID_STRING ? Code::kInvalidArgument : Code::kUnavailable,
              "{}: cairo cannot draw the curves: {}", path, cairo_status_to_string(status));
}

}  // namespace tessera::tools
