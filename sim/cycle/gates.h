// SPDX-License-Identifier: Apache-2.0
//
// The four gates of the units and the tokens between them, cycle by cycle. A gate holds the
// instructions that wait for its unit and those that the unit executes (tsr_gate, tsr_deep_fifo,
// tsr_tokens, tsr_route). Must match hw/rtl/issue. Depends on: command.h. Used by: machine.
#ifndef TESSERA_SIM_CYCLE_GATES_H_
#define TESSERA_SIM_CYCLE_GATES_H_

#include <array>
#include <deque>
#include <functional>

#include "isa/config.h"
#include "sim/cycle/command.h"

namespace tessera::sim::cycle {

// What the gates ask of the units and report. The machine implements it.
class GateUnits {
 public:
  virtual ~GateUnits() = default;
  virtual bool UnitReady(isa::Unit unit) = 0;
  virtual void Issue(Cycles t, CommandPtr command) = 0;
  // The command that |unit| retires in cycle |t|, null if none.
  virtual const Command* UnitRetires(Cycles t, isa::Unit unit) = 0;
  virtual void Popped(Cycles t, isa::Unit unit, const Command& command) = 0;
  virtual void Retired(Cycles t, isa::Unit unit, const Command& command) = 0;
  virtual void Release(CommandPtr command) = 0;  // the command is free for reuse
  virtual void Waits(Cycles t, isa::Unit unit, uint8_t missing, uint8_t full) = 0;
};

class Gates : public MachinePart {
 public:
  Gates(const isa::Config& config, isa::Profile profile, GateUnits& units, MachinePart& issue);

  bool room(int unit) const { return gate_[unit].inside < queue_depth_; }
  // Dispatch calls these in cycle |t|. Give reserves a place in the queue of |unit|; Put delivers
  // the command for a place that was reserved.
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
  // Every gate is idle, or waits only for a token or for room for a token.
  bool AllStuck() const;
  bool TokensLeft() const;
  // The state of a gate, as in register UNIT_STATE: masks of the units whose tokens it waits for,
  // and of the units that have no room for its tokens.
  uint8_t Missing(int unit) const;
  uint8_t Stalled(int unit) const;
  bool Idle(int unit) const { return gate_[unit].inside == 0 && gate_[unit].flying == 0; }
  const Command* Standing(int unit) const;
  int64_t Tokens(isa::Unit from, isa::Unit to) const {
    return edge_[static_cast<int>(from)][static_cast<int>(to)].count;
  }
  // The number of instructions in the queue of |unit|. Next: the first of them that is not |taken|,
  // null if there is none.
  int64_t Queued(int unit) const { return gate_[unit].inside; }
  const Command* Next(int unit, const Command* taken) const;
  // The oldest instruction in flight, null if there is none.
  const Command* Oldest(int unit) const {
    return gate_[unit].flight.empty() ? nullptr : gate_[unit].flight.front();
  }

 private:
  static constexpr int64_t kInFlight = 16;  // most instructions in flight of a unit
  struct Gate {
    int64_t inside = 0;  // instructions promised to the queue and not yet issued
    bool given = false;
    CommandPtr coming = nullptr;
    // tsr_deep_fifo: its RAM, its output register, and the command that it shows.
    std::deque<CommandPtr> ram;
    CommandPtr head = nullptr, shown = nullptr;
    bool moved = false;
    bool offered = false;  // a command was offered, and the unit did not take it
    // In flight: all commands, oldest first. |rest|: the number of those that are not yet in the
    // flops of the oldest; |oldest| is the command in these flops.
    std::deque<CommandPtr> flight;
    int64_t flying = 0, rest = 0;
    bool leaves = false;  // the command that moved into the flops of the oldest leaves |rest|
    CommandPtr oldest = nullptr;
    int64_t done = 0;  // instructions that the unit has completed and the gate has not retired
    bool near = false;
  };
  struct Edge {
    int64_t count = 0;
    std::array<int64_t, 2> before{};  // the count one and two cycles ago
  };
  static bool Done(const Gate& gate);  // the oldest is complete, except for its pushes
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
  bool compute_turn_ = false;  // tsr_route: COMPUTE may use LOAD in this cycle
  // For each instruction that LOAD has in flight: the gate that issued it.
  std::deque<int> load_owners_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_GATES_H_
