// SPDX-License-Identifier: Apache-2.0
//
// GEMM, cycle by cycle. Nothing makes GEMM wait once it has a command, so Take() plans all cycles
// of the command. Which banks GEMM uses in a cycle is computed only when another unit wants the
// same memory. Must match hw/rtl/gemm. Depends on: isa. Used by: machine.
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
  // |gates|: woken when an output of this unit that the gates read changes.
  GemmModel(const isa::MachineState& state, ActivityCount& activity, MachinePart& gates);

  bool ready() const { return !held_; }  // GEMM can take a command in this cycle
  void Take(Cycles t, const CommandPtr& command);
  void Cycle(Cycles t);
  // The command that retires in cycle |t|, null if there is none.
  const Command* retires(Cycles t) const;

  // The banks that GEMM uses in cycle |t|, kNoBank if none. Only valid for the current cycle.
  int AccRead(Cycles t) const;
  int AccWrite(Cycles t) const;
  uint32_t InpReads(Cycles t) const;  // mask of banks

 private:
  // The steps of a command. Each step passes slot 0 in one cycle. A micro-op has Config's
  // array_passes steps.
  struct GemmWork {
    CommandPtr command = nullptr;
    Cycles taken = 0;
    Cycles first = 0, last = 0;  // cycles of its first and last step
    bool any = false;            // false: the command has one step that does nothing
    // Depthwise: |steps| steps a window, |columns| windows a row. The first window of a row begins
    // |first_every| cycles after the last window of the row before, the others |every| cycles after
    // the one before. A row takes |row| cycles.
    uint64_t steps = 0, columns = 0, every = 0, first_every = 0, row = 0;
    Cycles begins = 0;                         // the cycle before its first read slot
    std::vector<uint16_t> first_reads, reads;  // for each slot: a mask of positions 3 ky + kx
    const isa::NestOperand* inp = nullptr;
    const isa::NestOperand* uops = nullptr;
    const isa::NestOperand* acc = nullptr;  // the operand that is written
    bool from_zero = false;                 // no step reads ACC
    bool depthwise() const { return steps != 0; }
    Cycles retires() const;

    // Depthwise: the window that is at work |n| cycles after the first step. |at|: cycles since the
    // first step of that window; it may be past the last step.
    struct WindowPlace {
      uint64_t row = 0, column = 0, at = 0;
    };
    WindowPlace WindowAt(uint64_t n) const {
      const uint64_t in_row = n % row, column = std::min(in_row / every, columns - 1);
      return {n / row, column, in_row - column * every};
    }
  };
  // One step.
  struct GemmStep {
    const GemmWork* work = nullptr;  // null: no step
    int64_t tile = 0;                // of ACC
    bool init = false;               // the sum starts from zero
    bool last = false;               // of its command
    bool stores = false;             // the last step of its window
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
  const uint64_t passes_;       // steps of a micro-op; only the first reads INP and ACC
  std::deque<GemmWork> works_;  // oldest first; a command stays until it has retired
  bool held_ = false;
  Cycles starts_ = 0;  // the cycle in which the held command starts
  // Cycles, over all commands so far: the last step of a loop, the last step of a window, the last
  // hand-over of a window.
  Cycles loop_last_ = 0, window_last_ = 0, window_moved_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_GEMM_H_
