// SPDX-License-Identifier: Apache-2.0
//
// A strategy chooses the points of a space that a search measures next. Depends on: cost_model.h.
// Used by: searches. A strategy is a file in strategies/ and a row of kStrategies (strategy.cc).
#ifndef TESSERA_COMPILER_TUNE_STRATEGY_H_
#define TESSERA_COMPILER_TUNE_STRATEGY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/history.h"
#include "compiler/tune/space.h"

namespace tessera::tune {

// A strategy has its own random numbers. Its points depend on its seed and on the trials that it
// receives, not on the worker or the time of a measurement.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most |n| points that |history| does not have, each once. None: the strategy finds no more.
  // |model|: fitted to |history|; null if the search has no model.
  virtual std::vector<Point> NextBatch(Space& space, CostModel* model, const History& history,
                                       size_t n) = 0;
};

//   errors  kNotFound  no such name; the message lists the names
Result<std::unique_ptr<Strategy>> MakeStrategy(const std::string& name, uint64_t seed);
// "random, grid, ..."
std::string StrategyNames();

std::unique_ptr<Strategy> MakeRandom(uint64_t seed);
std::unique_ptr<Strategy> MakeGrid(uint64_t seed);
std::unique_ptr<Strategy> MakeGenetic(uint64_t seed);
std::unique_ptr<Strategy> MakeAnnealing(uint64_t seed);
std::unique_ptr<Strategy> MakeDiverseAnnealing(uint64_t seed);
std::unique_ptr<Strategy> MakeEvolution(uint64_t seed);
std::unique_ptr<Strategy> MakeDescent(uint64_t seed);
std::unique_ptr<Strategy> MakeBeam(uint64_t seed);
std::unique_ptr<Strategy> MakeQLearning(uint64_t seed);
std::unique_ptr<Strategy> MakeConstrained(uint64_t seed);
std::unique_ptr<Strategy> MakeScreening(uint64_t seed);
std::unique_ptr<Strategy> MakePortfolio(uint64_t seed);

// The points of one batch. Takes only points that the history does not have, each once.
class Batch {
 public:
  Batch(const History& history, size_t most) : history_(history), most_(most) {}
  bool full() const { return points_.size() >= most_; }
  bool Takes(const Point& point) const {
    return !full() && !history_.Has(point) && !hashes_.contains(HashOf(point));
  }
  // Adds |point| if the batch takes it.
  bool Add(const Point& point) {
    if (!Takes(point)) return false;
    hashes_.insert(HashOf(point));
    points_.push_back(point);
    return true;
  }
  // Adds the points of |scored| with the highest scores, of equal ones the earlier one first, until
  // RandomShare of the batch is left.
  void AddBest(std::vector<std::pair<double, Point>> scored);
  // The points of a batch of |most| that are random where a model chooses the others: 5 %.
  static size_t RandomShare(size_t most);
  // Adds random points until the batch has |count| points or no more are found.
  void AddRandom(Space& space, Rng& rng, size_t count);
  std::vector<Point> Take() { return std::move(points_); }
  size_t size() const { return points_.size(); }

 private:
  const History& history_;
  size_t most_;
  std::vector<Point> points_;
  std::unordered_set<uint64_t> hashes_;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_STRATEGY_H_
