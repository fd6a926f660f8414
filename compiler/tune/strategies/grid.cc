// SPDX-License-Identifier: Apache-2.0
//
// Every point of a space, in order: the last knob changes fastest.
#include <optional>

#include "compiler/tune/strategy.h"

namespace tessera::tune {
namespace {

class GridStrategy : public Strategy {
 public:
  std::vector<Point> NextBatch(Space& space, CostModel*, const History& history,
                               size_t n) override {
    Batch batch(history, n);
    while (!batch.full() && !ended_) {
      const std::optional<Point> next = last_ ? space.After(*last_) : space.First();
      ended_ = !next;
      if (next) batch.Add(*next);
      last_ = next;
    }
    return batch.Take();
  }

 private:
  std::optional<Point> last_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Strategy> MakeGrid(uint64_t) { return std::make_unique<GridStrategy>(); }

}  // namespace tessera::tune
