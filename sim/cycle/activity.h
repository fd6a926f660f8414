// SPDX-License-Identifier: Apache-2.0
//
// ActivityCount: counts the cycles of one unit by activity and reports each span of one activity.
// Depends on: runtime/observer.h. Used by: sim/cycle.
#ifndef TESSERA_SIM_CYCLE_ACTIVITY_H_
#define TESSERA_SIM_CYCLE_ACTIVITY_H_

#include "runtime/observer.h"
#include "sim/cycle/part.h"

namespace tessera::sim::cycle {

class ActivityCount {
 public:
  void Begin(isa::Unit unit, RunObserver* observer) {
    span_ = {.unit = unit};
    observer_ = observer;
    counters_ = {};
    own_ = Activity::kIdle;
    counted_ = 0;
  }

  // From cycle |t| on, the unit does |own|: kBusy, kMemory or kHazard. kIdle: the gate decides
  // between kToken and kIdle.
  void SetOwn(Cycles t, Activity own) {
    if (own == own_) return;
    own_ = own;
    Change(t);
  }
  // From cycle |t| on, the gate waits for tokens from the units in |missing| or for room for tokens
  // to the units in |full|. Both are bit masks.
  void SetWait(Cycles t, uint8_t missing, uint8_t full) {
    if (missing == missing_ && full == full_) return;
    missing_ = missing;
    full_ = full;
    Change(t);
  }

  // The counters of the cycles before |t|.
  UnitCounters Until(Cycles t) {
    Count(t);
    UnitCounters all = counters_;
    all.idle = t - all.busy - all.token_wait - all.memory_wait - all.hazard;
    return all;
  }
  // Ends the run after |t| cycles and reports the last span.
  UnitCounters End(Cycles t) {
    const UnitCounters all = Until(t);
    Tell(t);
    return all;
  }

 private:
  void Change(Cycles t) {
    const bool waits = own_ == Activity::kIdle && (missing_ | full_) != 0;
    const Activity now = waits ? Activity::kToken : own_;
    const uint8_t missing = waits ? missing_ : 0, full = waits ? full_ : 0;
    if (now == span_.activity && missing == span_.missing && full == span_.full) return;
    Count(t);
    Tell(t);
    span_ = {span_.unit, now, missing, full, t, t};
  }
  void Count(Cycles t) {
    const uint64_t n = t - counted_;
    counted_ = t;
    switch (span_.activity) {
      case Activity::kBusy:
        counters_.busy += n;
        break;
      case Activity::kMemory:
        counters_.memory_wait += n;
        break;
      case Activity::kHazard:
        counters_.hazard += n;
        break;
      case Activity::kToken:
        counters_.token_wait += n;
        break;
      case Activity::kIdle:
        break;
    }
  }
  void Tell(Cycles t) {
    span_.end = t;
    if (observer_ != nullptr && span_.begin != t) observer_->OnSpan(span_);
  }

  RunObserver* observer_ = nullptr;
  UnitCounters counters_;
  UnitSpan span_;
  Activity own_ = Activity::kIdle;
  uint8_t missing_ = 0, full_ = 0;
  Cycles counted_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_ACTIVITY_H_
