// SPDX-License-Identifier: Apache-2.0
//
// RaceWatch: what became of a program's races in one run. Which instructions race follows from the
// program (isa/check: tokens match by order, whatever the timing), whether they met from the run.
// Depends on: isa/check, runtime/observer.h. Used by: `tessera run`.
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
  // Checks |image|, which CheckProgram may take as long for as a run.
  RaceWatch(const isa::ProgramImage& image, const isa::Config& config);

  void OnTaken(const InsnTaken& taken) override;
  void OnRetired(const TraceEntry& entry) override;

  // A line a race: the checker's, and how the two instructions ran. Empty: nothing raced.
  std::vector<std::string> Lines() const;

 private:
  struct Moments {
    bool taken = false, retired = false;
    uint64_t taken_at = 0, retired_at = 0;
    size_t order = 0;  // among what retired
  };
  std::string HowTheyRan(uint32_t first, uint32_t second) const;

  std::vector<isa::Diagnostic> races_;
  std::map<uint32_t, Moments> moments_;  // of the instructions that race
  size_t retired_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_RACE_WATCH_H_
