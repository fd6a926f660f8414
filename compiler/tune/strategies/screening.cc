// SPDX-License-Identifier: Apache-2.0
//
// Screening, as in ML2Tuner (Cha et al. 2024): annealing on a model proposes four times the points
// of a batch. Each is compiled, and those are measured that the model puts first by what their
// programs have too. ML2Tuner has a third model, which tells points whose programs are invalid.
// Here it has nothing to learn: all points of these spaces are legal.
#include <utility>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class ScreeningStrategy : public Strategy {
  static constexpr size_t kProposed = 4;  // times the points of a batch

 public:
  explicit ScreeningStrategy(uint64_t seed) : rng_(seed), annealing_(MakeAnnealing(seed + 1)) {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    if (model == nullptr) return annealing_->NextBatch(space, nullptr, history, n);
    Batch batch(history, n);
    const std::vector<Point> proposed = annealing_->NextBatch(space, model, history, kProposed * n);
    const std::vector<double> scores = model->PredictCompiled(proposed);
    std::vector<std::pair<double, Point>> found;
    for (size_t k = 0; k < proposed.size(); ++k) found.emplace_back(scores[k], proposed[k]);
    batch.AddBest(std::move(found));
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  Rng rng_;
  std::unique_ptr<Strategy> annealing_;
};

}  // namespace

std::unique_ptr<Strategy> MakeScreening(uint64_t seed) {
  return std::make_unique<ScreeningStrategy>(seed);
}

}  // namespace tessera::tune
