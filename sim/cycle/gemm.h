// SPDX-License-Identifier: Apache-2.0
//
// GEMM in time. Nothing makes it wait once it has a command, so all of a command's cycles are known
// when it is taken; what it asks of its memories in one cycle is worked out when another unit wants
// the same bank. Depends on: isa. Used by: machine. hw/rtl/gemm is the truth.
#ifndef TESSERA_SIM_CYCLE_GEMM_H_
#define TESSERA_SIM_CYCLE_GEMM_H_

#include <algorithm>
#include <deque>
#include <vector>

#include "isa/semantics/state.h"
#include "sim/cycle/activity.h"
#include "sim/cycle/banks.h"
#include "sim/cycle/command.h"

namespace tessera::sim::cycle {

class GemmModel : public MachinePart {
 public:
  // |gates|: is woken for what it sees of this unit.
  GemmModel(const isa::MachineState& state, ActivityCount& activity, MachinePart& gates);

  bool ready() const { return !held_; }  // a command is taken in this cycle
  void Take(Cycles t, const CommandPtr& command);
  void Cycle(Cycles t);
  // The command that retires in cycle |t|; null if none does.
  const Command* retires(Cycles t) const;

  // Banks that it uses in cycle |t|, kNoBank if none. Asked in the cycle that is on.
  int AccRead(Cycles t) const;
  int AccWrite(Cycles t) const;
  uint32_t InpReads(Cycles t) const;  // a mask

 private:
  // A command's steps, each in slot 0 in one cycle.
  struct GemmWork {
    CommandPtr command = nullptr;
    Cycles taken = 0;
    Cycles first = 0, last = 0;  // cycles of its steps
    bool any = false;            // its steps multiply; else there is one that does nothing
    // Depthwise: a window has so many steps; windows of a row begin |every| cycles after one
    // another, the first one |first_every| after the one before, a row takes |row| cycles.
    uint64_t steps = 0, columns = 0, every = 0, first_every = 0, row = 0;
    Cycles begins = 0;                         // the cycle before its first read slot
    std::vector<uint16_t> first_reads, reads;  // by slot: positions 3 ky + kx, a mask
    const isa::NestOperand* inp = nullptr;
    const isa::NestOperand* uops = nullptr;
    const isa::NestOperand* acc = nullptr;  // that is written
    bool from_zero = false;                 // no step reads ACC
    bool depthwise() const { return steps != 0; }
    Cycles retires() const;

    // Depthwise: where step |n| cycles after the first one stands: its window, and |at| cycles from
    // that one's first step, which may be past its last.
    struct WindowPlace {
      uint64_t row = 0, column = 0, at = 0;
    };
    WindowPlace WindowAt(uint64_t n) const {
      const uint64_t in_row = n % row, column = std::min(in_row / every, columns - 1);
      return {n / row, column, in_row - column * every};
    }
  };
  // What one step is.
  struct GemmStep {
    const GemmWork* work = nullptr;  // null: there is none
    int64_t tile = 0;                // of ACC
    bool init = false;               // starts from zero
    bool last = false;               // of its command
    bool stores = false;             // the last of its window
  };
  void Plan(Cycles t, GemmWork& work);
  void PlanDepthwise(GemmWork& work);
  GemmStep StepAt(Cycles slot0) const;
  int64_t LoopTile(const GemmWork& work, const isa::NestOperand& operand, uint64_t n,
                   bool* init) const;
  int64_t WindowTile(const GemmWork& work, const isa::NestOperand& operand, uint64_t row,
                     uint64_t column) const;
  uint32_t WindowReads(const GemmWork& work, Cycles slot) const;
  void SetActivity(Cycles t);

  const isa::MachineState& state_;
  ActivityCount& activity_;
  MachinePart& gates_;
  const Banks inp_banks_, acc_banks_;
  std::deque<GemmWork> works_;  // oldest first, until they have retired
  bool held_ = false;
  Cycles starts_ = 0;  // the cycle in which what is held starts
  // Of the commands so far: the last step of a loop, of a window, the last hand-over of a window.
  Cycles loop_last_ = 0, window_last_ = 0, window_moved_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_GEMM_H_
