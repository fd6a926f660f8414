// SPDX-License-Identifier: Apache-2.0
#include "explore/strategy.h"

#include <algorithm>

namespace tessera::explore {
namespace {

constexpr struct {
  const char* name;
  std::unique_ptr<MachineStrategy> (*make)(uint64_t seed);
} kMachineStrategies[] = {{"halving", MakeHalving},
                          {"nsga2", MakeNsga2},
                          {"bayesian", MakeBayesian},
                          {"random", MakeRandomMachines},
                          {"grid", MakeGridOfMachines}};

}  // namespace

Result<std::unique_ptr<MachineStrategy>> MakeMachineStrategy(const std::string& name,
                                                             uint64_t seed) {
  for (const auto& row : kMachineStrategies) {
    if (name == row.name) return row.make(seed);
  }
  return Fail(Code::kNotFound, "--search {}: there are {}", name, MachineStrategyNames());
}

std::string MachineStrategyNames() {
  std::string names;
  for (const auto& row : kMachineStrategies)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::vector<int64_t> DrawMachines(const Explored& explored, std::vector<int64_t> from, Stage stage,
                                  size_t count, Rng* rng) {
  std::erase_if(from, [&](int64_t machine) { return explored.Knows(machine, stage); });
  count = std::min(count, from.size());
  for (size_t k = 0; k < count; ++k) {
    const auto other = static_cast<size_t>(
        rng->Range(static_cast<int64_t>(k), static_cast<int64_t>(from.size()) - 1));
    std::swap(from[k], from[other]);
  }
  from.resize(count);
  return from;
}

std::vector<int64_t> NeighboursOf(const Explored& explored, int64_t machine) {
  const MachineSpace& space = explored.space();
  std::vector<int64_t> neighbours;
  if (machine >= space.CountAll()) return neighbours;
  const std::vector<size_t> places = space.PlacesOf(machine);
  for (size_t k = 0; k < places.size(); ++k) {
    for (const bool up : {false, true}) {
      if (up ? places[k] + 1 == space.keys()[k].values.size() : places[k] == 0) continue;
      std::vector<size_t> other = places;
      other[k] = up ? other[k] + 1 : other[k] - 1;
      if (const int64_t number = space.MachineAt(other); explored.Fits(number))
        neighbours.push_back(number);
    }
  }
  return neighbours;
}

std::vector<size_t> MostGain(std::vector<Values> front, const std::vector<Values>& values,
                             const Values& reference, size_t count) {
  std::vector<size_t> chosen;
  std::vector<bool> taken(values.size());
  while (chosen.size() < std::min(count, values.size())) {
    const double before = Hypervolume(front, reference);
    double most = 0;
    size_t best = values.size();
    for (size_t v = 0; v < values.size(); ++v) {
      if (taken[v]) continue;
      front.push_back(values[v]);
      const double gain = Hypervolume(front, reference) - before;
      front.pop_back();
      if (gain > most) most = gain, best = v;
    }
    if (best == values.size()) break;
    taken[best] = true;
    chosen.push_back(best);
    front.push_back(values[best]);
  }
  const std::vector<size_t> ranks = RanksOf(values);
  std::vector<size_t> rest;
  for (size_t v = 0; v < values.size(); ++v) {
    if (!taken[v]) rest.push_back(v);
  }
  std::ranges::stable_sort(rest, {}, [&](size_t v) { return ranks[v]; });
  rest.resize(std::min(rest.size(), count - chosen.size()));
  chosen.insert(chosen.end(), rest.begin(), rest.end());
  return chosen;
}

}  // namespace tessera::explore
