// SPDX-License-Identifier: Apache-2.0
//
// RaceWatch: how the races of a program ran in one run. isa/check finds the instructions that race
// from the program alone: tokens match by order, whatever the timing. The run shows whether they
// overlapped. Depends on: isa/check, runtime/observer.h. Used by: `tessera run`, sim/rig.
#ifndef TESSERA_SIM_TRACE_RACE_WATCH_H_
#define TESSERA_SIM_TRACE_RACE_WATCH_H_

#include <map>
#include <string>
#include <vector>

#include "isa/check/check.h"
#include "runtime/observer.h"

namespace tessera::sim {

class RaceWatch : public RunObserver {
 public:
  // Checks |image|. The check may take as long as a run.
  RaceWatch(const isa::ProgramImage& image, const isa::Config& config);

  void OnTaken(const InsnTaken& taken) override;
  void OnRetired(const TraceEntry& entry) override;

  // One line for each race: the checker's text, and how the two instructions ran. Empty: no races.
  std::vector<std::string> Lines() const;

 private:
  struct Moments {
    bool taken = false, retired = false;
    uint64_t taken_at = 0, retired_at = 0;
    size_t order = 0;  // position among the retired instructions
  };
  std::string HowTheyRan(uint32_t first, uint32_t second) const;

  std::vector<isa::Diagnostic> races_;
  std::map<uint32_t, Moments> moments_;  // by instruction that races
  size_t retired_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_RACE_WATCH_H_
