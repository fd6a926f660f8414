// SPDX-License-Identifier: Apache-2.0
//
// Genetic search without a model, with AutoTVM's constants: a population of 100, the best 3 stay,
// each knob of a child changes with probability 0.1. Parents are drawn in proportion to their speed
// and joined at one place.
#include <algorithm>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class GeneticStrategy : public Strategy {
  static constexpr size_t kPopulation = 100, kElite = 3;
  static constexpr double kMutation = 0.1;

 public:
  explicit GeneticStrategy(uint64_t seed) : rng_(seed) {}

  std::vector<Point> NextBatch(Space& space, CostModel*, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    if (history.trials().size() < kPopulation) {
      batch.AddRandom(space, rng_, std::min(n, kPopulation - history.trials().size()));
      return batch.Take();
    }
    // A generation has kPopulation trials; the parents are the trials measured before it.
    const size_t parents = history.trials().size() / kPopulation * kPopulation;
    if (parents != parents_of_) {
      parents_of_ = parents;
      Select(history, parents);
    }
    for (int misses = 0; !batch.full() && misses < 64;) {
      const auto child = Child(space);
      if (!child || !batch.Add(*child)) ++misses;
    }
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  // Selects the last generation and the best trials of all before it.
  void Select(const History& history, size_t count) {
    std::vector<const Trial*> all;
    for (size_t k = 0; k < count; ++k) {
      if (history.trials()[k].cycles) all.push_back(&history.trials()[k]);
    }
    const size_t last = std::min(all.size(), kPopulation);
    std::stable_sort(all.begin(), all.end() - static_cast<ptrdiff_t>(last),
                     [](const Trial* a, const Trial* b) { return *a->cycles < *b->cycles; });
    genes_.clear();
    speed_.clear();
    const auto take = [&](const Trial& trial) {
      genes_.push_back(trial.point);
      speed_.push_back(1.0 / static_cast<double>(*trial.cycles + 1));
    };
    for (size_t k = 0; k < std::min(kElite, all.size() - last); ++k) take(*all[k]);
    for (size_t k = all.size() - last; k < all.size(); ++k) take(*all[k]);
  }

  const Point& Parent() {
    double sum = 0;
    for (const double s : speed_) sum += s;
    double left = rng_.Unit() * sum;
    size_t k = 0;
    while (k + 1 < speed_.size() && left >= speed_[k]) left -= speed_[k++];
    return genes_[k];
  }

  std::optional<Point> Child(Space& space) {
    if (genes_.empty()) return space.Random(rng_);
    const Point& a = Parent();
    const Point& b = Parent();
    auto child = space.Spliced(a, b, static_cast<size_t>(rng_.Range(0, std::ssize(space.knobs()))));
    for (size_t k = 0; child && k < space.knobs().size(); ++k) {
      if (rng_.Unit() >= kMutation) continue;
      const Space::Place place = space.PlaceOf(*child, k);
      const auto to = rng_.Range(0, static_cast<int64_t>(place.count) - 1);
      const auto moved =
          space.Moved(*child, k, static_cast<int>(to - static_cast<int64_t>(place.index)));
      if (moved) child = moved;
    }
    return child;
  }

  Rng rng_;
  size_t parents_of_ = 0;
  std::vector<Point> genes_;
  std::vector<double> speed_;
};

}  // namespace

std::unique_ptr<Strategy> MakeGenetic(uint64_t seed) {
  return std::make_unique<GeneticStrategy>(seed);
}

}  // namespace tessera::tune
