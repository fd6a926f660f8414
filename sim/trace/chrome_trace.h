// SPDX-License-Identifier: Apache-2.0
//
// ChromeTrace: a run as a Chrome trace, for ui.perfetto.dev and chrome://tracing, written during
// the run. docs/timelines.md describes the form. Depends on: runtime/observer.h, isa, trace_file.h,
// program_text.h, occupancy.h, slices.h. Used by: tessera trace.
//
// A cycle appears as a microsecond. Each run of a program is a process of the trace; the runs
// follow each other in time.
#ifndef TESSERA_SIM_TRACE_CHROME_TRACE_H_
#define TESSERA_SIM_TRACE_CHROME_TRACE_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "sim/trace/occupancy.h"
#include "sim/trace/program_text.h"
#include "sim/trace/slices.h"
#include "sim/trace/trace_file.h"

namespace tessera::sim {

struct ChromeOptions {
  uint64_t shortest_wait = 4;  // cycles; shorter waits have no slice
  uint64_t bus_window = 64;    // cycles that a point of the bus counter covers, at least
};

class ChromeTrace : public SliceObserver {
 public:
  ChromeTrace(TraceFile& file, ChromeOptions options) : file_(file), options_(options) {}

  // Begins a run of |program|, which must outlive it. |layers|: names. |occupancy|: null if not
  // known.
  void Begin(const ProgramText& program, const isa::Config& config,
             const std::vector<std::string>& layers, const Occupancy* occupancy);
  void OnTaken(const InsnTaken& taken) override;
  void OnSpan(const UnitSpan& span) override;
  void OnBus(const BusBeats& bus) override;
  // Ends the run. |report|: null if the run failed. |cycle|: the last cycle of the run.
  void End(const RunReport* report, uint64_t cycle);
  // Adds a slice to the track of layers of the current run.
  void AddLayer(const std::string& name, uint64_t begin, uint64_t end);
  // Call between runs: the next run begins in time where this one ended.
  void Next() { offset_ += cycles_; }

 private:
  void Track(int thread, const std::string& name);
  void OnSlice(const InsnSlice& slice) override;
  void Count(uint64_t cycle, const std::vector<TileCounts>& changes, uint32_t insn, int sign);
  void BusCounters(uint64_t cycles);
  void Event(const std::string& event);
  uint64_t At(uint64_t cycle) const { return offset_ + cycle; }

  TraceFile& file_;
  ChromeOptions options_;
  const ProgramText* program_ = nullptr;
  const isa::Config* config_ = nullptr;
  std::vector<std::string> layers_;  // names as JSON strings
  const Occupancy* occupancy_ = nullptr;
  int process_ = 0;
  uint64_t offset_ = 0, cycles_ = 0;  // cycles of the runs before, of this run
  bool any_ = false;                  // the file has an event
  TileCounts tiles_{};
  std::vector<std::array<double, kBusUsers>> beats_;  // by window
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_CHROME_TRACE_H_
