// SPDX-License-Identifier: Apache-2.0
//
// CycleRun: one run of the machine in time. It owns the parts, asks each in the cycles in which
// something in it changes, in the order in which they need each other, and has the instructions
// done by the functional model when their units take them. Depends on: sim/func, sim/dram. Used by:
// cycle_port.
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

// The memory's cycles from its reset, which the write of CONTROL makes, to the run's first: one
// for the write, one for the start.
inline constexpr uint64_t kMemoryBegin = 2;

// What a run ends with, as the registers say it.
struct RunEnd {
  bool done = false;  // false: the budget is spent
  isa::MachineError error = isa::MachineError::kNone;
  uint32_t error_unit = 0;  // as register ERROR
  uint32_t error_insn = 0;
  std::vector<isa::MemoryRefusal> refused;  // of an error of the bus
  bool leftover = false;
  uint64_t cycles = 0;
  uint32_t instructions = 0;
  uint64_t bytes_read = 0, bytes_written = 0;
  std::array<UnitCounters, isa::kUnits> units;
  std::array<isa::UnitStanding, isa::kUnits> standing;
};

class CycleRun final : public MachineView, private GateUnits, private Stream {
 public:
  // |state|: profile, segments and device memory are those of |launch|. |memory| is idle.
  CycleRun(const Launch& launch, const isa::Fetcher& fetcher, isa::MachineState& state,
           MemoryModel& memory, RunObserver* observer, Effects effects = Effects::kKernels);

  // The next cycle in which anything happens.
  Cycles next() const;
  // That cycle. False: the run is over, and nothing is open on the bus.
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

  const Command* failed_ =
      nullptr;  // it cannot be done; the run ends when those before it are done
  RunEnd end_;
  bool drains_ = false;             // the program has ended, the bus has not
  bool stopped_ = false;            // by who looks at it
  const Command* taken_ = nullptr;  // what observers are told of: it has left its queue
  Cycles at_ = 0;                   // the cycle after the last one that was asked for
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_MACHINE_H_
