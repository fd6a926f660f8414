// SPDX-License-Identifier: Apache-2.0
//
// RunTeller: turns the trace ports of the machine into calls of RunObserver, cycle by cycle. Equal
// cycles become one span; consecutive beats become one call. Depends on: runtime/observer.h. Used
// by: machine.cc.
#ifndef TESSERA_SIM_RTL_RUN_TELLER_H_
#define TESSERA_SIM_RTL_RUN_TELLER_H_

#include <array>
#include <cstdint>

#include "runtime/observer.h"

namespace tessera::sim {

class RunTeller {
 public:
  explicit RunTeller(RunObserver& observer) : observer_(observer) {}

  // Begins a cycle. |cycles|: the counter of the machine, which stays after a run and is zero when
  // the next one begins. Returns false if the cycle is in no run; then there is nothing to report.
  bool In(bool busy, uint64_t cycles) {
    if (!busy) {
      End(cycles);
      return false;
    }
    if (cycles == 0) {
      running_ = true;
      for (int u = 0; u < isa::kUnits; ++u) span_[u] = {.unit = static_cast<isa::Unit>(u)};
      stand_ = 0;
      for (int b = 0; b < kBusUsers; ++b) beats_[b] = {.user = static_cast<BusUser>(b)};
    }
    now_ = cycles;
    for (BusBeats& beats : beats_) {
      if (beats.beats != 0 && beats.end != now_) Close(beats);
    }
    return running_;
  }

  // trace_stand_o: the activities of the units in the cycle before.
  void Stand(uint64_t stand) {
    if (now_ == 0 || stand == stand_) return;
    stand_ = stand;
    for (int u = 0; u < isa::kUnits; ++u) {
      const uint64_t of_unit = stand >> (12 * u);
      UnitSpan next{.unit = static_cast<isa::Unit>(u), .activity = ActivityOf(of_unit & 15)};
      if (next.activity == Activity::kToken) {
        next.missing = of_unit >> 4 & 15;
        next.full = of_unit >> 8 & 15;
      }
      Change(span_[u], next, now_ - 1);
    }
  }

  void Beat(BusUser user) {
    BusBeats& beats = beats_[static_cast<int>(user)];
    if (beats.beats == 0) beats.begin = now_;
    ++beats.beats;
    beats.end = now_ + 1;
  }

  // |pairs|: bit 4 * from + to for each pair. |numbers|: the instruction that each unit retires
  // (push) or takes (pop).
  void Tokens(uint16_t pairs, bool push, const uint32_t* numbers) {
    for (int pair = 0; pair < 16; ++pair) {
      if (!(pairs >> pair & 1)) continue;
      const int from = pair / isa::kUnits, to = pair % isa::kUnits;
      observer_.OnToken({.from = static_cast<isa::Unit>(from),
                         .to = static_cast<isa::Unit>(to),
                         .push = push,
                         .insn = numbers[push ? from : to],
                         .cycle = now_});
    }
  }

  void Taken(uint8_t units, const uint32_t* numbers) {
    for (int u = 0; u < isa::kUnits; ++u) {
      if (units >> u & 1) {
        observer_.OnTaken({.insn = numbers[u], .unit = static_cast<isa::Unit>(u), .cycle = now_});
      }
    }
  }

  // The run has ended after |cycles| cycles, or the observer is removed.
  void End(uint64_t cycles) {
    if (!running_) return;
    running_ = false;
    for (BusBeats& beats : beats_) {
      if (beats.beats != 0) Close(beats);
    }
    for (UnitSpan& span : span_) {
      span.end = cycles;
      if (span.end > span.begin) observer_.OnSpan(span);
    }
  }

 private:
  static Activity ActivityOf(uint64_t bits) {
    if (bits & 1) return Activity::kBusy;
    if (bits & 2) return Activity::kToken;
    if (bits & 4) return Activity::kMemory;
    return bits & 8 ? Activity::kHazard : Activity::kIdle;
  }

  void Close(BusBeats& beats) {
    observer_.OnBus(beats);
    beats.beats = 0;
  }

  // Ends |span| at |cycle| and begins |next|, if they differ.
  void Change(UnitSpan& span, UnitSpan next, uint64_t cycle) {
    next.begin = span.begin;
    next.end = span.end;
    if (next == span) return;
    span.end = cycle;
    if (span.end > span.begin) observer_.OnSpan(span);
    next.begin = cycle;
    next.end = 0;
    span = next;
  }

  RunObserver& observer_;
  bool running_ = false;
  uint64_t now_ = 0, stand_ = 0;
  std::array<UnitSpan, isa::kUnits> span_;
  std::array<BusBeats, kBusUsers> beats_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_RUN_TELLER_H_
