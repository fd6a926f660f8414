// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/overlap.h"

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "isa/costs.h"

namespace tessera::codegen::accel {
namespace {

// Of units in a row, as many have their boxes on chip at a time, and as many their results.
constexpr size_t kBoxes = 2, kResults = 4;
// Units ahead that are looked at.
constexpr size_t kLook = 3;
// What a unit may cost those of the other region: one part in so many of what it takes itself.
constexpr std::array<int64_t, 3> kCosts{1, 2, 4};

int64_t Longest(const WorkUnit& unit) {
  std::array<int64_t, isa::kUnits> busy{};
  for (const TimedStep& step : unit.steps) busy[static_cast<size_t>(step.unit)] += step.cycles;
  return std::ranges::max(busy);
}

// When there is room for unit |at|.
int64_t RoomAt(const std::vector<WorkClock::End>& ends, size_t at) {
  return std::max(at < kBoxes ? 0 : ends[at - kBoxes].computed,
                  at < kResults ? 0 : ends[at - kResults].all);
}

}  // namespace

void WorkClock::Advance(UnitRun& run, size_t to) {
  for (; run.at < to; ++run.at) {
    const TimedStep& step = run.unit->steps[run.at];
    const auto u = static_cast<size_t>(step.unit);
    int64_t start = free_[u];
    if (step.unit == isa::Unit::kLoad) start = std::max(start, run.from);
    for (size_t v = 0; v < isa::kUnits; ++v) {
      if ((step.tokens.pop >> v & 1) == 0) continue;
      start = std::max(start, run.tokens[v][u].at(run.taken[v][u]++) + isa::kTokenCycles);
    }
    free_[u] = start + step.cycles;
    const int64_t done = free_[u] + isa::StartCycles(step.unit);
    for (size_t v = 0; v < isa::kUnits; ++v) {
      if ((step.tokens.push >> v & 1) != 0) run.tokens[u][v].push_back(done);
    }
    run.end.all = std::max(run.end.all, done);
    const bool vector = step.unit == isa::Unit::kVector && run.end.computed == 0;
    if (step.unit == isa::Unit::kGemm || vector) run.end.computed = done;
  }
}

WorkClock::End WorkClock::RunAll(const WorkUnit& unit, int64_t from) {
  UnitRun run{&unit, from};
  Advance(run, unit.steps.size());
  return run.end;
}

Overlap::Overlap(const std::vector<WorkUnit>& first, const std::vector<bool>& gone,
                 const std::vector<WorkUnit>& second, const std::vector<bool>* emitted,
                 const std::vector<isa::Access>& in_use)
    : first_(&first), second_(&second), behind_(second.size()), emitted_(emitted) {
  for (size_t f = 0; f < first.size(); ++f) {
    if (!gone[f]) order_.push_back(f);
  }
  for (size_t s = 0; s < second.size(); ++s) {
    size_t after = order_.size() + (Conflict(second[s].shared, in_use) ? 1 : 0);
    if (after == order_.size()) {
      while (after > 0 && !Conflict(second[s].shared, first[order_[after - 1]].shared)) --after;
    }
    for (size_t before = 0; before < s; ++before) {
      if (!Conflict(second[s].shared, second[before].shared)) continue;
      behind_[s].push_back(before);
      after = std::max(after, after_[before]);
    }
    after_.push_back(after);
  }
}

void Overlap::EmittedTo(size_t unit, size_t products) {
  TESSERA_CHECK(done_ < order_.size() && order_[done_] == unit);
  const WorkUnit& work = (*first_)[unit];
  if (!current_) current_ = WorkClock::UnitRun{&work, RoomAt(ends_, done_)};
  clock_.Advance(*current_,
                 products < work.products.size() ? work.products[products - 1] : work.steps.size());
}

void Overlap::Emitted(size_t unit) {
  EmittedTo(unit, (*first_)[unit].products.size());
  ends_.push_back(current_->end);
  current_.reset();
  ++done_;
}

int64_t Overlap::EndOfFirst(WorkClock clock) const {
  std::vector<WorkClock::End> ends = ends_;
  int64_t end = 0;
  for (size_t k = done_; k < std::min(done_ + kLook, order_.size()); ++k) {
    WorkClock::UnitRun run = k == done_ && current_
                                 ? *current_
                                 : WorkClock::UnitRun{&(*first_)[order_[k]], RoomAt(ends, k)};
    clock.Advance(run, run.unit->steps.size());
    ends.push_back(run.end);
    end = std::max(end, run.end.all);
  }
  return end;
}

int64_t Overlap::EndOfBoth(WorkClock clock, const std::vector<bool>& emitted) const {
  std::vector<WorkClock::End> ends = ends_;
  int64_t end = 0;
  const auto run = [&](const WorkUnit& unit, int64_t from) {
    ends.push_back(clock.RunAll(unit, std::max(from, RoomAt(ends, ends.size()))));
    end = std::max(end, ends.back().all);
  };
  for (size_t k = done_; k < order_.size(); ++k) run((*first_)[order_[k]], 0);
  for (size_t s = 0; s < second_->size(); ++s) {
    if (!emitted[s]) run((*second_)[s], StoredBefore(s, ends));
  }
  return end;
}

int64_t Overlap::StoredBefore(size_t s, const std::vector<WorkClock::End>& ends) const {
  const size_t after = std::min(after_[s], order_.size());
  return after == 0 ? 0 : ends[after - 1].all;
}

Overlap::Gain Overlap::Plan() {
  const int64_t apart = EndOfBoth(clock_, *emitted_);
  int64_t best = apart;
  for (const int64_t cost : kCosts) {
    std::vector<bool> emitted = *emitted_;
    Overlap tried = *this;
    tried.emitted_ = &emitted;
    tried.cost_ = cost;
    const auto fill = [&] {
      const auto fits = [](const WorkUnit&) { return true; };
      while (const std::optional<size_t> s = tried.Next(fits)) emitted[*s] = true;
    };
    for (const size_t f : order_) {
      for (size_t p = 1; p < first_->at(f).products.size(); ++p) {
        tried.EmittedTo(f, p);
        fill();
      }
      tried.Emitted(f);
      fill();
    }
    const int64_t together = tried.EndOfBoth(tried.clock_, emitted);
    if (together < best) best = together, cost_ = cost;
  }
  return {apart, apart - best};
}

std::optional<size_t> Overlap::Next(const FitsNow& fits) {
  if (done_ == order_.size()) return std::nullopt;
  for (size_t s = 0; s < second_->size(); ++s) {
    const WorkUnit& unit = (*second_)[s];
    if ((*emitted_)[s] || after_[s] > done_) continue;
    if (std::ranges::any_of(behind_[s], [&](size_t b) { return !(*emitted_)[b]; })) continue;
    if (!fits(unit)) return std::nullopt;
    WorkClock with = clock_;
    const WorkClock::End end =
        with.RunAll(unit, std::max(StoredBefore(s, ends_), RoomAt(under_, under_.size())));
    if (cost_ * (EndOfFirst(with) - EndOfFirst(clock_)) > Longest(unit)) return std::nullopt;
    clock_ = with;
    under_.push_back(end);
    return s;
  }
  return std::nullopt;
}

std::vector<bool> ChoosePairs(const std::vector<int64_t>& saved) {
  std::vector<int64_t> best(saved.size() + 2);  // of the pairs from here on
  for (size_t k = saved.size(); k-- > 0;) best[k] = std::max(best[k + 1], saved[k] + best[k + 2]);
  std::vector<bool> allowed(saved.size(), true);
  bool taken = false;  // by the pair before
  for (size_t k = 0; k < saved.size(); ++k) {
    const bool chosen = !taken && saved[k] > 0 && saved[k] + best[k + 2] >= best[k + 1];
    if (chosen && k > 0) allowed[k - 1] = false;
    taken = chosen;
  }
  return allowed;
}

}  // namespace tessera::codegen::accel
