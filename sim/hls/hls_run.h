// SPDX-License-Identifier: Apache-2.0
//
// HlsRun: one run of a program on the HLS twin: queues with the depths of the block design, the
// five tops, the result. Depends on: twin, hw/hls/shim, isa/semantics, sim/trace. Used by:
// hls_device.cc.
#ifndef TESSERA_SIM_HLS_HLS_RUN_H_
#define TESSERA_SIM_HLS_HLS_RUN_H_

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isa/semantics/fetch.h"
#include "runtime/device.h"
#include "shim/top_fibers.h"
#include "sim/hls/twin.h"

namespace tessera::sim {

class HlsRun {
 public:
  HlsRun(const isa::Config& config, const Launch& launch, const isa::Fetcher& fetcher,
         std::span<uint8_t> memory, HlsTwin& twin, RunObserver* observer);

  // Runs to FINISH. The observer receives retired instructions; it may be null.
  //   errors  those of Device::Wait
  Result<RunReport> Run();

 private:
  class UnitProbe;

  isa::Stop Decode(uint32_t number, isa::Fetched* fetched) const;
  // Takes the steps of an instruction from the budget.
  Status Spend(isa::Unit unit, uint32_t number, const isa::Fetched& fetched);
  void RunTop(int top);
  Result<RunReport> Outcome(const std::string& standing);
  Error UnitError(int top) const;
  Error Deadlock(const std::string& standing) const;
  void MakeQueues();
  int64_t LeftInQueues() const;

  const isa::Config& config_;
  const Launch& launch_;
  const isa::Fetcher& fetcher_;
  std::span<uint8_t> memory_;
  HlsTwin& twin_;
  RunObserver* observer_;
  HlsLaunch run_;
  HlsQueues queues_;
  std::array<tsr_report, kHlsTops> reports_{};
  std::array<bool, kHlsTops> ended_{};
  uint64_t spent_ = 0;  // spent of the budget
  std::optional<Error> stopped_;
  hls_shim::top_fibers* fibers_ = nullptr;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_HLS_HLS_RUN_H_
