// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/register_port.h"

#include <chrono>
#include <thread>

#include "isa/regs.h"

namespace tessera {
namespace {

namespace reg = isa::reg;

// How many looks in a row may show the same cycle count before the counter counts as stopped.
constexpr int kLooksAtAStop = 1000;
// How many looks to give a machine to end after a soft reset.
constexpr int kLooksAtReset = 1000;

}  // namespace

Result<uint64_t> ReadCounter(RegisterPort& port, uint32_t low, uint32_t high) {
  TESSERA_ASSIGN(const uint64_t lower, port.Read(low));
  TESSERA_ASSIGN(const uint64_t upper, port.Read(high));
  return upper << 32 | lower;
}

Result<isa::UnitStanding> ReadStanding(RegisterPort& port, uint32_t unit) {
  TESSERA_ASSIGN(const uint32_t state, port.Read(reg::kUnitState[unit]));
  TESSERA_ASSIGN(const uint32_t insn, port.Read(reg::kUnitInsn[unit]));
  return isa::UnitStanding{(state & 1) != 0, state >> 4 & 0xf, state >> 8 & 0xf, insn};
}

Result<WaitOutcome> RegisterPort::Wait(uint64_t budget) {
  uint64_t cycles = 0;  // at the previous look
  int stopped = 0;      // looks in a row without a change of the cycle counter
  for (;; Pause()) {
    TESSERA_ASSIGN(const uint32_t status, Read(reg::kStatus));
    TESSERA_ASSIGN(const uint64_t now, ReadCounter(*this, reg::kCyclesLo, reg::kCyclesHi));
    // A run may end past its budget between two looks. A simulator would have ended it at the
    // budget.
    const bool busy = reg::kStatusBusy.Get(status);
    if (now > budget || (busy && now == budget)) return WaitOutcome{.end = WaitEnd::kBudget};
    if (!busy) return WaitOutcome{.end = WaitEnd::kDone};
    stopped = now == cycles ? stopped + 1 : 0;
    cycles = now;
    if (stopped == kLooksAtAStop) {
      return Fail(Code::kTimeout,
                  "not done, and the cycle counter stands at {} over {} looks: the machine has no "
                  "clock, or is held in reset",
                  now, kLooksAtAStop);
    }
  }
}

void RegisterPort::Pause() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

Status RegisterPort::Reset() {
  TESSERA_TRY(Write(reg::kControl, reg::kControlSoftReset.Put(1)));
  for (int look = 0; look < kLooksAtReset; ++look) {
    TESSERA_ASSIGN(const uint32_t status, Read(reg::kStatus));
    if (!reg::kStatusBusy.Get(status)) return {};
    Pause();
  }
  return Fail(Code::kTimeout,
              "the machine is busy {} looks after a soft reset: reset it from outside",
              kLooksAtReset);
}

Status RegisterPort::SetObserver(RunObserver* observer) {
  if (observer == nullptr) return {};
  return Fail(Code::kUnsupported,
              "this machine shows registers only, which do not tell when instructions retire; "
              "devices rtl and cycle do");
}

Status RegisterPort::SetWatcher(MachineWatcher* watcher) {
  if (watcher == nullptr) return {};
  return Fail(Code::kUnsupported, "this machine shows registers only; debug on func or cycle");
}

}  // namespace tessera
