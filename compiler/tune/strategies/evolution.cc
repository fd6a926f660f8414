// SPDX-License-Identifier: Apache-2.0
//
// Evolution on a model, with MetaSchedule's constants: a population of 512, of which up to a fifth
// are the best measured points, 4 generations, 85 % of the children mutate, 5 % of a batch are
// random. Children that do not mutate take each knob from one of two parents, which Ansor's paper
// describes and its code omits. Without a model only the best measured points are parents.
#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class EvolutionStrategy : public Strategy {
  static constexpr size_t kPopulation = 512;
  static constexpr int kGenerations = 4;
  static constexpr double kMeasured = 0.2, kMutate = 0.85;

 public:
  explicit EvolutionStrategy(uint64_t seed) : rng_(seed) {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    std::vector<Point> population = BestMeasured(history);
    const size_t measured = population.size();
    while (population.size() < (model == nullptr ? 4 * n + measured : kPopulation)) {
      const auto point = space.Random(rng_);
      if (!point) break;
      population.push_back(*point);
    }
    std::vector<std::pair<double, Point>> found;
    std::unordered_set<uint64_t> known;
    for (int generation = 0; model != nullptr && generation <= kGenerations; ++generation) {
      const std::vector<double> scores = model->Predict(population);
      for (size_t k = 0; k < population.size(); ++k) {
        if (!history.Has(population[k]) && known.insert(HashOf(population[k])).second)
          found.emplace_back(scores[k], population[k]);
      }
      if (generation < kGenerations) population = Children(space, population, scores);
    }
    batch.AddBest(std::move(found));
    const size_t random = Batch::RandomShare(n);
    // Without a model: children of the best measured points.
    for (int misses = 0;
         model == nullptr && measured > 0 && batch.size() + random < n && misses < 64;) {
      const auto child = Child(space, population, [&] { return Any(measured); });
      if (!child || !batch.Add(*child)) ++misses;
    }
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  size_t Any(size_t count) {
    return static_cast<size_t>(rng_.Range(0, static_cast<int64_t>(count) - 1));
  }

  std::vector<Point> BestMeasured(const History& history) const {
    const std::vector<const Trial*> all = history.Fastest();
    std::vector<Point> best;
    const auto most = static_cast<size_t>(kMeasured * static_cast<double>(kPopulation));
    for (size_t k = 0; k < std::min(most, all.size()); ++k) best.push_back(all[k]->point);
    return best;
  }

  template <typename Pick>
  std::optional<Point> Child(Space& space, const std::vector<Point>& parents, const Pick& pick) {
    if (rng_.Unit() < kMutate) return space.Mutated(parents[pick()], rng_);
    const Point& a = parents[pick()];
    return space.Crossed(a, parents[pick()], rng_);
  }

  // As many children as parents. Draws each parent in proportion to its speed.
  std::vector<Point> Children(Space& space, const std::vector<Point>& parents,
                              const std::vector<double>& scores) {
    std::vector<double> sums;
    double sum = 0;
    for (const double score : scores) sums.push_back(sum += std::exp2(std::min(score, 64.0)));
    const auto pick = [&] {
      const double at = rng_.Unit() * sum;
      const auto found = std::ranges::upper_bound(sums, at);
      return std::min(static_cast<size_t>(found - sums.begin()), parents.size() - 1);
    };
    std::vector<Point> children;
    for (size_t k = 0; k < parents.size(); ++k) {
      auto child = Child(space, parents, pick);
      children.push_back(child ? std::move(*child) : parents[k]);
    }
    return children;
  }

  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> MakeEvolution(uint64_t seed) {
  return std::make_unique<EvolutionStrategy>(seed);
}

}  // namespace tessera::tune
