// SPDX-License-Identifier: Apache-2.0
//
// VECTOR, cycle by cycle: its loops, the slots in front of the lanes, where a step waits for banks
// and for results in flight, and the results on their way to memory. Must match hw/rtl/vector.
// Depends on: isa; gemm.h, which has priority in a bank of ACC or INP. Used by: machine.
#ifndef TESSERA_SIM_CYCLE_VECTOR_H_
#define TESSERA_SIM_CYCLE_VECTOR_H_

#include "sim/cycle/activity.h"
#include "sim/cycle/banks.h"
#include "sim/cycle/command.h"
#include "sim/cycle/gemm.h"
#include "sim/cycle/vector_flight.h"
#include "sim/cycle/vector_loop.h"

namespace tessera::sim::cycle {

class VectorModel : public MachinePart {
 public:
  VectorModel(const isa::MachineState& state, const GemmModel& gemm, ActivityCount& activity,
              MachinePart& gates);

  bool ready() const { return !held_ || (takes_ && advanced_); }
  void Take(const CommandPtr& command, Cycles t) {
    coming_ = command;
    WakeAt(t);
  }
  void Cycle(Cycles t);
  const Command* retires(Cycles t) const { return retires_at_ == t ? retired_ : nullptr; }

  // The banks that VECTOR uses in cycle |t|, kNoBank if none. Call Cycle(t) first.
  int OutRead(Cycles t) const { return seen_ == t ? out_read_ : kNoBank; }
  int AccRead(Cycles t) const { return seen_ == t ? acc_read_ : kNoBank; }
  int AccWrite(Cycles t) const { return seen_ == t ? acc_write_ : kNoBank; }
  int OutWrite(Cycles t) const { return seen_ == t ? out_write_ : kNoBank; }
  int InpWrite(Cycles t) const { return seen_ == t ? inp_write_ : kNoBank; }

 private:
  struct VectorSlot {
    bool valid = false;
    VectorStep step;
  };
  bool Served(Cycles t) const;
  void BeginPass();

  const GemmModel& gemm_;
  ActivityCount& activity_;
  MachinePart& gates_;
  const Banks acc_banks_, out_banks_, inp_banks_;

  // The command in front of the loops.
  CommandPtr coming_ = nullptr, held_command_ = nullptr;
  bool held_ = false, known_ = false, takes_ = false, advanced_ = false;
  VectorLoop loop_;
  VectorSlot slot1_, slot2_, slot3_;
  // Slot 3: a step takes a phase for each operand that it reads from ACC, at least one, and does so
  // for each pass.
  const int64_t passes_;
  int64_t pass_ = 0;
  bool more_ = false, final_ = false;  // another phase of this pass follows; this one is its last
  bool second_ = false;                // reads the second of two operands in ACC
  VectorFlight flight_;

  CommandPtr retired_ = nullptr;
  Cycles retires_at_ = kNever;
  Cycles seen_ = kNever;
  int out_read_ = kNoBank, acc_read_ = kNoBank, acc_write_ = kNoBank, out_write_ = kNoBank,
      inp_write_ = kNoBank;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_VECTOR_H_
