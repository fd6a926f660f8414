// SPDX-License-Identifier: Apache-2.0
#include "tools/canvas.h"

#include <cairo-svg.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"

namespace tessera::tools {
namespace {

constexpr int kMostTicks = 7;  // of an axis

// Of cairo, which hands over a file in parts.
cairo_status_t Append(void* file, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

enum class Format : uint8_t { kSvg, kPng };

Result<Format> FormatOf(const std::string& path) {
  if (path.ends_with(".svg")) return Format::kSvg;
  if (path.ends_with(".png")) return Format::kPng;
  return Fail(Code::kInvalidArgument,
              "{}: curves are drawn as SVG or PNG; give a file whose name ends in .svg or .png",
              path);
}

}  // namespace

Ticks TicksOf(double low, double high, double least_step) {
  double step = std::pow(10, std::floor(std::log10((high - low) / kMostTicks)));
  for (int k = 0; (high - low) / step > kMostTicks; ++k) step *= k % 3 == 1 ? 2.5 : 2;
  Ticks ticks{std::max(step, least_step), {}};
  const auto first = static_cast<int64_t>(std::ceil(low / ticks.step - 1e-9)),
             last = static_cast<int64_t>(std::floor(high / ticks.step + 1e-9));
  for (int64_t n = first; n <= last; ++n) ticks.at.push_back(static_cast<double>(n) * ticks.step);
  return ticks;
}

Canvas::Canvas(cairo_surface_t* surface) : cairo_(cairo_create(surface)) {
  const CairoHandle<cairo_font_options_t> options(cairo_font_options_create());
  // Equal places of letters on all surfaces.
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo_.get(), options.get());
  SetFont(kTextSize, false);
  SetColour(kWhite);
  cairo_paint(cairo_.get());
}

void Canvas::SetColour(const Rgb& c) {
  cairo_set_source_rgb(cairo_.get(), c.red / 255.0, c.green / 255.0, c.blue / 255.0);
}

void Canvas::SetFont(double size, bool bold) {
  cairo_select_font_face(cairo_.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_.get(), size);
}

double Canvas::WidthOf(const std::string& text) {
  cairo_text_extents_t extents{};  // cairo leaves it as it is after an error
  cairo_text_extents(cairo_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

std::string Canvas::Shortened(std::string name, double widest) {
  if (WidthOf(name) <= widest) return name;
  const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (!name.empty() && WidthOf(name + "\u2026") > widest) {
    while (name.size() > 1 && inside(name.back())) name.pop_back();
    name.pop_back();
  }
  return name + "\u2026";
}

void Canvas::Write(double x, double y, const std::string& text, Anchor anchor) {
  const double width = anchor == Anchor::kStart ? 0 : WidthOf(text);
  cairo_move_to(cairo_.get(), anchor == Anchor::kMiddle ? x - width / 2 : x - width, y);
  cairo_show_text(cairo_.get(), text.c_str());
}

void Canvas::WriteUpwards(double x, double y, const std::string& text) {
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), x, y);
  cairo_rotate(cairo_.get(), -std::acos(0.0));
  Write(0, 0, text, Anchor::kMiddle);
  cairo_restore(cairo_.get());
}

void Canvas::DrawLine(double x0, double y0, double x1, double y1, double width) {
  cairo_set_line_width(cairo_.get(), width);
  cairo_move_to(cairo_.get(), x0, y0);
  cairo_line_to(cairo_.get(), x1, y1);
  cairo_stroke(cairo_.get());
}

void Canvas::DrawDot(double x, double y, double radius) {
  cairo_new_path(cairo_.get());  // text leaves a point behind
  cairo_arc(cairo_.get(), x, y, radius, 0, 4 * std::acos(0.0));
  cairo_fill(cairo_.get());
}

double Sharp(double at) { return std::floor(at) + 0.5; }

Status CheckPicture(const std::string& path) {
  TESSERA_TRY(FormatOf(path));
  return CheckWritable(path);
}

Status WritePicture(const std::string& path, int width, int height,
                    const std::function<void(Canvas&)>& draw) {
  TESSERA_ASSIGN(const Format format, FormatOf(path));
  std::string file;
  // A PNG of RGB: without transparency.
  const CairoHandle<cairo_surface_t> surface(
      format == Format::kPng ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)
                             : cairo_svg_surface_create_for_stream(Append, &file, width, height));
  if (format == Format::kSvg) cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  Canvas canvas(surface.get());
  draw(canvas);
  cairo_status_t status = cairo_status(canvas.cairo());
  if (status == CAIRO_STATUS_SUCCESS && format == Format::kPng)
    status = cairo_surface_write_to_png_stream(surface.get(), Append, &file);
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) return WriteFile(path, file);
  return Fail(status == CAIRO_STATUS_INVALID_STRING ? Code::kInvalidArgument : Code::kUnavailable,
              "{}: cairo cannot draw the curves: {}", path, cairo_status_to_string(status));
}

}  // namespace tessera::tools
