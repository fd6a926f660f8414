// SPDX-License-Identifier: Apache-2.0
#include "jit/load_order.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "jit/box_cut.h"
#include "jit/history.h"
#include "jit/unit_clock.h"

namespace tessera::jit {
namespace {

using isa::kUnits;

constexpr auto kLoadUnit = static_cast<size_t>(isa::Unit::kLoad);
// The beats of one piece of a load, as far as its box allows such a cut.
constexpr int64_t kPieceBeats = 128;
// The cycles before the next load could begin in which no other load comes in front of it: the
// clock knows that moment less well than the end of a wait.
constexpr int64_t kIdleMargin = 2 * kPieceBeats;
// How many later pieces to look at when a load waits.
constexpr size_t kWindow = 1024;

// A step of the program: an instruction, or a piece of a load.
struct OrderedStep {
  size_t from = 0;
  int64_t begin = 0, end = 1;  // the parts of its box
  isa::Unit unit = isa::Unit::kLoad;
  int64_t cycles = 0;
  std::vector<isa::Access> accesses = {};  // of a piece; without memory that is never written
  Positions latest = {};                   // the last instruction of each unit that it waits for
  std::vector<size_t> loads = {};          // the loads that must come before it
  // For a load: one past the last step of another unit that must come before it; the first one that
  // must come after it; the cycles of the longest chain of steps behind it.
  size_t after = 0;
  size_t needed = SIZE_MAX;
  int64_t behind = 0;
  bool pads = false;  // a load of padding alone
  bool done = false;
};

std::array<bool, isa::kSpaces> WrittenSpaces(std::span<const TokenNode> nodes) {
  std::array<bool, isa::kSpaces> written{};
  for (const TokenNode& node : nodes) {
    for (const isa::Access& a : node.accesses) written[a.space.index] |= a.write;
  }
  return written;
}

std::vector<OrderedStep> Cut(std::span<const isa::Insn> insns, std::span<const TokenNode> nodes,
                             const isa::Config& config) {
  const std::array<bool, isa::kSpaces> written = WrittenSpaces(nodes);
  std::vector<OrderedStep> steps;
  steps.reserve(insns.size());
  for (size_t n = 0; n < insns.size(); ++n) {
    const isa::Unit unit = nodes[n].unit;
    const int64_t beats = BusyCycles(insns[n], config);
    const auto* load = std::get_if<isa::Load>(&insns[n]);
    const int64_t count = load == nullptr ? 1 : BoxCut(*load).count();
    const bool pads = load != nullptr && load->y_size == 0;
    if (beats < 2 * kPieceBeats || count == 1) {
      steps.push_back({n, 0, count, unit, CyclesOf(unit, beats, config)});
      steps.back().pads = pads;
      continue;
    }
    const BoxCut box(*load);
    const isa::Space from = isa::Space::OfSegment(load->segment),
                     to = isa::Space::Of(isa::LiesIn(static_cast<isa::Memory>(load->memory)));
    const int64_t together = std::max<int64_t>(1, count * kPieceBeats / beats);
    for (int64_t at = 0; at < count; at += together) {
      const int64_t end = std::min(at + together, count);
      OrderedStep& step = steps.emplace_back(OrderedStep{n, at, end, unit});
      step.pads = pads;
      step.cycles = CyclesOf(unit, beats / count * (end - at), config);
      if (written[from.index]) {
        step.accesses = isa::Accesses(box.Part(at, end), config);
      } else {
        step.accesses.push_back({to, true, {box.OnChip(at, end)}});
      }
    }
  }
  return steps;
}

AccessHistory HistoryOf(std::span<const OrderedStep> steps, std::span<const TokenNode> nodes) {
  AccessHistory history;
  for (const OrderedStep& step : steps)
    history.Add(step.unit, step.accesses.empty() ? nodes[step.from].accesses : step.accesses);
  history.Prepare();
  return history;
}

// Finds what must come before each step. |history|: of |steps|; its records are forgotten at the
// end.
void FindBefore(std::vector<OrderedStep>& steps, AccessHistory& history) {
  std::array<std::vector<size_t>, kUnits> stream;
  for (size_t s = 0; s < steps.size(); ++s) {
    OrderedStep& step = steps[s];
    history.ForConflicts(s, [&](size_t unit, int32_t position) {
      step.latest[unit] = std::max(step.latest[unit], position);
      const size_t before = stream[unit][static_cast<size_t>(position) - 1];
      if (unit != kLoadUnit) {
        step.after = std::max(step.after, before + 1);
      } else if (step.loads.empty() || step.loads.back() != before) {
        step.loads.push_back(before);
      }
    });
    const auto unit = static_cast<size_t>(step.unit);
    stream[unit].push_back(s);
    history.Record(s, unit, static_cast<int32_t>(stream[unit].size()));
  }
  history.Forget();
}

// Finds what comes after each load. Steps of another unit run in order; loads need not.
void FindAfter(std::vector<OrderedStep>& steps) {
  std::array<std::vector<size_t>, kUnits> stream;
  for (size_t s = 0; s < steps.size(); ++s) stream[static_cast<size_t>(steps[s].unit)].push_back(s);
  std::array<size_t, kUnits> left;  // steps of each unit that come before this one
  std::ranges::transform(stream, left.begin(), &std::vector<size_t>::size);
  for (size_t s = steps.size(); s-- > 0;) {
    OrderedStep& step = steps[s];
    const auto unit = static_cast<size_t>(step.unit);
    const int64_t chain = step.cycles + step.behind;
    const auto before = [&](size_t other) {
      steps[other].behind = std::max(steps[other].behind, chain);
    };
    const bool load = step.unit == isa::Unit::kLoad;
    for (const size_t other : step.loads) {
      before(other);
      steps[other].needed = std::min(steps[other].needed, load ? step.needed : s);
    }
    for (size_t u = 0; u < kUnits; ++u) {
      if (u != kLoadUnit && step.latest[u] > 0)
        before(stream[u][static_cast<size_t>(step.latest[u]) - 1]);
    }
    if (!load && --left[unit] > 0) before(stream[unit][left[unit] - 1]);
  }
}

// When the units are done with the steps that ran so far.
class ProgramClock {
 public:
  explicit ProgramClock(const isa::Config& config)
      : depth_(static_cast<size_t>(config.QueueDepth(isa::Profile::kTessera))), units_(config) {}

  // When |step| would begin if it were next.
  int64_t StartOf(const OrderedStep& step) const {
    const auto unit = static_cast<size_t>(step.unit);
    int64_t start = Earliest(step.unit);
    for (size_t v = 0; v < kUnits; ++v) {
      if (v == unit || step.latest[v] == 0) continue;
      const UnitClock::Ran& ran = ran_[v][static_cast<size_t>(step.latest[v]) - 1];
      start = std::max(start, UnitClock::Known(ran.done));
    }
    return start;
  }
  // When an instruction of |unit| without dependences would begin.
  int64_t Earliest(isa::Unit unit) const {
    return std::max(units_.free(unit), FetchedAt(static_cast<size_t>(unit)));
  }

  // Whether |step| would begin later if fetch first waited for room in front of |unit|.
  bool DelayedBy(isa::Unit unit, const OrderedStep& step) const {
    return FetchedAt(static_cast<size_t>(unit)) > std::max(fetched_, StartOf(step));
  }

  // Runs |step| next; returns its position in its unit's stream.
  int32_t Run(const OrderedStep& step) {
    const auto unit = static_cast<size_t>(step.unit);
    const UnitClock::Ran ran = units_.Run(step.unit, StartOf(step), step.cycles);
    fetched_ = FetchedAt(unit);
    ran_[unit].push_back(ran);
    return static_cast<int32_t>(ran_[unit].size());
  }

  // What has run so far; Return undoes what ran since.
  struct Moment {
    UnitClock units;
    int64_t fetched = 0;
    std::array<size_t, kUnits> ran{};
  };
  Moment Now() const {
    Moment now{units_, fetched_, {}};
    for (size_t u = 0; u < kUnits; ++u) now.ran[u] = ran_[u].size();
    return now;
  }
  void Return(const Moment& to) {
    units_ = to.units, fetched_ = to.fetched;
    for (size_t u = 0; u < kUnits; ++u) ran_[u].resize(to.ran[u]);
  }

 private:
  // Fetch takes instructions in order, each when there is room in front of its unit.
  int64_t FetchedAt(size_t unit) const {
    const std::vector<UnitClock::Ran>& ran = ran_[unit];
    return ran.size() < depth_ ? fetched_ : std::max(fetched_, ran[ran.size() - depth_].start);
  }

  size_t depth_;
  UnitClock units_;
  std::array<std::vector<UnitClock::Ran>, kUnits> ran_;
  int64_t fetched_ = 0;
};

// Makes the new order of steps. Regions fill the halo of their result before they compute, which
// nothing needs so soon: such a load of padding comes behind later loads with more work behind
// them, at the latest where a step needs it. Before a load that waits come loads that may pass it.
class LoadMover {
 public:
  // |history|: of |steps|, with nothing recorded. The mover records the loads in their new order.
  // The order of other units' instructions does not change.
  LoadMover(std::vector<OrderedStep>& steps, AccessHistory& history, const isa::Config& config)
      : steps_(steps), history_(history), clock_(config) {
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].unit != isa::Unit::kLoad) continue;
      loads_.push_back(s);
      after_.push_back(steps_[s].after);
    }
    least_after_ = after_;
    least_after_.push_back(steps_.size());
    most_behind_.assign(loads_.size() + 1, -1);
    for (size_t l = loads_.size(); l-- > 0;) {
      least_after_[l] = std::min(least_after_[l], least_after_[l + 1]);
      most_behind_[l] = std::max(steps_[loads_[l]].behind, most_behind_[l + 1]);
    }
  }

  std::vector<size_t> Run() {
    size_t l = 0;  // index into loads_ of the next load
    for (size_t s = 0; s < steps_.size(); ++s) {
      OrderedStep& step = steps_[s];
      const bool load = step.unit == isa::Unit::kLoad;
      l += load ? 1 : 0;
      if (step.done) continue;
      if (step.pads && most_behind_[l] > step.behind) {
        deferred_.push_back(s);
      } else if (load) {
        PutDeferred([&](const OrderedStep& other) { return other.behind >= step.behind; }, s);
        if (!step.done) PutInTurn(s, s);
      } else {
        PutDeferred([&](const OrderedStep& other) { return other.needed <= s; }, s);
        step.latest[kLoadUnit] = history_.FindConflicts(s)[kLoadUnit];
        UseIdle(l, s);
        clock_.Run(step);
        order_.push_back(s);
      }
    }
    PutDeferred([](const OrderedStep&) { return true; }, steps_.size());
    return std::move(order_);
  }

 private:
  // Puts the deferred loads for which |due|, those with most behind them first. The steps of other
  // units before |now| have run.
  template <typename Due>
  void PutDeferred(const Due& due, size_t now) {
    while (true) {
      std::erase_if(deferred_, [&](size_t s) { return steps_[s].done; });
      const auto order = [&](size_t s) { return std::pair(-steps_[s].behind, s); };
      size_t first = SIZE_MAX;
      for (const size_t s : deferred_) {
        if (due(steps_[s]) && (first == SIZE_MAX || order(s) < order(first))) first = s;
      }
      if (first == SIZE_MAX) return;
      while (const std::optional<size_t> other = MoreUrgent(first, now)) PutInTurn(*other, now);
      if (!steps_[first].done) PutInTurn(first, now);
    }
  }
  // A load with more behind it than |s| that may come before |s|.
  std::optional<size_t> MoreUrgent(size_t s, size_t now) {
    size_t seen = 0;
    for (size_t l = first_; most_behind_[l] > steps_[s].behind && seen < kWindow; ++l, ++seen) {
      const OrderedStep& other = steps_[loads_[l]];
      if (!other.done && other.behind > steps_[s].behind && CanCome(l, now)) return loads_[l];
    }
    return std::nullopt;
  }
  // Whether all that load |l| of loads_ waits for is in the order.
  bool CanCome(size_t l, size_t now) const {
    return after_[l] <= now &&
           std::ranges::all_of(steps_[loads_[l]].loads, [&](size_t b) { return steps_[b].done; });
  }
  // Puts load |s| behind those that pass it.
  void PutInTurn(size_t s, size_t now) {
    while (const std::optional<size_t> other = Passing(s, now)) PutLoad(*other);
    PutLoad(s);
  }
  void PutLoad(size_t s) {
    history_.Record(s, kLoadUnit, clock_.Run(steps_[s]));
    steps_[s].done = true;
    order_.push_back(s);
  }

  // Puts loads that begin at once and are done before the first of loads_ from |l| on could begin.
  // That one comes behind step |now|: LOAD would be idle until fetch has brought it. Fetch
  // waits for room in front of LOAD no longer than until step |now| begins.
  void UseIdle(size_t l, size_t now) {
    while (!clock_.DelayedBy(isa::Unit::kLoad, steps_[now])) {
      while (l < loads_.size() && steps_[loads_[l]].done) ++l;
      if (l == loads_.size()) return;
      if (ahead_ != l) ahead_ = l, ahead_start_ = StartBehind(now, loads_[l]);
      const std::optional<size_t> other =
          PassingUntil(ahead_start_ - kIdleMargin, loads_[l], now, /*at_once=*/true);
      if (!other) return;
      PutLoad(*other);
    }
  }
  // When load |s| would begin if the steps of other units from |now| on ran first.
  int64_t StartBehind(size_t now, size_t s) {
    const ProgramClock::Moment moment = clock_.Now();
    for (size_t k = now; k < s; ++k) {
      OrderedStep& step = steps_[k];
      if (step.unit == isa::Unit::kLoad) continue;
      step.latest[kLoadUnit] = history_.FindConflicts(k)[kLoadUnit];
      clock_.Run(step);
    }
    const int64_t start = clock_.StartOf(steps_[s]);
    clock_.Return(moment);
    return start;
  }
  // A load that may come before load |s| and is done when |s| begins.
  std::optional<size_t> Passing(size_t s, size_t now) {
    return PassingUntil(clock_.StartOf(steps_[s]), s, now, /*at_once=*/false);
  }
  // A load other than |s| that may come now and is done at cycle |start|; |at_once|: that does not
  // wait.
  std::optional<size_t> PassingUntil(int64_t start, size_t s, size_t now, bool at_once) {
    const int64_t earliest = clock_.Earliest(isa::Unit::kLoad);
    if (start <= earliest) return std::nullopt;
    while (first_ < loads_.size() && steps_[loads_[first_]].done) ++first_;
    size_t seen = 0;
    for (size_t l = first_; least_after_[l] <= now && seen < kWindow; ++l) {
      if (after_[l] > now) {
        ++seen;  // it is not done either, since it could not pass earlier
        continue;
      }
      const OrderedStep& other = steps_[loads_[l]];
      if (other.done || loads_[l] == s) continue;
      ++seen;
      if (at_once && clock_.StartOf(other) > earliest) continue;
      if (earliest + other.cycles > start || clock_.StartOf(other) + other.cycles > start) continue;
      if (CanCome(l, now)) return loads_[l];
    }
    return std::nullopt;
  }

  std::vector<OrderedStep>& steps_;
  AccessHistory& history_;
  ProgramClock clock_;
  std::vector<size_t> loads_, order_;
  std::vector<size_t> after_, least_after_;  // for loads_: |after|; the least from here on
  std::vector<int64_t> most_behind_;         // for loads_: the most |behind| from here on
  std::vector<size_t> deferred_;             // loads of padding that later ones are to pass
  size_t first_ = 0;                         // index into loads_: all before it are done
  size_t ahead_ = SIZE_MAX;  // index into loads_ of the load that ahead_start_ is of
  int64_t ahead_start_ = 0;  // when it could begin
};

}  // namespace

LoadOrder OrderLoads(std::span<const isa::Insn> insns, std::span<const TokenNode> nodes,
                     const isa::Config& config) {
  std::vector<OrderedStep> steps = Cut(insns, nodes, config);
  AccessHistory history = HistoryOf(steps, nodes);
  FindBefore(steps, history);
  FindAfter(steps);
  const std::vector<size_t> order = LoadMover(steps, history, config).Run();
  LoadOrder result;
  for (size_t k = 0; k < order.size();) {
    const OrderedStep& step = steps[order[k]];
    // Joins pieces that are consecutive again into one load.
    int64_t end = step.end;
    for (++k; k < order.size(); ++k) {
      const OrderedStep& next = steps[order[k]];
      if (next.from != step.from || next.begin != end) break;
      end = next.end;
    }
    result.from.push_back(step.from);
    result.insns.push_back(insns[step.from]);
    result.nodes.push_back(&nodes[step.from]);
    if (step.accesses.empty()) continue;
    const BoxCut cut(std::get<isa::Load>(insns[step.from]));
    if (end - step.begin == cut.count()) continue;
    isa::Insn& part = result.insns.back() = cut.Part(step.begin, end);
    result.nodes.back() =
        &result.parts.emplace_back(TokenNode{step.unit, isa::Accesses(part, config)});
  }
  return result;
}

}  // namespace tessera::jit
