// SPDX-License-Identifier: Apache-2.0
//
// Draws pictures with axes as SVG or PNG, with cairo. Depends on: base, cairo. Used by:
// curve_picture.cc, front_picture.cc.
#ifndef TESSERA_TOOLS_CANVAS_H_
#define TESSERA_TOOLS_CANVAS_H_

#include <cairo.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

struct CairoDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <typename T>
using CairoHandle = std::unique_ptr<T, CairoDeleter>;

struct Rgb {
  int red, green, blue;
};
// Okabe and Ito's, which readers with colour blindness tell apart.
inline constexpr std::array<Rgb, 8> kColours{{{0x00, 0x72, 0xb2},
                                              {0xd5, 0x5e, 0x00},
                                              {0x00, 0x9e, 0x73},
                                              {0xcc, 0x79, 0xa7},
                                              {0xe6, 0x9f, 0x00},
                                              {0x56, 0xb4, 0xe9},
                                              {0x00, 0x00, 0x00},
                                              {0x8c, 0x78, 0x00}}};
inline constexpr Rgb kWhite{255, 255, 255}, kGrid{0xe4, 0xe4, 0xe4}, kGrey{0xa8, 0xa8, 0xa8},
    kFrame{0x60, 0x60, 0x60}, kText{0x20, 0x20, 0x20};

// The marks of an axis: multiples of a step of 1, 2 or 5 times a power of ten.
struct Ticks {
  double step;
  std::vector<double> at;
};
Ticks TicksOf(double low, double high, double least_step);

// Which part of a text lies at its place, as in SVG.
enum class Anchor : uint8_t { kStart, kMiddle, kEnd };

// A white surface. All lengths are pixels.
class Canvas {
 public:
  static constexpr double kTitleSize = 15, kTextSize = 12;

  explicit Canvas(cairo_surface_t* surface);

  cairo_t* cairo() const { return cairo_.get(); }
  void SetColour(const Rgb& colour);
  void SetFont(double size, bool bold);
  double WidthOf(const std::string& text);
  // |name| with its end left out where it is wider than |widest|.
  std::string Shortened(std::string name, double widest);
  // |text| with its base line at |y|.
  void Write(double x, double y, const std::string& text, Anchor anchor);
  // The same upwards, around its middle.
  void WriteUpwards(double x, double y, const std::string& text);
  void DrawLine(double x0, double y0, double x1, double y1, double width);
  void DrawDot(double x, double y, double radius);

 private:
  const CairoHandle<cairo_t> cairo_;
};

// A line of one pixel is sharp where it lies in the middle of a pixel.
double Sharp(double at);

// Checks that WritePicture can begin, before long work. Leaves nothing behind.
//   errors  kInvalidArgument  |path| ends neither in .svg nor in .png
//           kUnavailable      as CheckWritable (base/file.h)
Status CheckPicture(const std::string& path);

// Draws a picture to |path|, as SVG or PNG by its ending. The file appears complete or not at all.
//   errors  kInvalidArgument  |path| ends neither in .svg nor in .png; a text is not UTF-8
//           kUnavailable      as WriteFile (base/file.h); cairo has no memory
Status WritePicture(const std::string& path, int width, int height,
                    const std::function<void(Canvas&)>& draw);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_CANVAS_H_
