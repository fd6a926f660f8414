// SPDX-License-Identifier: Apache-2.0
//
// Simulated annealing on a model, with AutoTVM's constants: 128 chains of at most 500 steps, the
// temperature falls from 1 to 0, the chains end after 50 steps in which no better point was found,
// 5 % of a batch are random. The chains of the next batch start where these chains end.
// Diverse: its batches are AutoTVM's submodular choice, from twice as many points.
#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

using Scored = std::pair<double, Point>;

// |count| of |found|, the best first: the best one, then always the one with the most knobs whose
// value none before it has; of equal ones the better one.
std::vector<Scored> MostDiverse(std::vector<Scored> found, size_t count) {
  std::vector<Scored> chosen;
  const auto fresh = [&chosen](const Scored& one) {
    size_t values = 0;
    for (size_t k = 0; k < one.second.picks.size(); ++k) {
      values += std::ranges::none_of(chosen, [&](const Scored& other) {
        return other.second.picks[k] == one.second.picks[k];
      });
    }
    return values;
  };
  while (chosen.size() < count && !found.empty()) {
    const auto most = std::ranges::max_element(found, {}, fresh);
    chosen.push_back(std::move(*most));
    found.erase(most);
  }
  return chosen;
}

class AnnealingStrategy : public Strategy {
  static constexpr size_t kChains = 128;
  static constexpr int kSteps = 500, kPatience = 50;

 public:
  AnnealingStrategy(uint64_t seed, bool diverse) : rng_(seed), diverse_(diverse) {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    if (model == nullptr) {
      batch.AddRandom(space, rng_, n);
      return batch.Take();
    }
    while (chains_.size() < kChains) {
      const auto point = space.Random(rng_);
      if (!point) break;
      chains_.push_back(*point);
    }
    // The best points on the way of the chains, the best first.
    const size_t most = diverse_ ? 2 * n : n;
    std::vector<Scored> found;
    std::unordered_set<uint64_t> known;
    const auto note = [&](const Point& point, double score) {
      if (history.Has(point) || !known.insert(HashOf(point)).second) return false;
      const auto at = std::ranges::find_if(found, [&](const auto& f) { return f.first < score; });
      if (found.size() >= most && at == found.end()) return false;
      found.insert(at, {score, point});
      if (found.size() > most) found.pop_back();
      return true;
    };
    std::vector<double> scores = model->Predict(chains_);
    for (size_t c = 0; c < chains_.size(); ++c) note(chains_[c], scores[c]);
    for (int step = 0, idle = 0; step < kSteps && idle < kPatience; ++step, ++idle) {
      const double heat = 1 - static_cast<double>(step) / kSteps;
      std::vector<Point> next;
      for (const Point& at : chains_) next.push_back(space.Mutated(at, rng_).value_or(at));
      const std::vector<double> moved = model->Predict(next);
      for (size_t c = 0; c < chains_.size(); ++c) {
        if (note(next[c], moved[c])) idle = 0;
        const double accept = std::exp(std::min((moved[c] - scores[c]) / (heat + 1e-5), 1.0));
        if (rng_.Unit() >= accept) continue;
        chains_[c] = next[c];
        scores[c] = moved[c];
      }
    }
    if (diverse_) found = MostDiverse(std::move(found), n - Batch::RandomShare(n));
    batch.AddBest(std::move(found));
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  Rng rng_;
  const bool diverse_;
  std::vector<Point> chains_;
};

}  // namespace

std::unique_ptr<Strategy> MakeAnnealing(uint64_t seed) {
  return std::make_unique<AnnealingStrategy>(seed, false);
}

std::unique_ptr<Strategy> MakeDiverseAnnealing(uint64_t seed) {
  return std::make_unique<AnnealingStrategy>(seed, true);
}

}  // namespace tessera::tune
