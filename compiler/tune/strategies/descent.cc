// SPDX-License-Identifier: Apache-2.0
//
// Coordinate descent from the best measured point, as in Droplet. A batch has the point's
// neighbours along each knob: with a model in the order of its scores, without one knob by knob,
// each batch from where the last one ended. If all near neighbours are measured it has farther
// ones; if those are measured too, random points. Where several moves of a batch were faster, the
// next batch begins with all of them together.
#include <algorithm>
#include <optional>
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
    if (const auto merged = Merged(space, history)) batch.Add(*merged);
    from_ = history.best() != nullptr ? history.best()->point : space.given();
    seen_ = history.trials().size();
    batch.Add(from_);
    for (int by = 1; by <= kFarthest && !batch.full(); by *= 2) {
      if (model == nullptr) {
        AddInTurn(space, by, &batch);
      } else {
        for (const Point& point : Ordered(Neighbours(space, by, batch), model)) batch.Add(point);
      }
      // If this batch has a better point, the next batch begins there.
      if (batch.size() > 0) return batch.Take();
    }
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  std::vector<Point> Neighbours(Space& space, int by, const Batch& batch) const {
    std::vector<Point> near;
    for (size_t knob = 0; knob < space.knobs().size(); ++knob) {
      for (const int step : {by, -by}) {
        const auto moved = space.Moved(from_, knob, step);
        if (moved && batch.Takes(*moved)) near.push_back(*moved);
      }
    }
    return near;
  }

  void AddInTurn(Space& space, int by, Batch* batch) {
    const size_t count = space.knobs().size(), first = next_;
    for (size_t k = 0; k < count && !batch->full(); ++k) {
      const size_t knob = (first + k) % count;
      for (const int step : {by, -by}) {
        if (const auto moved = space.Moved(from_, knob, step)) batch->Add(*moved);
      }
      next_ = (knob + 1) % count;
    }
  }

  // The last batch's point with all of the batch's moves that were faster; nothing: there was one
  // at most.
  std::optional<Point> Merged(Space& space, const History& history) const {
    const std::vector<Trial>& trials = history.trials();
    const auto start = std::ranges::find(trials, from_, &Trial::point);
    if (from_.picks.empty() || start == trials.end() || !start->cycles) return std::nullopt;
    std::vector<const Trial*> better;
    for (size_t k = seen_; k < trials.size(); ++k) {
      if (trials[k].cycles && *trials[k].cycles < *start->cycles) better.push_back(&trials[k]);
    }
    if (better.size() < 2) return std::nullopt;
    std::ranges::stable_sort(better, {}, [](const Trial* trial) { return *trial->cycles; });
    Point merged = from_;
    for (size_t knob = 0; knob < from_.picks.size(); ++knob) {
      for (const Trial* trial : better) {
        if (trial->point.picks[knob] == from_.picks[knob]) continue;
        merged.picks[knob] = trial->point.picks[knob];
        break;
      }
    }
    return space.Fitted(merged);
  }

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
  Point from_;       // of the last batch
  size_t seen_ = 0;  // trials before it
  size_t next_ = 0;  // the knob with which the next batch begins
};

}  // namespace

std::unique_ptr<Strategy> MakeDescent(uint64_t seed) {
  return std::make_unique<DescentStrategy>(seed);
}

}  // namespace tessera::tune
