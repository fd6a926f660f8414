// SPDX-License-Identifier: Apache-2.0
//
// RunObserver: hears of a run while it goes on: instructions, waits, tokens, the bus. Depends on:
// isa. Used by: runtime/device.h (SetObserver), simulators, which call it, sim/trace and the
// executor, which listen.
//
// Cycle n of a run has n cycles of it before it; RunReport.cycles is their number. Moments come in
// order. A stretch comes in its last cycle or later; those of one unit or bus user come in order.
// In one cycle pushes come before pops; no other order is promised. A device without a clock tells
// only what retires, at cycle 0. A run that fails has told everything up to the failure. Observers
// must not fail, and must not keep references to their arguments.
#ifndef TESSERA_RUNTIME_OBSERVER_H_
#define TESSERA_RUNTIME_OBSERVER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "isa/enums.h"

namespace tessera {

// Cycles of one unit; the five add up to the run's cycles. All zero on a device without a clock.
struct UnitCounters {
  uint64_t busy = 0, token_wait = 0, memory_wait = 0, hazard = 0, idle = 0;
  UnitCounters& operator+=(const UnitCounters& o) {
    busy += o.busy, token_wait += o.token_wait, memory_wait += o.memory_wait;
    hazard += o.hazard, idle += o.idle;
    return *this;
  }
  // Sets |idle| to the rest of |cycles|, the run's.
  void SetIdle(uint64_t cycles) { idle = cycles - busy - token_wait - memory_wait - hazard; }
  bool operator==(const UnitCounters&) const = default;
};

// One instruction retired, in the order of its unit. Lockstep compares two streams of these.
struct TraceEntry {
  uint32_t insn = 0;  // instruction number
  isa::Unit unit = isa::Unit::kLoad;
  uint64_t digest = 0;  // sim/trace/digest.h: of every byte that it changed, old and new
  uint64_t cycle = 0;   // of the retirement, on a device with a clock; == ignores it and |units|
  std::array<UnitCounters, isa::kUnits> units;  // of the run so far; each adds up to |cycle|
  bool operator==(const TraceEntry& o) const {
    return insn == o.insn && unit == o.unit && digest == o.digest;
  }
};

// An instruction left its queue: its tokens are popped and its unit has it. A unit holds several at
// once and retires them in order. In profile vta |unit| is the unit of the queue (COMPUTE: GEMM).
struct InsnTaken {
  uint32_t insn = 0;
  isa::Unit unit = isa::Unit::kLoad;
  uint64_t cycle = 0;
};

// How a cycle of a unit counts: as the first of these that applies.
enum class Activity : uint8_t {
  kBusy,    // useful work
  kMemory,  // waited for device memory
  kHazard,  // waited for a bank or for its own pipeline
  kToken,   // waited for a token, or for room to push one
  kIdle,
};

// Cycles [begin, end) of a unit, all counted as |activity|. The spans of a unit follow each other
// without a gap from cycle 0 to the end of the run; their sums are RunReport.units.
struct UnitSpan {
  isa::Unit unit = isa::Unit::kLoad;
  Activity activity = Activity::kIdle;
  uint8_t missing = 0;  // kToken: units whose tokens the next instruction waits for, a mask
  uint8_t full = 0;     // kToken: units to which the oldest instruction in flight cannot push
  uint64_t begin = 0, end = 0;
  bool operator==(const UnitSpan&) const = default;
};

// A token of the pair from -> to: pushed as instruction |insn| of |from| retires, or popped as
// |insn| of |to| is taken. The k-th pop of a pair takes the token of the k-th push.
struct TokenMove {
  isa::Unit from = isa::Unit::kLoad, to = isa::Unit::kLoad;
  bool push = false;
  uint32_t insn = 0;
  uint64_t cycle = 0;
};

// The units that move data on the bus. Reads and writes are separate channels.
enum class BusUser : uint8_t { kFetch, kLoad, kStore };
inline constexpr int kBusUsers = 3;

// |beats| bus words moved in cycles [begin, end), evenly spread; at most one for each cycle.
struct BusBeats {
  BusUser user = BusUser::kFetch;
  uint64_t beats = 0;
  uint64_t begin = 0, end = 0;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void OnTaken(const InsnTaken&) {}
  virtual void OnRetired(const TraceEntry&) {}
  virtual void OnSpan(const UnitSpan&) {}
  virtual void OnToken(const TokenMove&) {}
  virtual void OnBus(const BusBeats&) {}
};

// Passes each call to several observers, in the order in which they were added.
class ObserverList : public RunObserver {
 public:
  void Add(RunObserver* observer) {
    if (observer != nullptr) list_.push_back(observer);
  }
  RunObserver* any() { return list_.empty() ? nullptr : this; }  // null: nobody listens
  void OnTaken(const InsnTaken& taken) override {
    for (RunObserver* observer : list_) observer->OnTaken(taken);
  }
  void OnRetired(const TraceEntry& entry) override {
    for (RunObserver* observer : list_) observer->OnRetired(entry);
  }
  void OnSpan(const UnitSpan& span) override {
    for (RunObserver* observer : list_) observer->OnSpan(span);
  }
  void OnToken(const TokenMove& move) override {
    for (RunObserver* observer : list_) observer->OnToken(move);
  }
  void OnBus(const BusBeats& bus) override {
    for (RunObserver* observer : list_) observer->OnBus(bus);
  }

 private:
  std::vector<RunObserver*> list_;
};

// Appends each retired instruction to a vector.
class RetiredList : public RunObserver {
 public:
  explicit RetiredList(std::vector<TraceEntry>* list = nullptr) : list_(list) {}
  void OnRetired(const TraceEntry& entry) override { list_->push_back(entry); }

 private:
  std::vector<TraceEntry>* list_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_OBSERVER_H_
