// SPDX-License-Identifier: Apache-2.0
//
// Random points: every value of a knob is equally likely.
#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class RandomStrategy : public Strategy {
 public:
  explicit RandomStrategy(uint64_t seed) : rng_(seed) {}
  std::vector<Point> NextBatch(Space& space, CostModel*, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    batch.AddRandom(space, rng_, n);
    return batch.Take();
  }

 private:
  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> MakeRandom(uint64_t seed) {
  return std::make_unique<RandomStrategy>(seed);
}

}  // namespace tessera::tune
