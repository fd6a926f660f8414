// SPDX-License-Identifier: Apache-2.0
//
// CycleRun: one run of the machine, cycle by cycle. CycleRun owns the parts of the machine. In each
// cycle it asks the parts in which something changes, in a fixed order, because some parts read
// what others show in the same cycle. The functional model computes an instruction when the unit
// takes it. Depends on: sim/func, sim/dram. Used by: kernel, count, cycle_device.
#ifndef TESSERA_SIM_CYCLE_MACHINE_H_
#define TESSERA_SIM_CYCLE_MACHINE_H_

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/machine_view.h"
#include "sim/cycle/bus.h"
#include "sim/cycle/gates.h"
#include "sim/func/execute.h"

namespace tessera::sim::cycle {

// Cycles of the memory from its reset to the first cycle of the run. The write of register CONTROL
// resets the memory: that write takes one cycle, the start another.
inline constexpr uint64_t kMemoryBegin = 2;

// The end of a run, in the terms of the machine's registers.
struct RunEnd {
  bool done = false;  // false: the run used up its budget
  isa::MachineError error = isa::MachineError::kNone;
  uint32_t error_unit = 0;  // as in register ERROR
  uint32_t error_insn = 0;
  std::vector<isa::MemoryRefusal> refused;  // set if the bus caused the error
  bool leftover = false;
  uint64_t cycles = 0;
  uint32_t instructions = 0;
  uint64_t bytes_read = 0, bytes_written = 0;
  std::array<UnitCounters, isa::kUnits> units;
  std::array<isa::UnitStanding, isa::kUnits> standing;
};

class CycleRun final : public MachineView, private GateUnits, private Stream {
 public:
  // |state|: the caller has set its profile, segments and device memory as in |launch|. |memory|
  // has no open burst.
  CycleRun(const Launch& launch, const isa::Fetcher& fetcher, isa::MachineState& state,
           MemoryModel& memory, RunObserver* observer, Effects effects = Effects::kKernels);

  // The next cycle in which something changes.
  Cycles next() const;
  // Runs cycle next(). Returns false when the run is over and the bus has no open burst.
  bool Step();
  RunEnd End(bool done);

  // MachineView.
  UnitView Of(isa::Unit unit) const override;
  int64_t Tokens(isa::Unit from, isa::Unit to) const override { return gates_.Tokens(from, to); }
  std::span<const uint8_t> Scratchpad(isa::Memory memory) const override {
    return state_.BytesOf(memory);
  }
  std::span<const uint8_t> DeviceMemory() const override { return state_.dram; }
  void Stop() override { stopped_ = true; }

 private:
  // GateUnits.
  bool UnitReady(isa::Unit unit) override;
  void Issue(Cycles t, CommandPtr command) override;
  const Command* UnitRetires(Cycles t, isa::Unit unit) override;
  void Popped(Cycles t, isa::Unit unit, const Command& command) override;
  void Retired(Cycles t, isa::Unit unit, const Command& command) override;
  void Release(CommandPtr command) override { free_.push_back(command); }
  void Waits(Cycles t, isa::Unit unit, uint8_t missing, uint8_t full) override;
  // Stream.
  CommandPtr Decode(uint32_t number) override;

  ActivityCount& ActivityOf(isa::Unit unit) { return activity_[static_cast<int>(unit)]; }
  CommandPtr NewCommand();
  void CountTraffic(const Command& command);
  bool Stops();
  void RefuseBeat();
  void StopUnits(Cycles t);

  const Launch& launch_;
  const isa::Fetcher& fetcher_;
  isa::MachineState& state_;
  RunObserver* observer_;
  InsnExecutor executor_;
  std::array<uint64_t, isa::kSegments> segment_{};
  std::array<ActivityCount, isa::kUnits> activity_;
  std::deque<Command> pool_;
  std::vector<CommandPtr> free_;

  BusModel bus_;
  IssueModel issue_;
  Gates gates_;
  GemmModel gemm_;
  VectorModel vector_;
  LoadModel load_;
  StoreModel store_;

  // An instruction with an error. The run ends when all older instructions of its queue have
  // retired.
  const Command* failed_ = nullptr;
  RunEnd end_;
  bool drains_ = false;             // the program has ended, but the bus has open bursts
  bool stopped_ = false;            // an observer called Stop()
  const Command* taken_ = nullptr;  // the instruction that OnTaken reports: it has left its queue
  Cycles at_ = 0;                   // the cycle after the last Step()
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_MACHINE_H_
