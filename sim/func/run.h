// SPDX-License-Identifier: Apache-2.0
//
// FuncRun: one run of a program on the functional simulator. Depends on: isa/semantics. Used by:
// func_device.cc.
#ifndef TESSERA_SIM_FUNC_RUN_H_
#define TESSERA_SIM_FUNC_RUN_H_

#include <vector>

#include "base/rng.h"
#include "isa/semantics/units.h"
#include "runtime/machine_view.h"
#include "sim/func/execute.h"

namespace tessera::sim {

class FuncRun final : private MachineView {
 public:
  // The caller has set the profile, segments and device memory of |machine| for |launch|, with the
  // code in device memory.
  FuncRun(const Launch& launch, const isa::Fetcher& fetcher, isa::MachineState& machine,
          uint64_t schedule_seed, bool kernels);

  // Runs to FINISH. |observer| receives retired instructions, |watcher| also taken instructions and
  // tokens. Either may be null.
  //   errors  those of Device::Wait
  Result<RunReport> Run(RunObserver* observer, MachineWatcher* watcher);

 private:
  // MachineView.
  UnitView Of(isa::Unit unit) const override;
  int64_t Tokens(isa::Unit from, isa::Unit to) const override {
    return units_.Tokens(static_cast<int>(from), static_cast<int>(to));
  }
  std::span<const uint8_t> Scratchpad(isa::Memory memory) const override {
    return machine_.BytesOf(memory);
  }
  std::span<const uint8_t> DeviceMemory() const override { return machine_.dram; }
  void Stop() override { spent_ = launch_.budget; }

  Status FetchOne();
  Status Execute(isa::Issued& issued);
  Status StartOne(int unit);
  Status RetireOne(int unit);
  Status StepInOrder(bool* moved);
  Status StepAtRandom(bool* moved);
  bool CanFetch();
  std::unexpected<Error> Deadlock() const;
  void TellTokens(const isa::Issued& issued, bool push);
  std::unexpected<Error> Stopped(const isa::Stop& stop, std::string_view unit, uint32_t number,
                                 const isa::AnyInsn* insn) const;

  const Launch& launch_;
  const isa::Fetcher& fetcher_;
  isa::MachineState& machine_;
  const uint64_t seed_;
  InsnExecutor executor_;
  Rng rng_;
  isa::Units units_;
  RunReport report_;
  ObserverList observers_;  // the observer and the watcher of Run
  MachineWatcher* watcher_ = nullptr;
  // For each unit: the trace entry of its current instruction.
  std::vector<TraceEntry> retiring_{isa::kUnits};
  uint64_t spent_ = 0;                  // spent of the budget
  uint32_t next_ = 0;                   // the next instruction to fetch
  std::optional<isa::Issued> fetched_;  // an instruction that waits for room in its queue
  bool finish_fetched_ = false;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_RUN_H_
