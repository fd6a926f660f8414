// SPDX-License-Identifier: Apache-2.0
//
// One run of a program on the functional simulator. Depends on: units.h, isa/semantics. Used by:
// func_device.cc.
#ifndef TESSERA_SIM_FUNC_RUN_H_
#define TESSERA_SIM_FUNC_RUN_H_

#include <vector>

#include "base/rng.h"
#include "isa/semantics/units.h"
#include "runtime/device.h"
#include "sim/func/execute.h"

namespace tessera::sim {

class FuncRun {
 public:
  // |machine| has its profile, segments and device memory set for |launch|; the code is in device
  // memory.
  FuncRun(const Launch& launch, const isa::Fetcher& fetcher, isa::MachineState& machine,
          uint64_t schedule_seed, bool kernels);

  // Runs to FINISH. |observer| is told what retires; null: nobody.
  //   errors  those of Device::Wait
  Result<RunReport> Run(RunObserver* observer);

 private:
  Status FetchOne();
  Status Execute(isa::Issued& issued);
  Status StartOne(int unit);
  Status RetireOne(int unit);
  Status StepInOrder(bool* moved);
  Status StepAtRandom(bool* moved);
  bool CanFetch();
  std::unexpected<Error> Deadlock() const;
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
  RunObserver* observer_ = nullptr;
  std::vector<TraceEntry> retiring_{isa::kUnits};  // the entry of each unit's instruction under way
  uint64_t spent_ = 0;                             // of the budget
  uint32_t next_ = 0;                              // instruction to fetch
  std::optional<isa::Issued> fetched_;             // fetched, and waits for room in its queue
  bool finish_fetched_ = false;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_RUN_H_
