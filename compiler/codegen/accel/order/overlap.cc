// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/order/overlap.h"

#include <algorithm>
#include <deque>

#include "base/check.h"

namespace tessera::codegen::accel {
namespace {

// Consecutive units whose boxes are on chip at one time, and units whose results are.
constexpr size_t kBoxes = 2, kResults = 4;
// Units of |first| that the estimate looks ahead.
constexpr size_t kLook = 3;
// A unit may delay the other region by 1 / cost of its own length; the costs to try.
constexpr std::array<int64_t, 3> kCosts{1, 2, 4};

int64_t Longest(const WorkUnit& unit) {
  std::array<int64_t, isa::kUnits> busy{};
  for (const TimedStep& step : unit.steps) busy[static_cast<size_t>(step.unit)] += step.cycles;
  return std::ranges::max(busy);
}

// The cycle at which there is room for unit |at|.
int64_t RoomAt(const std::vector<WorkClock::End>& ends, size_t at) {
  return std::max(at < kBoxes ? 0 : ends[at - kBoxes].computed,
                  at < kResults ? 0 : ends[at - kResults].all);
}

}  // namespace

void WorkClock::Advance(UnitRun& run, size_t to) {
  // A unit that reads another region's rows waits for them: in LOAD or, if it loads nothing, in
  // GEMM.
  const bool loads =
      run.unit->folded.empty() || std::ranges::any_of(run.unit->steps, [](const TimedStep& s) {
        return s.unit == isa::Unit::kLoad;
      });
  const isa::Unit first = loads ? isa::Unit::kLoad : isa::Unit::kGemm;
  for (; run.at < to; ++run.at) {
    const TimedStep& step = run.unit->steps[run.at];
    const auto u = static_cast<size_t>(step.unit);
    int64_t ready = step.unit == first ? run.from : 0;
    for (size_t v = 0; v < isa::kUnits; ++v) {
      if ((step.tokens.pop >> v & 1) == 0) continue;
      ready = std::max(ready, jit::UnitClock::Known(run.tokens[v][u].at(run.taken[v][u]++)));
    }
    const int64_t done = units_.Run(step.unit, ready, step.cycles).done;
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

Overlap::Overlap(const std::vector<WorkUnit>& first, const std::vector<bool>& gone)
    : first_(&first) {
  for (size_t f = 0; f < first.size(); ++f) {
    if (!gone[f]) order_.push_back(f);
  }
  before_.resize(order_.size());
}

void Overlap::AddRegion(const std::vector<WorkUnit>& second, const std::vector<bool>& emitted,
                        const std::vector<isa::Access>& in_use) {
  for (size_t k = 0; k < second.size(); ++k) {
    const WorkUnit& unit = second[k];
    const size_t s = others_.size();
    Other other{&unit, Touches(unit, in_use) ? order_.size() + 1 : 0, {}, emitted[k]};
    for (size_t f = order_.size(); f-- > 0 && (other.after <= f || !unit.folded.empty());) {
      const Precedence order = PrecedenceOf((*first_)[order_[f]], unit);
      if (order == Precedence::kFirst) other.after = std::max(other.after, f + 1);
      if (order == Precedence::kSecond) before_[f].push_back(s);
      circular_ |= order == Precedence::kBoth;
    }
    for (size_t b = 0; b < s; ++b) {
      const Precedence order = PrecedenceOf(*others_[b].unit, unit);
      if (order == Precedence::kFirst) {
        other.behind.push_back(b);
        other.after = std::max(other.after, others_[b].after);
      }
      if (order == Precedence::kSecond) others_[b].behind.push_back(s);
      circular_ |= order == Precedence::kBoth;
    }
    others_.push_back(std::move(other));
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

int64_t Overlap::EndOfAll(WorkClock clock) const {
  std::vector<WorkClock::End> ends = ends_;
  int64_t end = 0;
  const auto run = [&](const WorkUnit& unit, int64_t from) {
    ends.push_back(clock.RunAll(unit, std::max(from, RoomAt(ends, ends.size()))));
    end = std::max(end, ends.back().all);
  };
  for (size_t k = done_; k < order_.size(); ++k) run((*first_)[order_[k]], 0);
  for (const Other& other : others_) {
    if (!other.emitted) run(*other.unit, StoredBefore(other, ends));
  }
  return end;
}

int64_t Overlap::StoredBefore(const Other& other, const std::vector<WorkClock::End>& ends) const {
  const size_t after = std::min(other.after, order_.size());
  int64_t stored = after == 0 ? 0 : ends[after - 1].all;
  if (other.unit->folded.empty()) return stored;
  for (const size_t b : other.behind) stored = std::max(stored, others_[b].end);
  return stored;
}

Overlap::Gain Overlap::Plan() {
  const int64_t apart = EndOfAll(clock_);
  int64_t best = apart;
  for (const int64_t cost : kCosts) {
    Overlap tried = *this;
    tried.cost_ = cost;
    const auto fill = [&] {
      while (tried.Next([](const WorkUnit&) { return true; })) continue;
    };
    for (const size_t f : order_) {
      for (size_t p = 1; p < first_->at(f).products.size(); ++p) {
        tried.EmittedTo(f, p);
        fill();
      }
      tried.Emitted(f);
      fill();
    }
    const int64_t together = tried.EndOfAll(tried.clock_);
    if (together < best) best = together, cost_ = cost;
  }
  return {apart, apart - best};
}

void Overlap::Put(Other& other, const WorkClock& with, const WorkClock::End& end) {
  clock_ = with;
  under_.push_back(end);
  other.emitted = true;
  other.end = end.all;
}

std::optional<size_t> Overlap::Next(const FitsNow& fits) {
  if (done_ == order_.size()) return std::nullopt;
  for (size_t s = 0; s < others_.size(); ++s) {
    Other& other = others_[s];
    if (other.emitted || other.after > done_) continue;
    if (std::ranges::any_of(other.behind, [&](size_t b) { return !others_[b].emitted; })) continue;
    if (!fits(*other.unit)) return std::nullopt;
    WorkClock with = clock_;
    const WorkClock::End end = with.RunAll(
        *other.unit, std::max(StoredBefore(other, ends_), RoomAt(under_, under_.size())));
    if (cost_ * (EndOfFirst(with) - EndOfFirst(clock_)) > Longest(*other.unit)) {
      // In a chain, another region may have work.
      if (!other.unit->folded.empty()) continue;
      return std::nullopt;
    }
    Put(other, with, end);
    return s;
  }
  return std::nullopt;
}

bool Overlap::Collect(size_t s, std::vector<bool>& open, std::vector<size_t>* units) const {
  const Other& other = others_[s];
  if (other.emitted || std::ranges::count(*units, s) > 0) return true;
  if (open[s] || other.after > done_) return false;
  open[s] = true;
  for (const size_t b : other.behind) {
    if (!Collect(b, open, units)) return false;
  }
  open[s] = false;
  units->push_back(s);
  return true;
}

std::optional<std::vector<size_t>> Overlap::Before() const {
  std::vector<size_t> units;
  std::vector<bool> open(others_.size());
  if (circular_) return std::nullopt;
  for (const size_t s : done_ < order_.size() ? before_[done_] : std::vector<size_t>{}) {
    if (!Collect(s, open, &units)) return std::nullopt;
  }
  return units;
}

void Overlap::Force(size_t s) {
  Other& other = others_[s];
  if (other.emitted) return;
  WorkClock with = clock_;
  const WorkClock::End end = with.RunAll(*other.unit, StoredBefore(other, ends_));
  Put(other, with, end);
}

std::vector<bool> ChoosePairs(const std::vector<int64_t>& saved) {
  std::vector<int64_t> best(saved.size() + 2);  // of the pairs from here on
  for (size_t k = saved.size(); k-- > 0;) best[k] = std::max(best[k + 1], saved[k] + best[k + 2]);
  std::vector<bool> allowed(saved.size(), true);
  bool taken = false;  // by the previous pair
  for (size_t k = 0; k < saved.size(); ++k) {
    const bool chosen = !taken && saved[k] > 0 && saved[k] + best[k + 2] >= best[k + 1];
    if (chosen && k > 0) allowed[k - 1] = false;
    taken = chosen;
  }
  return allowed;
}

}  // namespace tessera::codegen::accel
