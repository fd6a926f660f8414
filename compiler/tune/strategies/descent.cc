// SPDX-License-Identifier: Apache-2.0
//
// Coordinate descent from the best measured point, as in Droplet. A batch has the point's
// neighbours along each knob, in the order of the model's scores. If all near neighbours are
// measured it has farther ones; if those are measured too, random points.
#include <algorithm>
#include <utility>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

constexpr int kFarthest = 64;  // of steps, in places of a domain

class DescentStrategy : public Strategy {
 public:
  explicit DescentStrategy(uint64_t seed) : rng_(seed) {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    const Point from = history.best() != nullptr ? history.best()->point : space.given();
    batch.Add(from);
    for (int by = 1; by <= kFarthest && !batch.full(); by *= 2) {
      std::vector<Point> near;
      for (size_t knob = 0; knob < space.knobs().size(); ++knob) {
        for (const int step : {by, -by}) {
          const auto moved = space.Moved(from, knob, step);
          if (moved && batch.Takes(*moved)) near.push_back(*moved);
        }
      }
      for (const Point& point : Ordered(std::move(near), model)) batch.Add(point);
      // If this batch has a better point, the next batch begins there.
      if (batch.size() > 0) return batch.Take();
    }
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  static std::vector<Point> Ordered(std::vector<Point> points, CostModel* model) {
    if (model == nullptr || points.empty()) return points;
    const std::vector<double> scores = model->Predict(points);
    std::vector<size_t> order(points.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    std::vector<Point> sorted;
    for (const size_t k : order) sorted.push_back(points[k]);
    return sorted;
  }

  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> MakeDescent(uint64_t seed) {
  return std::make_unique<DescentStrategy>(seed);
}

}  // namespace tessera::tune
