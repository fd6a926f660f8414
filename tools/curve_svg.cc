// SPDX-License-Identifier: Apache-2.0
#include "tools/curve_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera::tools {
namespace {

// Pixels of the picture, its margins, and the colours of its curves (Okabe and Ito's, which readers
// with colour blindness tell apart).
constexpr double kWidth = 720, kHeight = 400, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
constexpr std::array<const char*, 8> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000", "#8c7800"};

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string CurveSvg(const std::vector<Curve>& curves, const std::string& unit) {
  double least = 1, most = 1, last = 1;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      least = std::min(least, point.share);
      most = std::max(most, point.share);
      last = std::max(last, static_cast<double>(point.trials));
    }
  }
  // A tenth of the range below the best; at least one per cent in all.
  const double low = std::max(least - std::max((most - least) / 10, 0.001), 0.0);
  const auto x = [&](double trials) { return kLeft + (kWidth - kLeft - kRight) * trials / last; };
  const auto y = [&](double share) {
    return kTop + (kHeight - kTop - kBottom) * (most - share) / (most - low);
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  constexpr int kTicks = 4;
  for (int k = 0; k <= kTicks; ++k) {
    const double share = most - (most - low) * k / kTicks, trials = last * k / kTicks;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>\n"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.2f} %</text>\n"
        "<text x=\"{6:.1f}\" y=\"{7:.1f}\" text-anchor=\"middle\">{8:.0f}</text>\n",
        kLeft, kWidth - kRight, y(share), kLeft - 8, y(share) + 4, 100 * share, x(trials),
        kHeight - kBottom + 20, trials);
  }
  svg += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">trials</text>\n"
      "<text x=\"{:.1f}\" y=\"20\">{} of the best so far, of those of the compiler's own "
      "choice</text>\n",
      (kLeft + kWidth) / 2, kHeight - 8, kLeft, unit);
  for (size_t c = 0; c < curves.size(); ++c) {
    const char* colour = kColours[c % kColours.size()];
    std::string path;
    double before = curves[c].points.empty() ? 1 : curves[c].points[0].share;
    for (const CurvePoint& point : curves[c].points) {
      const auto trials = static_cast<double>(point.trials);
      path += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", path.empty() ? "" : " ", x(trials),
                          y(before), x(trials), y(point.share));
      before = point.share;
    }
    svg += fmt::format(
        "<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\"{5}/>\n"
        "<text x=\"{2:.1f}\" y=\"{3:.1f}\" fill=\"{1}\" text-anchor=\"end\">{4}</text>\n",
        path, colour, kWidth - kRight, kTop + 16 * static_cast<double>(c) + 12,
        Escaped(curves[c].name),
        c < kColours.size() ? "" : " stroke-dasharray=\"6 4\"");  // a colour's second curve
  }
  return svg + "</svg>\n";
}

}  // namespace tessera::tools
