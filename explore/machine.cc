// SPDX-License-Identifier: Apache-2.0
#include "explore/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::explore {
namespace {

constexpr std::array<std::string_view, 4> kStages{"predict", "run", "tune", "prove"};
constexpr std::array<std::string_view, 6> kGoals{"ms", "lut", "ff", "dsp", "bram", "energy-proxy"};
constexpr double kLutsOfDsp = 100, kLutsOfBram = 200;

}  // namespace

std::string_view StageText(Stage stage) { return kStages[static_cast<size_t>(stage)]; }
std::string_view GoalText(Goal goal) { return kGoals[static_cast<size_t>(goal)]; }

double MachineCost::total() const {
  double sum = 0;
  for (const NetworkCost& network : networks) sum += network.total();
  return sum;
}

Result<std::vector<Goal>> ParseGoals(const std::string& words) {
  std::vector<Goal> goals;
  for (size_t begin = 0; begin <= words.size();) {
    const size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    begin = end + 1;
    const auto known = std::ranges::find(kGoals, word);
    if (known == kGoals.end()) {
      return Fail(Code::kInvalidArgument,
                  "--objective '{}': give some of ms, lut, ff, dsp, bram and energy-proxy, with "
                  "commas between them",
                  word);
    }
    const auto goal = static_cast<Goal>(known - kGoals.begin());
    if (std::ranges::count(goals, goal) > 0)
      return Fail(Code::kInvalidArgument, "--objective: {} is there twice", word);
    goals.push_back(goal);
  }
  return goals;
}

double AreaInLuts(const hw::Silicon& area) {
  return area.lut + kLutsOfDsp * static_cast<double>(area.dsp) +
         kLutsOfBram * static_cast<double>(area.bram18);
}

Values ValuesOf(const std::vector<Goal>& goals, const hw::Silicon& area, const MachineCost& cost) {
  Values values;
  double accelerator = 0;
  for (const NetworkCost& network : cost.networks) accelerator += network.accelerator;
  for (const Goal goal : goals) {
    switch (goal) {
      case Goal::kMs:
        values.push_back(1e3 * cost.total());
        break;
      case Goal::kLut:
        values.push_back(area.lut);
        break;
      case Goal::kFf:
        values.push_back(area.ff);
        break;
      case Goal::kDsp:
        values.push_back(static_cast<double>(area.dsp));
        break;
      case Goal::kBram:
        values.push_back(static_cast<double>(area.bram18));
        break;
      case Goal::kEnergyProxy:
        values.push_back(accelerator * AreaInLuts(area));
        break;
    }
  }
  return values;
}

Misfit MisfitOf(const hw::Silicon& area, const hw::Part& part) {
  Misfit worst;
  const auto of = [](std::string_view resource, auto used, int64_t has) {
    return Misfit{resource, static_cast<double>(used), static_cast<double>(has)};
  };
  for (const Misfit& resource :
       {of("LUT", area.lut, part.lut), of("FF", area.ff, part.ff), of("DSP", area.dsp, part.dsp),
        of("BRAM18", area.bram18, part.bram18)}) {
    if (resource.used <= resource.has) continue;
    if (worst.resource.empty() || resource.used * worst.has > worst.used * resource.has)
      worst = resource;
  }
  return worst;
}

std::string MisfitText(const Misfit& misfit) {
  return fmt::format("{}: {:.0f} of {:.0f}, {:.0f} % too many", misfit.resource, misfit.used,
                     misfit.has, 100 * (misfit.used / std::max(misfit.has, 1.0) - 1));
}

int64_t ClockOf(const hw::Silicon& area, int64_t wanted) {
  const auto possible = static_cast<int64_t>(std::floor(1e3 / area.ns));
  return std::max<int64_t>(1, std::min(possible, wanted));
}

}  // namespace tessera::explore
