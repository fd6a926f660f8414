// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/strategy.h"

#include <algorithm>
#include <cmath>

namespace tessera::tune {
namespace {

struct StrategyRow {
  const char* name;
  std::unique_ptr<Strategy> (*make)(uint64_t seed);
};
constexpr StrategyRow kStrategies[] = {
    {"random", MakeRandom},
    {"grid", MakeGrid},
    {"genetic", MakeGenetic},
    {"annealing", MakeAnnealing},
    {"annealing-diverse", MakeDiverseAnnealing},
    {"evolution", MakeEvolution},
    {"descent", MakeDescent},
    {"beam", MakeBeam},
    {"q-learning", MakeQLearning},
    {"constrained", MakeConstrained},
    {"screening", MakeScreening},
    {"portfolio", MakePortfolio},
};

}  // namespace

std::string StrategyNames() {
  std::string names;
  for (const StrategyRow& row : kStrategies)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

Result<std::unique_ptr<Strategy>> MakeStrategy(const std::string& name, uint64_t seed) {
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) return row.make(seed);
  }
  return Fail(Code::kNotFound, "no strategy '{}'; there are {}", name, StrategyNames());
}

size_t Batch::RandomShare(size_t most) {
  constexpr double kEpsilon = 0.05;
  return static_cast<size_t>(std::ceil(kEpsilon * static_cast<double>(most)));
}

void Batch::AddBest(std::vector<std::pair<double, Point>> scored) {
  std::ranges::stable_sort(scored, [](const auto& a, const auto& b) { return a.first > b.first; });
  const size_t random = RandomShare(most_);
  for (size_t k = 0; k < scored.size() && size() + random < most_; ++k) Add(scored[k].second);
}

void Batch::AddRandom(Space& space, Rng& rng, size_t count) {
  // If nearly all points of a space are measured, random draws repeat them.
  constexpr int kTries = 64;
  for (int misses = 0; size() < count && !full() && misses < kTries;) {
    const auto point = space.Random(rng);
    if (!point || !Add(*point)) ++misses;
  }
  // Find the rest of a small space in order.
  constexpr int kSmall = 4096;
  int left = kSmall;
  for (auto point = size() < count && !full() ? space.First() : std::nullopt;
       point && size() < count && !full() && left > 0; point = space.After(*point), --left)
    Add(*point);
}

}  // namespace tessera::tune
