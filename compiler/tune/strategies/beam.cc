// SPDX-License-Identifier: Apache-2.0
//
// Beam search on a model, as in Halide's autoscheduler (Adams et al. 2019): a beam of 32 takes the
// knobs in their order, 5 passes. Knobs that are not reached have the given value, so the model
// only scores whole points. A pass is coarse to fine: it counts how many points of a bucket the
// beam has, and each costs so many times more. A bucket is the places of the knobs so far, in
// steps that halve from pass to pass. A later pass adds ten to the count of a point whose bucket of
// the pass before led to no point within 1.2 times of the best.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class BeamStrategy : public Strategy {
  static constexpr size_t kBeam = 32;
  static constexpr int kPasses = 5;
  static constexpr double kBlessed = 1.2, kUnblessed = 10;

 public:
  explicit BeamStrategy(uint64_t seed) : rng_(seed) {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    if (model != nullptr) {
      found_.clear();
      known_.clear();
      blessed_.clear();
      for (int pass = 0; pass < kPasses; ++pass) RunPass(space, *model, pass);
      batch.AddBest(std::move(found_));
    }
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  struct State {
    Point point;
    double score = 0;               // of the point
    std::vector<uint64_t> buckets;  // by knob so far
    uint64_t before = 0;            // the last bucket, as the pass before has it
  };

  static uint64_t Bucket(uint64_t before, size_t index, int pass) {
    return Mix64(before ^ Mix64(index >> (kPasses - 1 - pass)));
  }

  void RunPass(Space& space, CostModel& model, int pass) {
    std::vector<State> beam{{space.given(), 0, {}, 0}};
    for (size_t knob = 0; knob < space.knobs().size(); ++knob) {
      std::vector<State> next;
      for (const State& state : beam) Extend(space, state, knob, pass, &next);
      Score(model, &next);
      beam = Best(std::move(next), pass);
    }
    double best = kNoScore;
    for (const State& state : beam) best = std::max(best, state.score);
    blessed_.clear();
    for (const State& state : beam) {
      if (state.score >= best - std::log2(kBlessed))
        blessed_.insert(state.buckets.begin(), state.buckets.end());
    }
  }

  // Adds |state| with each value of |knob|.
  static void Extend(Space& space, const State& state, size_t knob, int pass,
                     std::vector<State>* next) {
    const Space::Place place = space.PlaceOf(state.point, knob);
    for (size_t to = 0; to < place.count; ++to) {
      const int by = static_cast<int>(to) - static_cast<int>(place.index);
      auto point = by == 0 ? std::optional(state.point) : space.Moved(state.point, knob, by);
      if (!point) continue;
      State child{std::move(*point), 0, state.buckets, state.before};
      child.buckets.push_back(Bucket(knob == 0 ? 0 : child.buckets.back(), to, pass));
      if (pass > 0) child.before = Bucket(child.before, to, pass - 1);
      next->push_back(std::move(child));
    }
  }

  void Score(CostModel& model, std::vector<State>* states) {
    std::vector<Point> points;  // that no pass has scored
    for (const State& state : *states) {
      if (known_.emplace(HashOf(state.point), kNoScore).second) points.push_back(state.point);
    }
    const std::vector<double> scores = model.Predict(points);
    for (size_t k = 0; k < points.size(); ++k) {
      known_[HashOf(points[k])] = scores[k];
      found_.emplace_back(scores[k], points[k]);
    }
    for (State& state : *states) state.score = known_.at(HashOf(state.point));
  }

  // The kBeam states that cost least, each as often as its bucket was taken before.
  std::vector<State> Best(std::vector<State> states, int pass) const {
    std::ranges::stable_sort(states,
                             [](const State& a, const State& b) { return a.score > b.score; });
    std::unordered_map<uint64_t, int> taken;
    std::vector<std::pair<double, size_t>> order;
    for (size_t k = 0; k < states.size(); ++k) {
      double times = ++taken[states[k].buckets.back()];
      if (pass > 0 && !blessed_.contains(states[k].before)) times += kUnblessed;
      const double score = states[k].score - std::log2(times);
      order.emplace_back(score, k);
    }
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<State> best;
    for (size_t k = 0; k < std::min(kBeam, order.size()); ++k)
      best.push_back(std::move(states[order[k].second]));
    return best;
  }

  Rng rng_;
  std::vector<std::pair<double, Point>> found_;  // every point of this batch's passes, once
  std::unordered_map<uint64_t, double> known_;   // their scores, by hash
  std::unordered_set<uint64_t> blessed_;         // buckets of the last pass
};

}  // namespace

std::unique_ptr<Strategy> MakeBeam(uint64_t seed) { return std::make_unique<BeamStrategy>(seed); }

}  // namespace tessera::tune
