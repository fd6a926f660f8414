// SPDX-License-Identifier: Apache-2.0
//
// A portfolio: each batch is from one of the other strategies, which a bandit chooses, as in
// OpenTuner (Ansel et al. 2014, section 4.2). The credit of a strategy is the area under the curve
// of its batches that found a better point, the later ones weighing more; a strategy that was
// chosen seldom gets a bonus.
#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

constexpr size_t kBatches = 500;  // that count
constexpr double kBonus = 0.05;

class PortfolioStrategy : public Strategy {
 public:
  explicit PortfolioStrategy(uint64_t seed)
      : arms_{MakeDescent(seed), MakeEvolution(seed + 1), MakeAnnealing(seed + 2),
              MakeGenetic(seed + 3)} {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    const auto best = history.best() != nullptr ? history.best()->cycles : std::nullopt;
    if (!batches_.empty()) batches_.back().second = best && (!before_ || *best < *before_);
    before_ = best;
    const size_t arm = Choose();
    batches_.emplace_back(arm, false);
    if (batches_.size() > kBatches) batches_.pop_front();
    return arms_[arm]->NextBatch(space, model, history, n);
  }

 private:
  // The arm with the highest credit; each once before that.
  size_t Choose() const {
    size_t chosen = 0;
    double most = -1;
    for (size_t arm = 0; arm < arms_.size(); ++arm) {
      double area = 0, uses = 0;
      for (const auto& [used, better] : batches_) {
        if (used != arm) continue;
        ++uses;
        area += better ? uses : 0;
      }
      if (uses == 0) return arm;
      const double credit =
          2 * area / (uses * (uses + 1)) + kBonus * std::sqrt(2 * std::log(batches_.size()) / uses);
      if (credit > most) chosen = arm;
      most = std::max(most, credit);
    }
    return chosen;
  }

  std::array<std::unique_ptr<Strategy>, 4> arms_;
  std::deque<std::pair<size_t, bool>> batches_;  // the arm, and whether it found a better point
  std::optional<uint64_t> before_;               // the best before the last batch
};

}  // namespace

std::unique_ptr<Strategy> MakePortfolio(uint64_t seed) {
  return std::make_unique<PortfolioStrategy>(seed);
}

}  // namespace tessera::tune
