// SPDX-License-Identifier: Apache-2.0
#include "jit/load_order.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "jit/history.h"
#include "jit/unit_clock.h"

namespace tessera::jit {
namespace {

using isa::kUnits;

constexpr auto kLoadUnit = static_cast<size_t>(isa::Unit::kLoad);
// The beats of one piece of a load, as far as its box allows such a cut.
constexpr int64_t kPieceBeats = 128;
// How many later pieces to look at when a load waits.
constexpr size_t kWindow = 1024;

// Cuts a box along its outermost loop: planes, rows or tiles. The parts are contiguous on chip.
class BoxCut {
 public:
  explicit BoxCut(const isa::Load& load) : load_(load) {
    const int64_t columns = load.x_pad_0 + load.x_size + load.x_pad_1;
    const int64_t rows = load.y_pad_0 + load.y_size + load.y_pad_1;
    if (load.z_size > 1) {
      loop_ = {&isa::Load::z_size, load.z_step, rows * columns};
    } else if (rows == load.y_size && rows > 1) {
      loop_ = {&isa::Load::y_size, load.y_step, columns};
    } else if (rows == load.y_size && columns == load.x_size && columns > 1) {
      loop_ = {&isa::Load::x_size, load.x_step, 1};
    }
  }
  // How many parts the box has: 1 if it cannot be cut.
  int64_t count() const { return loop_.size == nullptr ? 1 : load_.*loop_.size; }
  isa::AddressRange OnChip(int64_t begin, int64_t end) const {
    return {load_.sram_base + begin * loop_.tiles, load_.sram_base + end * loop_.tiles};
  }
  isa::Load Part(int64_t begin, int64_t end) const {
    isa::Load part = load_;
    if (loop_.size == nullptr) return part;
    part.*loop_.size = end - begin;
    part.dram_base += begin * loop_.step;
    part.sram_base += begin * loop_.tiles;
    return part;
  }

 private:
  struct Loop {
    int64_t isa::Load::*size = nullptr;
    int64_t step = 0, tiles = 0;
  };
  isa::Load load_;
  Loop loop_;
};

// A step of the program: an instruction, or a piece of a load.
struct OrderedStep {
  size_t from = 0;
  int64_t begin = 0, end = 1;  // the parts of its box
  isa::Unit unit = isa::Unit::kLoad;
  int64_t cycles = 0;
  std::vector<isa::Access> accesses = {};  // of a piece; without memory that is never written
  Positions latest = {};                   // the last instruction of each unit that it waits for
  // For a load: the steps that must come before it.
  size_t after = 0;                // one past the last such step of another unit
  std::vector<size_t> loads = {};  // such loads
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
    if (beats < 2 * kPieceBeats || count == 1) {
      steps.push_back({n, 0, count, unit, CyclesOf(unit, beats, config)});
      continue;
    }
    const BoxCut box(*load);
    const isa::Space from = isa::Space::OfSegment(load->segment),
                     to = isa::Space::Of(isa::LiesIn(static_cast<isa::Memory>(load->memory)));
    const int64_t together = std::max<int64_t>(1, count * kPieceBeats / beats);
    for (int64_t at = 0; at < count; at += together) {
      const int64_t end = std::min(at + together, count);
      OrderedStep& step = steps.emplace_back(OrderedStep{n, at, end, unit});
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
      if (step.unit != isa::Unit::kLoad) return;
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

  // Runs |step| next; returns its position in its unit's stream.
  int32_t Run(const OrderedStep& step) {
    const auto unit = static_cast<size_t>(step.unit);
    const UnitClock::Ran ran = units_.Run(step.unit, StartOf(step), step.cycles);
    fetched_ = FetchedAt(unit);
    ran_[unit].push_back(ran);
    return static_cast<int32_t>(ran_[unit].size());
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

// Makes the new order of steps. Before a load that waits it puts loads that may pass it.
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
    for (size_t l = loads_.size(); l-- > 0;)
      least_after_[l] = std::min(least_after_[l], least_after_[l + 1]);
  }

  std::vector<size_t> Run() {
    for (size_t s = 0; s < steps_.size(); ++s) {
      OrderedStep& step = steps_[s];
      if (step.done) continue;
      if (step.unit == isa::Unit::kLoad) {
        while (const std::optional<size_t> other = Passing(s)) PutLoad(*other);
        PutLoad(s);
      } else {
        step.latest[kLoadUnit] = history_.FindConflicts(s)[kLoadUnit];
        clock_.Run(step);
        order_.push_back(s);
      }
    }
    return std::move(order_);
  }

 private:
  void PutLoad(size_t s) {
    history_.Record(s, kLoadUnit, clock_.Run(steps_[s]));
    steps_[s].done = true;
    order_.push_back(s);
  }

  // A load after |s|, the next step, that may come before |s| and is done when |s| begins.
  std::optional<size_t> Passing(size_t s) {
    const int64_t start = clock_.StartOf(steps_[s]);
    const int64_t earliest = clock_.Earliest(isa::Unit::kLoad);
    if (start == earliest) return std::nullopt;
    while (first_ < loads_.size() && steps_[loads_[first_]].done) ++first_;
    size_t seen = 0;
    for (size_t l = first_; least_after_[l] <= s && seen < kWindow; ++l) {
      if (after_[l] > s) {
        ++seen;  // it is not done either, since it could not pass earlier
        continue;
      }
      const OrderedStep& other = steps_[loads_[l]];
      if (other.done || loads_[l] == s) continue;
      ++seen;
      if (earliest + other.cycles > start || clock_.StartOf(other) + other.cycles > start) continue;
      if (std::ranges::all_of(other.loads, [&](size_t b) { return steps_[b].done; }))
        return loads_[l];
    }
    return std::nullopt;
  }

  std::vector<OrderedStep>& steps_;
  AccessHistory& history_;
  ProgramClock clock_;
  std::vector<size_t> loads_, order_;
  std::vector<size_t> after_, least_after_;  // for loads_: |after|; the least from here on
  size_t first_ = 0;                         // index into loads_: all before it are done
};

}  // namespace

LoadOrder OrderLoads(std::span<const isa::Insn> insns, std::span<const TokenNode> nodes,
                     const isa::Config& config) {
  std::vector<OrderedStep> steps = Cut(insns, nodes, config);
  AccessHistory history = HistoryOf(steps, nodes);
  FindBefore(steps, history);
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
