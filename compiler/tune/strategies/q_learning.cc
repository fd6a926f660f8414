// SPDX-License-Identifier: Apache-2.0
//
// Directions by Q-learning, as in FlexTensor (Zheng et al. 2020): from measured points, the fast
// ones more often, a move of one knob by one place; the reward is the speed gained, the discount
// 0.9, the share of moves by chance falls from 0.8 to 0.1. A move's value is linear in the places
// of all knobs: FlexTensor's network of 64 x 3 needs 200 to 400 points before it tells one
// direction from another, more than most searches here have. Needs no model.
#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <unordered_map>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class QLearningStrategy : public Strategy {
  static constexpr double kGreed = 0.5;  // of the choice of points: exp(-kGreed * loss)
  static constexpr double kMostChance = 0.8, kLeastChance = 0.1, kCooling = 0.01;
  static constexpr double kDiscount = 0.9, kRate = 0.05;
  static constexpr int kEpochs = 20, kTries = 64;
  static constexpr size_t kMemory = 1000;  // lessons

 public:
  explicit QLearningStrategy(uint64_t seed) : rng_(seed) {}

  std::vector<Point> NextBatch(Space& space, CostModel*, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    const std::vector<const Trial*> all = history.Fastest();
    if (all.size() < n) {  // nothing to go from
      batch.AddRandom(space, rng_, n);
      return batch.Take();
    }
    Learn(space, history);
    const double chance =
        std::max(kMostChance * std::exp(-kCooling * static_cast<double>(history.trials().size())),
                 kLeastChance);
    for (int misses = 0; !batch.full() && misses < kTries;) {
      const Trial& from = *all[Start(all)];
      const size_t action = rng_.Unit() < chance ? AnyAction(space) : BestAction(space, from.point);
      const auto to = Moved(space, from.point, action);
      if (!to || !batch.Add(*to)) ++misses;
    }
    batch.AddRandom(space, rng_, n);  // all neighbours are measured
    return batch.Take();
  }

 private:
  // A move between two measured points. An action moves knob action / 2, up if it is even.
  struct Lesson {
    std::vector<double> from, to;  // features
    size_t action = 0;
    double reward = 0;
  };

  static std::optional<Point> Moved(Space& space, const Point& point, size_t action) {
    return space.Moved(point, action / 2, action % 2 == 0 ? 1 : -1);
  }

  static std::vector<double> FeaturesOf(Space& space, const Point& point) {
    std::vector<double> features{1};
    for (size_t knob = 0; knob < space.knobs().size(); ++knob) {
      const Space::Place place = space.PlaceOf(point, knob);
      const auto last = static_cast<double>(std::max<size_t>(place.count - 1, 1));
      features.push_back(static_cast<double>(place.index) / last);
    }
    return features;
  }

  double Value(size_t action, const std::vector<double>& features) const {
    return std::inner_product(features.begin(), features.end(), weights_[action].begin(), 0.0);
  }

  size_t AnyAction(const Space& space) {
    return static_cast<size_t>(rng_.Range(0, 2 * std::ssize(space.knobs()) - 1));
  }
  size_t BestAction(Space& space, const Point& point) const {
    const std::vector<double> features = FeaturesOf(space, point);
    size_t best = 0;
    for (size_t action = 1; action < weights_.size(); ++action) {
      if (Value(action, features) > Value(best, features)) best = action;
    }
    return best;
  }

  // The place of a point to go from, in |all|, the fastest first.
  size_t Start(const std::vector<const Trial*>& all) {
    const auto best = static_cast<double>(*all[0]->cycles);
    std::vector<double> sums;
    double sum = 0;
    for (const Trial* trial : all)
      sums.push_back(sum +=
                     std::exp(-kGreed * (static_cast<double>(*trial->cycles) - best) / best));
    const auto found = std::ranges::upper_bound(sums, rng_.Unit() * sum);
    return std::min(static_cast<size_t>(found - sums.begin()), all.size() - 1);
  }

  // Learns from all moves between trials, whoever made them: a search that goes on from its log
  // knows what it knew.
  void Learn(Space& space, const History& history) {
    weights_.resize(2 * space.knobs().size(), std::vector<double>(space.knobs().size() + 1));
    for (; seen_ < history.trials().size(); ++seen_) AddLessons(space, history.trials()[seen_]);
    while (lessons_.size() > kMemory) lessons_.pop_front();
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      const std::vector<std::vector<double>> target = weights_;
      for (const Lesson& lesson : lessons_) {
        double next = 0;  // what the best move from there is worth; no move has to be made
        for (const std::vector<double>& w : target)
          next = std::max(next, std::inner_product(w.begin(), w.end(), lesson.to.begin(), 0.0));
        const double error = lesson.reward + kDiscount * next - Value(lesson.action, lesson.from);
        for (size_t k = 0; k < lesson.from.size(); ++k)
          weights_[lesson.action][k] += kRate * error * lesson.from[k];
      }
    }
  }

  // Adds the moves between |trial| and earlier ones, there and back.
  void AddLessons(Space& space, const Trial& trial) {
    if (!trial.cycles) return;
    const double here = std::log2(static_cast<double>(*trial.cycles + 1));
    const std::vector<double> features = FeaturesOf(space, trial.point);
    for (size_t action = 0; action < weights_.size(); ++action) {
      const auto near = Moved(space, trial.point, action);
      const auto known = near ? cycles_.find(HashOf(*near)) : cycles_.end();
      if (known == cycles_.end()) continue;
      const std::vector<double> there = FeaturesOf(space, *near);
      const double gain = std::tanh(here - known->second);  // of the move from here to there
      lessons_.push_back({features, there, action, gain});
      lessons_.push_back({there, features, action ^ 1, -gain});
    }
    cycles_[HashOf(trial.point)] = here;
  }

  Rng rng_;
  size_t seen_ = 0;                              // trials that have their lessons
  std::unordered_map<uint64_t, double> cycles_;  // log2, by the hash of a trial's point
  std::deque<Lesson> lessons_;
  std::vector<std::vector<double>> weights_;  // by action
};

}  // namespace

std::unique_ptr<Strategy> MakeQLearning(uint64_t seed) {
  return std::make_unique<QLearningStrategy>(seed);
}

}  // namespace tessera::tune
