// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "compiler/schedule/step.h"
#include "compiler/tune/layer_space.h"
#include "tools/output.h"

namespace tessera::tools {

namespace {

// The fastest trial of each sketch, the fastest sketch first: "sketch products takes 5 ns, rows 7".
std::string SketchesOf(const tune::History& history, const std::string& unit) {
  std::map<std::string, uint64_t> least;
  for (const tune::Trial& trial : history.trials()) {
    if (!trial.cycles) continue;
    const auto [known, fresh] =
        least.try_emplace(schedule::Print(trial.point.picks[0]), *trial.cycles);
    known->second = std::min(known->second, *trial.cycles);
  }
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [sketch, cycles] : least) sorted.emplace_back(cycles, sketch);
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [cycles, sketch] : sorted) {
    text += text.empty() ? fmt::format("sketch {} takes {} {}", sketch, Grouped(cycles), unit)
                         : fmt::format(", {} {}", sketch, Grouped(cycles));
  }
  return text;
}

}  // namespace

std::vector<std::string> ExplainTrials(const std::string& name, const tune::Space& space,
                                       const tune::History& history, const std::string& unit,
                                       size_t most) {
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
  const bool family = !space.knobs().empty() && space.knobs()[0].name == tune::kSketchKnob;
  if (family) lines.push_back(fmt::format("{}: {}", Legible(name), SketchesOf(history, unit)));
  // The fastest trial with another value of each knob.
  std::vector<std::pair<double, size_t>> effects;
  for (size_t k = family ? 1 : 0; k < space.knobs().size(); ++k) {
    std::optional<uint64_t> without;
    for (const tune::Trial& trial : history.trials()) {
      if (!trial.cycles || trial.point.picks[k] == best->point.picks[k]) continue;
      if (family && trial.point.picks[0] != best->point.picks[0]) continue;
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

}  // namespace tessera::tools
