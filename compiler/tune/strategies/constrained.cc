// SPDX-License-Identifier: Apache-2.0
//
// Constrained genetic search, as in Heron (Bi et al. 2023): an individual is a set of constraints,
// which values knobs may have, and not a point. Children have the constraints of both parents on
// the knobs that matter; sometimes one of them is dropped. A point is drawn from each, so all are
// legal. With Heron's constants: the first parents are the 32 best measured points, 5 rounds of 200
// children on a model, of which 100 are the next parents. Heron constrains a fifth of hundreds of
// variables. These spaces have fewer than ten knobs, so this search constrains half of them. Heron
// asks its model which knobs matter. This search takes the knobs that explain most of the measured
// cycles' variance, so it works with every model and without one.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class ConstrainedStrategy : public Strategy {
  static constexpr size_t kChildren = 200, kSelected = 100, kMeasured = 32;
  static constexpr int kRounds = 5;
  static constexpr double kKeys = 0.5, kDrop = 0.1;

 public:
  explicit ConstrainedStrategy(uint64_t seed) : rng_(seed) {}

  std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    const std::vector<size_t> keys = KeysOf(space, history);
    std::vector<Point> parents;
    for (const Trial* trial : history.Fastest()) {
      if (parents.size() < kMeasured) parents.push_back(trial->point);
    }
    std::vector<std::pair<double, Point>> found;
    std::unordered_set<uint64_t> known;
    const size_t children = model == nullptr ? 2 * n : kChildren;
    for (int round = 0; round < (model == nullptr ? 1 : kRounds) && parents.size() > 1; ++round) {
      std::vector<Point> points;
      for (size_t k = 0; k < children; ++k) {
        if (auto child = Child(space, parents, keys)) points.push_back(std::move(*child));
      }
      const std::vector<double> scores =
          model == nullptr ? std::vector<double>(points.size()) : model->Predict(points);
      std::vector<size_t> order(points.size());
      std::iota(order.begin(), order.end(), size_t{0});
      std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
      parents.clear();
      for (const size_t k : order) {
        if (!history.Has(points[k]) && known.insert(HashOf(points[k])).second)
          found.emplace_back(scores[k], points[k]);
        if (parents.size() < kSelected) parents.push_back(points[k]);
      }
    }
    batch.AddBest(std::move(found));
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  const Point& Any(const std::vector<Point>& points) {
    return points[static_cast<size_t>(rng_.Range(0, std::ssize(points) - 1))];
  }

  // A point in which each of |keys|, or all but one, has the value of one of two parents.
  std::optional<Point> Child(Space& space, const std::vector<Point>& parents,
                             const std::vector<size_t>& keys) {
    const Point &a = Any(parents), &b = Any(parents);
    std::vector<std::vector<schedule::Choice>> allowed(space.knobs().size());
    for (const size_t key : keys) allowed[key] = {a.picks[key], b.picks[key]};
    if (keys.size() > 1 && rng_.Unit() < kDrop)
      allowed[keys[static_cast<size_t>(rng_.Range(0, std::ssize(keys) - 1))]].clear();
    return space.Within(allowed, rng_);
  }

  // The knobs that matter most: half of them, but at least two.
  static std::vector<size_t> KeysOf(const Space& space, const History& history) {
    std::vector<std::pair<double, size_t>> share;
    for (size_t knob = 0; knob < space.knobs().size(); ++knob)
      share.emplace_back(Explained(history, knob), knob);
    std::ranges::stable_sort(share, [](const auto& a, const auto& b) { return a.first > b.first; });
    const auto most = static_cast<size_t>(std::ceil(kKeys * static_cast<double>(share.size())));
    std::vector<size_t> keys;
    for (size_t k = 0; k < std::min(std::max<size_t>(most, 2), share.size()); ++k)
      keys.push_back(share[k].second);
    return keys;
  }

  // The variance of log2 of the cycles between the values of |knob|.
  static double Explained(const History& history, size_t knob) {
    struct Group {
      double sum = 0, count = 0;
    };
    std::map<std::string, Group> groups;
    Group all;
    for (const Trial& trial : history.trials()) {
      if (!trial.cycles) continue;
      const double cycles = std::log2(static_cast<double>(*trial.cycles + 1));
      for (Group* group : {&groups[Print(trial.point.picks[knob])], &all}) {
        group->sum += cycles;
        ++group->count;
      }
    }
    double between = 0;
    for (const auto& [value, group] : groups) {
      const double apart = group.sum / group.count - all.sum / all.count;
      between += group.count * apart * apart;
    }
    return between;
  }

  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> MakeConstrained(uint64_t seed) {
  return std::make_unique<ConstrainedStrategy>(seed);
}

}  // namespace tessera::tune
