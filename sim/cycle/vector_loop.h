// SPDX-License-Identifier: Apache-2.0
//
// VectorLoop: the steps of a VECTOR command, in order (tsr_vector_loop). Depends on: isa/nest.h.
// Used by: vector.
#ifndef TESSERA_SIM_CYCLE_VECTOR_LOOP_H_
#define TESSERA_SIM_CYCLE_VECTOR_LOOP_H_

#include <array>

#include "isa/semantics/state.h"
#include "sim/cycle/command.h"

namespace tessera::sim::cycle {

struct VectorStep {
  CommandPtr command = nullptr;
  bool work = false;       // false: the command has no step, or an error
  bool last = false;       // of its command
  bool emits = false;      // its result leaves the lanes
  bool reads_acc = false;  // reads an accumulator besides the source
  isa::VectorMemory source = isa::VectorMemory::kImm;
  isa::VectorMemory result = isa::VectorMemory::kAcc;
  int64_t source_tile = 0, acc_tile = 0, result_tile = 0;
  bool clears = false;  // sets clear_tile of ACC to zero
  int64_t clear_tile = 0;
};

class VectorLoop {
 public:
  explicit VectorLoop(const isa::MachineState& state) : state_(state) {}

  bool valid() const { return valid_; }
  // There is no step, or it is the last one of its command: the next step belongs to another
  // command.
  bool ends() const { return !valid_ || step_.last; }
  const VectorStep& step() const { return step_; }

  void Start(const CommandPtr& command);
  void Next();
  void Stop() { valid_ = false; }

 private:
  // The place of an operand: a base, and a stride for each loop.
  struct Place {
    int64_t base = 0;
    std::array<int64_t, isa::kMaxLoops> strides{};
    int uop = -1;
  };
  void Make();
  int64_t TileOf(const Place& place) const;

  const isa::MachineState& state_;
  bool valid_ = false;
  VectorStep step_;
  std::array<int64_t, isa::kMaxLoops> count_{}, index_{};
  int loops_ = 0;
  int reduction_ = 0;         // loops from this one on reduce into one tile
  bool folds_ = false;        // the lanes combine the reduction steps
  bool moves_first_ = false;  // the first reduction step does not read the accumulator
  bool combines_ = false;     // an Alu that reads the accumulator
  bool adds_ = false;         // the instruction is Add
  Place source_, acc_, result_;
  const isa::NestOperand* uops_ = nullptr;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_VECTOR_LOOP_H_
