// SPDX-License-Identifier: Apache-2.0
//
// SliceObserver: turns the events of a device into one slice for each instruction. The slices of a
// unit do not overlap. Depends on: runtime/observer.h. Used by: chrome_trace.h, the page of
// `tessera trace`.
#ifndef TESSERA_SIM_TRACE_SLICES_H_
#define TESSERA_SIM_TRACE_SLICES_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/device.h"

namespace tessera::sim {

// A token that an instruction popped.
struct TokenFlow {
  uint64_t id = 0;  // unique in the observer, from 1
  isa::Unit from = isa::Unit::kLoad;
  uint32_t insn = 0;   // the instruction that pushed it
  uint64_t cycle = 0;  // cycle of the push
};

// A unit has several instructions in flight and retires them in order. A slice begins when its
// instruction is taken or when the one before it has retired, whichever is later.
struct InsnSlice {
  isa::Unit unit = isa::Unit::kLoad;
  uint32_t insn = 0;
  uint64_t taken = 0;
  uint64_t begin = 0, end = 0;  // the instruction retires in cycle end - 1
  bool retired = false;         // false: the run ended before it retired
  UnitCounters spent;           // cycles of the unit since the retirement before
  std::vector<TokenFlow> popped;
};

class SliceObserver : public RunObserver {
 public:
  void OnTaken(const InsnTaken& taken) override;
  void OnToken(const TokenMove& move) override;
  void OnRetired(const TraceEntry& entry) override;
  void OnSpan(const UnitSpan& span) override { Reach(span.end); }
  void OnBus(const BusBeats& bus) override { Reach(bus.end); }

  // The last cycle of any event.
  uint64_t cycle() const { return cycle_; }

 protected:
  virtual void OnSlice(const InsnSlice& slice) = 0;
  void BeginSlices();
  // Reports the slices of instructions in flight after |cycle| cycles.
  void EndSlices(uint64_t cycle);
  // The end of the last slice of a unit, and the sum of |spent| over its slices.
  uint64_t EndOf(isa::Unit unit) const { return tracks_[Index(unit)].end; }
  const UnitCounters& SpentBy(isa::Unit unit) const { return tracks_[Index(unit)].spent; }
  static size_t Index(isa::Unit unit) { return static_cast<size_t>(unit); }

 private:
  struct Track {
    std::deque<InsnSlice> flights;  // taken and not retired
    uint64_t end = 0;
    UnitCounters spent;
  };

  InsnSlice& Flight(isa::Unit unit, uint32_t insn, uint64_t cycle);
  void Reach(uint64_t cycle) { cycle_ = cycle > cycle_ ? cycle : cycle_; }

  std::array<Track, isa::kUnits> tracks_;
  std::array<std::array<std::deque<TokenFlow>, isa::kUnits>, isa::kUnits> tokens_;  // [from][to]
  uint64_t cycle_ = 0, flows_ = 0;
};

// a - b, counter by counter.
UnitCounters Less(const UnitCounters& a, const UnitCounters& b);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_SLICES_H_
