// SPDX-License-Identifier: Apache-2.0
#include "tools/explore_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "tools/explore_files.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

using explore::Explored;
using explore::Goal;
using explore::KnownMachine;
using explore::Stage;

constexpr size_t kMostSensitivities = 12;  // rows of the table

std::string FrontWords(const Explored& explored, int64_t number) {
  if (number >= explored.space().CountAll())
    return number == explored.others()[0] ? "the base" : "beside";
  return "front";
}

// The median and the largest error of predicted cycles, in words.
std::string ErrorOf(const Explored& explored, const std::vector<int64_t>& machines) {
  std::vector<double> errors;
  for (const int64_t number : machines) {
    const explore::MachineCost* ran = explored.Of(number).Answer(Stage::kRun);
    if (ran == nullptr) continue;
    for (const explore::NetworkCost& network : ran->networks) {
      if (network.cycles > 0) errors.push_back(std::abs(network.predicted / network.cycles - 1));
    }
  }
  if (errors.empty()) return "none";
  std::ranges::sort(errors);
  return fmt::format("{:.1f} % in the median, {:.1f} % at worst, of {} networks on {} machines",
                     100 * errors[errors.size() / 2], 100 * errors.back(),
                     errors.size() / machines.size(), machines.size());
}

}  // namespace

std::string SpaceText(const Explored& explored) {
  const explore::MachineSpace& space = explored.space();
  std::string text = fmt::format("{} machines, {} legal, {} fit {}\n", Grouped(space.CountAll()),
                                 Grouped(std::ssize(space.legal())),
                                 Grouped(std::ssize(explored.fitting())), explored.part().name);
  for (const explore::IllegalMachines& illegal : space.illegal()) {
    text += fmt::format("  {} illegal: {}", Grouped(illegal.count), Legible(illegal.example));
    if (!illegal.nearest.empty()) text += "; the nearest legal value is " + illegal.nearest;
    text += "\n";
  }
  for (const explore::MisfitCount& misfit : explored.misfits()) {
    text += fmt::format("  {} do not fit: {}; the nearest of these: {}\n", Grouped(misfit.count),
                        misfit.resource, MisfitText(misfit.least));
  }
  return text;
}

std::string ExploreLineText(const explore::ExploreProgress& p,
                            const explore::ExploreOptions& options) {
  const double minutes = std::max(p.seconds, 1e-3) / 60;
  const auto count = static_cast<double>(p.predicted + p.ran - p.known);
  std::string left;
  if (options.time.count() > 0) {
    const double all = std::chrono::duration<double>(options.time).count();
    left = fmt::format(", ends in {:.0f} s at most", std::max(all - p.seconds, 0.0));
  } else if (options.runs > 0) {
    left = fmt::format(", {} runs to go", std::max<int64_t>(options.runs - p.ran, 0));
  }
  return fmt::format("{} predicted, {} ran, {} failed, {} on the front, {:.0f} machines a minute{}",
                     Grouped(p.predicted), Grouped(p.ran), Grouped(p.failed), p.front,
                     count / minutes, left);
}

std::string RatesText(const explore::ExploreProgress& progress) {
  std::string text;
  for (const auto& [stage, work] : progress.work) {
    text += fmt::format("stage {}: {} machines, {:.0f} a minute on one core\n",
                        explore::StageText(stage), Grouped(work.first),
                        60 * static_cast<double>(work.first) / std::max(work.second, 1e-9));
  }
  return text;
}

std::string FrontText(const Explored& explored) {
  std::vector<int64_t> numbers = explored.Front();
  for (const int64_t number : explored.others()) {
    if (std::ranges::count(numbers, number) == 0) numbers.push_back(number);
  }
  std::vector<std::vector<std::string>> rows;
  for (const int64_t number : numbers) {
    const KnownMachine& m = explored.Of(number);
    const explore::MachineCost* cost = m.Answer(Stage::kRun);
    std::string why;
    if (cost == nullptr) why = m.misfit.resource.empty() ? "no figures" : MisfitText(m.misfit);
    rows.push_back(
        {m.config.name, why.empty() ? FrontWords(explored, number) : why, std::string(StageOf(m)),
         cost != nullptr ? fmt::format("{:.3f}", 1e3 * cost->total()) : "-",
         m.tuned ? fmt::format("{:.3f}", 1e3 * m.tuned->total()) : "-",
         fmt::format("{}", m.config.clock_mhz), Grouped(static_cast<int64_t>(m.area.lut)),
         Grouped(static_cast<int64_t>(m.area.ff)), Grouped(m.area.dsp), Grouped(m.area.bram18)});
  }
  return Table({"machine", "where", "stage of ms", "ms", "tuned", "MHz", "LUT", "FF", "DSP",
                "BRAM18"},
               "lllrrrrrrr", std::move(rows)) +
         "MHz, LUT and FF are predicted; DSP and BRAM18 follow from the configuration.\n";
}

std::string ErrorsText(const Explored& explored) {
  return fmt::format("predicted cycles are off: of all that ran {}; of the front {}\n",
                     ErrorOf(explored, explored.With(Stage::kRun)),
                     ErrorOf(explored, explored.Front()));
}

std::string VolumeText(const Explored& explored) {
  const explore::Values reference = explored.Reference();
  if (reference.empty()) return "nothing ran, so there is no front\n";
  std::string box;
  for (size_t k = 0; k < reference.size(); ++k)
    box +=
        fmt::format("{}{} {:.5g}", k == 0 ? "" : ", ", GoalText(explored.goals()[k]), reference[k]);
  return fmt::format("hypervolume: {:.4f} of the box from 0 to {}\n", explored.Volume(), box);
}

std::string SensitivityText(const std::vector<explore::Sensitivity>& sensitivities,
                            int64_t machine) {
  std::vector<const explore::Sensitivity*> own;
  for (const explore::Sensitivity& one : sensitivities) {
    if (one.machine == machine && one.cause.empty()) own.push_back(&one);
  }
  std::ranges::stable_sort(own, {}, [](const explore::Sensitivity* one) { return one->ms; });
  if (own.size() > kMostSensitivities) own.resize(kMostSensitivities);
  std::vector<std::vector<std::string>> rows;
  for (const explore::Sensitivity* one : own) {
    rows.push_back({one->key.key, fmt::format("{} to {}", one->from, one->to),
                    fmt::format("{:+.1f} %", 100 * one->ms),
                    fmt::format("{:+.1f} %", 100 * one->lut), fmt::format("{:.2f}", one->saved),
                    one->fits ? "yes" : "no"});
  }
  return Table({"key", "change", "ms, predicted", "LUT, predicted", "cycles a LUT saves", "fits"},
               "llrrrl", std::move(rows));
}

}  // namespace tessera::tools
