// SPDX-License-Identifier: Apache-2.0
//
// The four gates and the tokens between them in time: what stands in front of and behind a unit
// (tsr_gate, tsr_deep_fifo, tsr_tokens, tsr_route). Depends on: command.h. Used by: machine.
// hw/rtl/issue is the truth.
#ifndef TESSERA_SIM_CYCLE_GATES_H_
#define TESSERA_SIM_CYCLE_GATES_H_

#include <array>
#include <deque>
#include <functional>

#include "isa/config.h"
#include "sim/cycle/command.h"

namespace tessera::sim::cycle {

// What the gates ask of the units; the machine answers.
class GateUnits {
 public:
  virtual ~GateUnits() = default;
  virtual bool UnitReady(isa::Unit unit) = 0;
  virtual void Issue(Cycles t, CommandPtr command) = 0;
  // The command that |unit| retires in cycle |t|, null if none.
  virtual const Command* UnitRetires(Cycles t, isa::Unit unit) = 0;
  virtual void Popped(Cycles t, isa::Unit unit, const Command& command) = 0;
  virtual void Retired(Cycles t, isa::Unit unit, const Command& command) = 0;
  virtual void Release(CommandPtr command) = 0;  // nobody looks at it any more
  virtual void Waits(Cycles t, isa::Unit unit, uint8_t missing, uint8_t full) = 0;
};

class Gates : public MachinePart {
 public:
  Gates(const isa::Config& config, isa::Profile profile, GateUnits& units, MachinePart& issue);

  bool room(int unit) const { return gate_[unit].inside < queue_depth_; }
  // From dispatch, in cycle |t|: a command is promised to |unit|; a promised one is here.
  void Give(Cycles t, int unit) {
    gate_[unit].given = true;
    WakeAt(t);
  }
  void Put(Cycles t, int unit, CommandPtr command) {
    gate_[unit].coming = command;
    WakeAt(t);
  }
  void Cycle(Cycles t);

  bool AllIdle() const;
  // Every gate is idle, or waits for nothing but a token or room for one.
  bool AllStuck() const;
  bool TokensLeft() const;
  // What a gate stands with, as register UNIT_STATE says.
  uint8_t Missing(int unit) const;
  uint8_t Stalled(int unit) const;
  bool Idle(int unit) const { return gate_[unit].inside == 0 && gate_[unit].flying == 0; }
  const Command* Standing(int unit) const;
  int64_t Tokens(isa::Unit from, isa::Unit to) const {
    return edge_[static_cast<int>(from)][static_cast<int>(to)].count;
  }
  // Instructions in front of |unit|; the first of them but for |taken|, null if there is none.
  int64_t Queued(int unit) const { return gate_[unit].inside; }
  const Command* Next(int unit, const Command* taken) const;
  // The oldest instruction in flight, null if none.
  const Command* Oldest(int unit) const {
    return gate_[unit].flight.empty() ? nullptr : gate_[unit].flight.front();
  }

 private:
  static constexpr int64_t kInFlight = 16;  // instructions of a unit
  struct Gate {
    int64_t inside = 0;  // promised and not issued
    bool given = false;
    CommandPtr coming = nullptr;
    // tsr_deep_fifo: in RAM; its output; what it shows.
    std::deque<CommandPtr> ram;
    CommandPtr head = nullptr, shown = nullptr;
    bool moved = false;
    bool offered = false;  // a command that the unit has not taken
    // In flight: all of them, oldest first; of these behind the oldest's flops; what is in those.
    std::deque<CommandPtr> flight;
    int64_t flying = 0, rest = 0;
    bool leaves = false;  // what moved into the oldest's flops leaves the rest
    CommandPtr oldest = nullptr;
    int64_t done = 0;  // retired by the unit, not here
    bool near = false;
  };
  struct Edge {
    int64_t count = 0;
    std::array<int64_t, 2> before{};  // one and two cycles ago
  };
  static bool Done(const Gate& gate);  // the oldest is, but for its pushes
  uint8_t Pops(const Gate& gate) const {
    return gate.shown == nullptr ? 0 : gate.shown->fetched.pop;
  }
  int64_t DepthOf(int from, int to) const;
  int64_t NearOf(int from, int to) const;

  const isa::Profile profile_;
  const isa::Config& config_;
  const int64_t queue_depth_;
  GateUnits& units_;
  MachinePart& issue_;
  std::array<Gate, isa::kUnits> gate_;
  std::array<std::array<Edge, isa::kUnits>, isa::kUnits> edge_;  // [from][to]
  bool compute_turn_ = false;    // tsr_route: LOAD is COMPUTE's in this cycle
  std::deque<int> load_owners_;  // of what LOAD has in flight: gates
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_GATES_H_
