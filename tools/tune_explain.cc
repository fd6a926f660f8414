// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "compiler/schedule/step.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

// Pixels of the picture, its margins, and the colours of its curves (Okabe and Ito's, which readers
// with colour blindness tell apart).
constexpr double kWidth = 720, kHeight = 400, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
constexpr std::array<const char*, 4> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::vector<std::string> ExplainTrials(const std::string& name, const tune::Space& space,
                                       const tune::History& history, size_t most) {
  std::vector<std::string> lines;
  std::map<std::string, std::pair<int64_t, std::string>> causes;
  for (const tune::Trial& trial : history.trials()) {
    if (trial.cycles) continue;
    auto& [count, first] = causes[trial.cause];
    if (count++ == 0) first = trial.message;
  }
  for (const auto& [cause, about] : causes) {
    lines.push_back(fmt::format("{}: {} trials failed, {}: {}", Legible(name), Grouped(about.first),
                                cause, Legible(about.second, 200)));
  }
  const tune::Trial* best = history.best();
  if (best == nullptr) return lines;
  // The fastest trial with another value of each knob.
  std::vector<std::pair<double, size_t>> effects;
  for (size_t k = 0; k < space.knobs().size(); ++k) {
    std::optional<uint64_t> without;
    for (const tune::Trial& trial : history.trials()) {
      if (!trial.cycles || trial.point.picks[k] == best->point.picks[k]) continue;
      if (!without || *trial.cycles < *without) without = *trial.cycles;
    }
    if (without && *without > *best->cycles) {
      effects.emplace_back(static_cast<double>(*without) / static_cast<double>(*best->cycles) - 1,
                           k);
    }
  }
  std::ranges::stable_sort(effects, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (effects.size() > most) effects.resize(most);
  std::string text;
  for (const auto& [effect, k] : effects) {
    text += fmt::format("{}{} {} (otherwise {:.2f} % slower)", text.empty() ? "" : ", ",
                        space.knobs()[k].name, schedule::Print(best->point.picks[k]), 100 * effect);
  }
  lines.push_back(fmt::format("{}: {}", Legible(name),
                              text.empty() ? "no choice that was tried matters" : text));
  return lines;
}

std::string CurveSvg(const std::vector<Curve>& curves, const std::string& unit) {
  double least = 1, last = 1;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      least = std::min(least, point.share);
      last = std::max(last, static_cast<double>(point.trials));
    }
  }
  // A tenth of the range below the best; at least one per cent in all.
  const double low = std::max(least - std::max((1 - least) / 10, 0.001), 0.0);
  const auto x = [&](double trials) { return kLeft + (kWidth - kLeft - kRight) * trials / last; };
  const auto y = [&](double share) {
    return kTop + (kHeight - kTop - kBottom) * (1 - share) / (1 - low);
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  constexpr int kTicks = 4;
  for (int k = 0; k <= kTicks; ++k) {
    const double share = 1 - (1 - low) * k / kTicks, trials = last * k / kTicks;
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
    double before = 1;
    for (const CurvePoint& point : curves[c].points) {
      const auto trials = static_cast<double>(point.trials);
      path += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", path.empty() ? "" : " ", x(trials),
                          y(before), x(trials), y(point.share));
      before = point.share;
    }
    svg += fmt::format(
        "<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\"/>\n"
        "<text x=\"{2:.1f}\" y=\"{3:.1f}\" fill=\"{1}\" text-anchor=\"end\">{4}</text>\n",
        path, colour, kWidth - kRight, kTop + 16 * static_cast<double>(c) + 12,
        Escaped(curves[c].name));
  }
  return svg + "</svg>\n";
}

}  // namespace tessera::tools
