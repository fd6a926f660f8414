// SPDX-License-Identifier: Apache-2.0
//
// Runs the accelerator's units on a clock, a piece of a stage at a time. LOAD, the array, VECTOR
// and STORE each work in order; a piece waits for its operands and for room. While LOAD waits for
// room, later transfers go first, as in jit/load_order. Once the iterations of a loop take equally
// long, the clock jumps over the rest of them.
#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/cost/cost.h"
#include "compiler/cost/fetch.h"
#include "compiler/cost/nests.h"
#include "compiler/cost/pieces.h"
#include "isa/costs.h"
#include "isa/dram_timing.h"
#include "jit/unit_clock.h"

namespace tessera::cost {
namespace {

using isa::Unit;

constexpr int64_t kMostRun = 32;    // iterations of a loop before the clock jumps in any case
constexpr size_t kMostPeriod = 16;  // iterations after which the units may repeat themselves
constexpr size_t kGaps = 4;         // of LOAD that the clock remembers
constexpr size_t kCopies = kMostCopies + 1;  // of a buffer that the clock remembers

// When a copy of a buffer is written, and when its readers are done with it.
struct Copy {
  double ready = 0, free = 0;
  int64_t left = 0;  // of constants: iterations of Stream::turn whose part came already
};

// Cycles in which LOAD waits for room.
struct Gap {
  double from = 0, to = 0;
};

// The units at one point of the program.
struct State {
  jit::UnitClock clock;
  std::array<double, isa::kUnits> done{};  // end of the last piece of each unit
  std::vector<Copy> copies;                // of each nest's buffer, the current one first
  std::array<Gap, kGaps> gaps{};           // oldest first
  // Totals.
  std::array<double, isa::kUnits> busy{};
  double read = 0, written = 0;  // bytes
  double fetched = 0;            // beats of the instructions of all pieces that ran
  double came = 0;               // beats of instructions that came: fetch runs ahead
  double came_at = 0;            // by this cycle
  double ahead = 0;              // beats that LOAD has read before it needs them
  double dispatched = 0;         // the cycle in which the last instruction left dispatch

  // Calls |function| with each time of this state and the same time of |other|, until it returns
  // false.
  template <typename Function>
  void ForEachTime(const State& other, const Function& function) {
    for (size_t u = 0; u < isa::kUnits; ++u) {
      if (!function(done[u], other.done[u])) return;
    }
    if (!function(came_at, other.came_at)) return;
    for (size_t g = 0; g < kGaps; ++g) {
      if (!function(gaps[g].from, other.gaps[g].from) || !function(gaps[g].to, other.gaps[g].to))
        return;
    }
    for (size_t k = 0; k < copies.size(); ++k) {
      if (!function(copies[k].ready, other.copies[k].ready) ||
          !function(copies[k].free, other.copies[k].free))
        return;
    }
  }
};

// The states after the last iterations of a loop.
class LastStates {
 public:
  static constexpr size_t kMost = kMostPeriod + 1;

  void Clear() { count_ = 0; }
  void Push(const State& state) {
    if (states_.size() < kMost) states_.resize(kMost);
    states_[count_++ % kMost] = state;
  }
  size_t count() const { return count_; }  // all that were pushed; kMost are known
  State& Before(size_t age) { return states_[(count_ - 1 - age) % kMost]; }

 private:
  std::vector<State> states_;
  size_t count_ = 0;
};

class AccelClock {
 public:
  AccelClock(const isa::Config& config, const Nests& nests, Pieces pieces)
      : config_(config),
        nests_(nests),
        pieces_(std::move(pieces)),
        fetching_(FetchingOf(nests_, pieces_, config_)) {
    state_.clock = jit::UnitClock(config);
    for (size_t k = 0; k < nests_.all.size(); ++k) {
      const Nest& nest = nests_.all[k];
      index_.emplace_back(nest.outer.size());
      first_.push_back(state_.copies.size());
      // A nest that runs once makes one copy, after those that write its buffer before it.
      const size_t copies = nest.owner != k ? 1 : nests_.IsRepeated(k) ? kCopies : 2;
      state_.copies.resize(first_.back() + copies);
    }
    first_.push_back(state_.copies.size());
  }

  Cost Run(const target::TargetMemory& memory, bool follows) {
    if (follows) {  // constants that stay are already on chip
      for (size_t k = 0; k < nests_.all.size(); ++k) {
        if (!pieces_.streams[k]) continue;
        state_.read += pieces_.all[k].bytes;
        pieces_.streams[k]->part = {};
      }
    }
    Start();
    for (const size_t root : nests_.roots) {
      if (!pieces_.streams[root]) RunNest(root);
    }
    Cost cost{.busy = state_.busy, .read_bytes = state_.read, .written_bytes = state_.written};
    const auto beats = [&](double bytes) {
      return bytes / static_cast<double>(config_.bus_bytes());
    };
    const double read = beats(state_.read) + state_.fetched, written = beats(state_.written);
    cost.bus = memory.shared > 0 ? (read + written) / memory.shared : std::max(read, written);
    // The first instructions arrive after the latency of a read.
    const double start = isa::TimingOf(config_.dram).read_latency;
    cost.cycles = start + std::max(std::ranges::max(state_.done), cost.bus);
    return cost;
  }

 private:
  Copy& CopyOf(size_t k) { return state_.copies[first_[k]]; }
  // When the copy that nest |k| made |age| copies ago is free.
  double FreeOf(size_t k, size_t age) const {
    const size_t at = first_[k] + age;
    return at < first_[k + 1] ? state_.copies[at].free : 0;
  }
  void NewCopy(size_t k) {
    for (size_t at = first_[k + 1]; --at > first_[k];) state_.copies[at] = state_.copies[at - 1];
    CopyOf(k) = {};
  }

  void RunNest(size_t k) {
    if (nests_.all[k].owner == k && nests_.all[k].bounds->around == 0) NewCopy(k);
    RunLoop(k, 0);
  }

  void RunLoop(size_t k, size_t depth) {
    const Nest& nest = nests_.all[k];
    if (depth == nest.outer.size()) {
      RunPiece(k);
      return;
    }
    const OuterLoop& loop = nest.outer[depth];
    if (loops_ == seen_.size()) seen_.emplace_back();
    LastStates& seen = seen_[loops_++];
    seen.Clear();
    bool jumped = false;
    for (int64_t i = 0; i < loop.iterations; ++i) {
      index_[k][depth] = i;
      if (depth + 1 == nest.bounds->around && nest.owner == k) NewCopy(k);
      for (const size_t other : loop.before) RunNest(other);
      RunLoop(k, depth + 1);
      if (IsLast(k, depth)) {
        for (const size_t other : loop.after) RunNest(other);
      }
      const int64_t left = loop.iterations - 2 - i;  // without the last one, which may differ
      if (jumped || left < 1) continue;
      seen.Push(state_);
      const size_t period = PeriodOf(seen, i + 1 >= kMostRun);
      if (period == 0) continue;
      const int64_t alike = nests_.AlikeAfter({k, depth}, &index_, left);
      const int64_t times = alike / static_cast<int64_t>(period);
      if (times == 0) continue;
      Jump(seen.Before(period), times);
      i += times * static_cast<int64_t>(period);
      jumped = true;
    }
    --loops_;
  }

  // Whether every reduction among the loops down to |depth| is in its last iteration.
  bool IsLast(size_t k, size_t depth) const {
    const std::vector<OuterLoop>& loops = nests_.all[k].outer;
    for (size_t d = 0; d <= depth; ++d) {
      if (loops[d].reduce && index_[k][d] + 1 < loops[d].iterations) return false;
    }
    return true;
  }

  void RunPiece(size_t k) {
    const Nest& nest = nests_.all[k];
    const Piece piece = pieces_.PieceAt(k, nests_, index_, config_);
    if (piece.cycles == 0) return;  // all of it is past an edge
    double ready = 0;
    if (piece.micro_ops > 0) {
      const double beats = piece.micro_ops / static_cast<double>(config_.bus_bytes());
      ready = Load(
          {.unit = Unit::kLoad, .cycles = beats, .bytes = piece.micro_ops, .insns = piece.kernels},
          0);
      pieces_.all[k].micro_ops = 0;
    }
    for (const size_t from : nest.reads) {
      const std::optional<Stream>& stream = pieces_.streams[from];
      if (stream && stream->reader == k && stream->part.cycles > 0 && IsFirstUse(*stream)) {
        Copy& constants = CopyOf(from);
        const int64_t turn = stream->turn ? IterationOf(*stream->turn) % stream->together : 0;
        if (turn == 0) constants.ready = Load(pieces_.PartAt(*stream, nests_, index_, config_), 0);
        constants.left = stream->together - 1 - turn;
      }
      const bool other = pieces_.all[from].unit != piece.unit;
      ready =
          std::max(ready, CopyOf(nests_.all[from].owner).ready + (other ? isa::kTokenCycles : 0));
    }
    if (piece.unit != Unit::kStore) {  // device memory has room for the whole result
      const double free = FreeOf(nest.owner, pieces_.all[nest.owner].copies);
      ready = std::max(ready, free + isa::kTokenCycles);
    }
    const double done = piece.unit == Unit::kLoad ? Load(piece, ready) : Work(piece, ready);
    Copy& own = CopyOf(nest.owner);
    own.ready = done;
    own.free = std::max(own.free, done);
    for (const size_t from : nest.reads) {
      Copy& of = CopyOf(nests_.all[from].owner);
      of.free = std::max(of.free, done);
    }
  }

  bool IsFirstUse(const Stream& stream) const {
    return std::ranges::all_of(stream.still,
                               [&](const LoopOf& loop) { return IterationOf(loop) == 0; });
  }
  int64_t IterationOf(const LoopOf& loop) const { return index_[loop.nest][loop.depth]; }

  // Runs |piece|, of any unit but LOAD, not before cycle |ready|; returns the cycle of its end.
  double Work(const Piece& piece, double ready) {
    ready = std::max(ready, Fetch(piece.unit, piece.insns));
    if (piece.unit == Unit::kStore) state_.written += piece.bytes;
    return RunFor(piece.unit, ready, piece.cycles, piece.cycles);
  }

  // The same for LOAD. A transfer uses cycles in which earlier ones wait for room. It shares the
  // bus with the instructions that come meanwhile. One that had to wait finds the memory idle. The
  // last beat takes some cycles to the scratchpad.
  double Load(const Piece& piece, double ready) {
    const double dispatched = Fetch(Unit::kLoad, piece.insns);
    state_.read += piece.bytes;
    const auto free = static_cast<double>(state_.clock.free(Unit::kLoad));
    double left = piece.cycles + FetchBeside(piece, std::max(ready, free));
    if (ready > free && piece.bytes > 0) left += idle_latency_;
    double done = 0;
    for (Gap& gap : state_.gaps) {
      const double from = std::max(gap.from, ready), used = std::min(left, gap.to - from);
      if (used <= 0) continue;
      left -= used;
      gap.from = done = from + used;
    }
    if (left <= 0) {
      state_.busy[static_cast<size_t>(Unit::kLoad)] += piece.cycles;
      return done + isa::StartCycles(Unit::kLoad) + isa::kBeatCycles;
    }
    if (ready > free) {
      std::ranges::rotate(state_.gaps, state_.gaps.begin() + 1);
      state_.gaps.back() = {free, ready};
    }
    return RunFor(Unit::kLoad, std::max(ready, dispatched + idle_latency_), left, piece.cycles) +
           isa::kBeatCycles;
  }

  double RunFor(Unit unit, double ready, double cycles, double busy) {
    const auto u = static_cast<size_t>(unit);
    state_.busy[u] += busy;
    // No time is negative, so this rounds as llround does, which is a call of the library.
    const auto rounded = [](double x) { return static_cast<int64_t>(x + 0.5); };
    const auto ran = state_.clock.Run(unit, rounded(ready), rounded(cycles));
    return state_.done[u] = static_cast<double>(ran.done);
  }

  // Fetches |insns| instructions of |unit|; returns the cycle in which the first leaves dispatch.
  double Fetch(Unit unit, double insns = 1) {
    state_.fetched += insns * fetching_.insn_beats;
    const double first = state_.dispatched + DispatchCycles(unit);
    state_.dispatched += insns * DispatchCycles(unit);
    return first;
  }

  // The beats of instructions that come while |piece| is loaded from cycle |start| on, as far as
  // the bus carries nothing else meanwhile.
  double FetchBeside(const Piece& piece, double start) {
    const double most = std::min(fetching_.beats, state_.fetched + fetching_.ahead);
    const double idle = std::max(0.0, start - state_.came_at) * fetching_.rate;
    state_.came = std::max(state_.came, std::min(most, state_.came + idle));
    const double carried = std::max(0.0, piece.cycles - piece.idle_bus);
    const double shared = std::max(0.0, carried - state_.ahead) * kFetchShare;
    state_.ahead = std::clamp(state_.ahead - carried + piece.idle_bus, 0.0, kReadAhead);
    const double may = std::min(piece.cycles * fetching_.rate, std::max(piece.idle_bus, shared));
    const double must = std::max(0.0, state_.fetched - state_.came);
    const double beside = std::min(std::max(may, must), std::max(0.0, most - state_.came));
    const double waits = std::max(0.0, beside - piece.idle_bus);
    state_.came += beside;
    state_.came_at = start + piece.cycles + waits;
    return waits;
  }

  // The first beats of instructions come before any other.
  void Start() {
    state_.came = std::min(fetching_.beats, kFetchFirst);
    state_.dispatched = kFirstRequest - isa::StartCycles(Unit::kLoad) - DispatchCycles(Unit::kLoad);
    const isa::DramTiming timing = isa::TimingOf(config_.dram);
    const double latency = timing.pipelined ? timing.read_latency : 0;
    state_.came_at = std::max(kFirstRequest + idle_latency_, state_.came - latency);
    state_.clock.Run(Unit::kLoad, 0, static_cast<int64_t>(state_.came_at));
  }

  // The number of iterations after which the units are in the same state, only later; 0: not yet.
  // Times that did not move are older than anything that waits for them. |must|: an answer other
  // than 0.
  static size_t PeriodOf(LastStates& seen, bool must) {
    for (size_t period = 1; period <= kMostPeriod && period < seen.count(); ++period) {
      double passed = 0;
      State& last = seen.Before(0);
      const State& then = seen.Before(period);
      // Fetch is as far ahead as it can be, or done; as many constants are left.
      bool same =
          (last.came == then.came || last.came - last.fetched == then.came - then.fetched) &&
          std::ranges::equal(last.copies, then.copies, {}, &Copy::left, &Copy::left);
      if (!same) continue;
      last.ForEachTime(then, [&](double now, double before) {
        const double moved = now - before;
        if (moved == 0) return true;
        same = passed == 0 || moved == passed;
        passed = moved;
        return same;
      });
      if (same) return period;
    }
    return must ? std::min(kMostPeriod, seen.count() - 1) : 0;
  }

  // Repeats |times| times what happened since |then|.
  void Jump(const State& then, int64_t times) {
    const auto n = static_cast<double>(times);
    const auto move = [&](double& now, double before) {
      now += n * (now - before);
      return true;
    };
    state_.ForEachTime(then, move);
    for (size_t u = 0; u < isa::kUnits; ++u) move(state_.busy[u], then.busy[u]);
    move(state_.read, then.read);
    move(state_.written, then.written);
    move(state_.fetched, then.fetched);
    move(state_.came, then.came);
    move(state_.dispatched, then.dispatched);
    state_.came = std::min(state_.came, fetching_.beats);
    state_.clock.Repeat(then.clock, times);
  }

  const isa::Config& config_;
  const Nests& nests_;
  Pieces pieces_;
  // From the request of a transfer that finds the memory idle to its first beat. The clock has the
  // latency of a memory where every transfer has it.
  const double idle_latency_ =
      isa::TimingOf(config_.dram).pipelined ? 0 : isa::TimingOf(config_.dram).read_latency;
  const Fetching fetching_;
  Iterations index_;  // of the outer loops, now
  // By nest: the place of its copies in State::copies; then the place behind all.
  std::vector<size_t> first_;
  State state_;
  std::deque<LastStates> seen_;  // of the loops that run now, and room for others
  size_t loops_ = 0;             // that run now
};

}  // namespace

Result<Cost> AccelCost(const schedule::Schedule& schedule, const isa::Config& config,
                       const CostOptions& options) {
  TESSERA_ASSIGN(const lower::Bounds bounds, lower::InferBounds(schedule));
  const Nests nests = NestsOf(schedule, bounds);
  TESSERA_ASSIGN(Pieces pieces, PiecesOf(nests, schedule, bounds, config, options));
  return AccelClock(config, nests, std::move(pieces))
      .Run(*schedule.target().FindMemory(ir::Scope::kGlobal), options.follows);
}

}  // namespace tessera::cost
