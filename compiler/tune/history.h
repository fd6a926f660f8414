// SPDX-License-Identifier: Apache-2.0
//
// The points of one space that a search has measured, with their cycles. On the host, whose
// processor has no fixed clock, nanoseconds are in their place. Depends on: space.h. Used by:
// strategies, cost models, searches.
#ifndef TESSERA_COMPILER_TUNE_HISTORY_H_
#define TESSERA_COMPILER_TUNE_HISTORY_H_

#include <algorithm>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/tune/space.h"

namespace tessera::tune {

// Why a point has no cycles.
struct FailedTrial {
  // A word for programs: the name of an error's code (base/error.h), or one of time_measure.h.
  std::string cause;
  std::string message;  // for people

  FailedTrial(std::string why, std::string text)
      : cause(std::move(why)), message(std::move(text)) {}
  FailedTrial(const Error& error)  // NOLINT: an error is a failed trial
      : cause(CodeName(error.code)), message(error.message) {}
};

// The cycles of a point, or why it has none. A Result<uint64_t> is one too.
using Measured = std::expected<uint64_t, FailedTrial>;

// A measured point: its cycles, or the error if it has none.
struct Trial {
  Point point;
  std::optional<uint64_t> cycles;
  std::string cause;    // without cycles: FailedTrial's
  std::string message;  // ... and its text
};

class History {
 public:
  void Add(Trial trial) {
    seen_.insert(HashOf(trial.point));
    const bool better = trial.cycles && (!best_ || *trial.cycles < *trials_[*best_].cycles);
    if (!trial.cycles) ++failed_;
    trials_.push_back(std::move(trial));
    if (better) best_ = trials_.size() - 1;
  }
  const std::vector<Trial>& trials() const { return trials_; }
  bool Has(const Point& point) const { return seen_.contains(HashOf(point)); }
  // The trial with the fewest cycles, the first of equal ones; null: no trial has cycles.
  const Trial* best() const { return best_ ? &trials_[*best_] : nullptr; }
  size_t failed() const { return failed_; }
  // The trials with cycles, the fastest first; of equal trials the earlier one first.
  std::vector<const Trial*> Fastest() const {
    std::vector<const Trial*> all;
    for (const Trial& trial : trials_) {
      if (trial.cycles) all.push_back(&trial);
    }
    std::ranges::stable_sort(all, {}, [](const Trial* trial) { return *trial->cycles; });
    return all;
  }

 private:
  std::vector<Trial> trials_;
  std::unordered_set<uint64_t> seen_;
  std::optional<size_t> best_;
  size_t failed_ = 0;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_HISTORY_H_
