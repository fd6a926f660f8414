// SPDX-License-Identifier: Apache-2.0
//
// nsga2: evolution (Deb et al., 2002). Parents are drawn in pairs, of which the one of the better
// rank and, among equals, in the emptier place wins. A child takes each key's value from one of two
// parents, then some step to the next value. Children and parents compete for a place.
#include <algorithm>

#include "explore/strategy.h"

namespace tessera::explore {
namespace {

constexpr size_t kPopulation = 24;
constexpr int kTries = 60;  // to make a child that fits and is new

class Nsga2 : public MachineStrategy {
 public:
  explicit Nsga2(uint64_t seed) : rng_(seed) {}

  WantedMachines Next(const Explored& explored) override {
    const std::vector<int64_t> parents = Survivors(explored);
    if (parents.size() < kPopulation) {
      return {Stage::kRun,
              DrawMachines(explored, explored.fitting(), Stage::kRun, kRunBatch, &rng_)};
    }
    std::vector<int64_t> children;
    for (int tries = 0; tries < kTries && children.size() < kRunBatch; ++tries) {
      const int64_t child = ChildOf(explored, parents);
      if (explored.Fits(child) && !explored.Knows(child, Stage::kRun) &&
          std::ranges::count(children, child) == 0)
        children.push_back(child);
    }
    if (children.empty())
      children = DrawMachines(explored, explored.fitting(), Stage::kRun, kRunBatch, &rng_);
    return {Stage::kRun, children};
  }

 private:
  // The best machines that ran, best first.
  static std::vector<int64_t> Survivors(const Explored& explored) {
    std::vector<int64_t> ran = explored.With(Stage::kRun);
    std::erase_if(ran, [&](int64_t m) { return m >= explored.space().CountAll(); });
    std::vector<Values> values;
    for (const int64_t machine : ran) values.push_back(explored.ValuesAt(machine, Stage::kRun));
    const std::vector<size_t> ranks = RanksOf(values);
    const std::vector<double> crowding = CrowdingOf(values, ranks);
    std::vector<size_t> order(ran.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
      return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : crowding[a] > crowding[b];
    });
    std::vector<int64_t> best;
    for (size_t k = 0; k < std::min(order.size(), kPopulation); ++k) best.push_back(ran[order[k]]);
    return best;
  }

  // One of two drawn from |parents|, which are in order.
  int64_t Winner(const std::vector<int64_t>& parents) {
    const int64_t last = std::ssize(parents) - 1;
    return parents[static_cast<size_t>(std::min(rng_.Range(0, last), rng_.Range(0, last)))];
  }

  int64_t ChildOf(const Explored& explored, const std::vector<int64_t>& parents) {
    const MachineSpace& space = explored.space();
    std::vector<size_t> child = space.PlacesOf(Winner(parents));
    const std::vector<size_t> other = space.PlacesOf(Winner(parents));
    for (size_t k = 0; k < child.size(); ++k) {
      if (rng_.OneIn(2)) child[k] = other[k];
      if (!rng_.OneIn(std::ssize(child))) continue;
      const bool up = rng_.OneIn(2);
      if (up && child[k] + 1 < space.keys()[k].values.size()) ++child[k];
      if (!up && child[k] > 0) --child[k];
    }
    return space.MachineAt(child);
  }

  Rng rng_;
};

}  // namespace

std::unique_ptr<MachineStrategy> MakeNsga2(uint64_t seed) { return std::make_unique<Nsga2>(seed); }

}  // namespace tessera::explore
