// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/interrupt_port.h"

#include <utility>

#include "isa/regs.h"

namespace tessera {
namespace {

namespace reg = isa::reg;

constexpr std::string_view kOption = "interrupt";
// The longest time between two looks at STATUS, and the time that an interrupt may take once the
// machine has raised it.
constexpr std::chrono::milliseconds kPoll{1}, kGrace{20};
// How many old interrupts to take before a wait; a line that stays up would give them for ever.
constexpr int kStale = 8;

}  // namespace

DriverOption InterruptOption() {
  return {.name = kOption,
          .value = "auto|on|off",
          .fallback = "auto",
          .help = "how to wait; auto polls when interrupts do not come, on refuses"};
}

Result<InterruptUse> InterruptUseOf(std::string_view driver, const OptionValues& options) {
  const std::string& word = options.Text(kOption);
  if (word == "auto") return InterruptUse::kAuto;
  if (word == "on") return InterruptUse::kAlways;
  if (word == "off") return InterruptUse::kNever;
  return Fail(Code::kInvalidArgument, "{}: interrupt={}: give auto, on or off", driver, word);
}

InterruptPort::InterruptPort(InterruptUse use, std::string where, std::string advice)
    : use_(use), where_(std::move(where)), advice_(std::move(advice)) {}

void InterruptPort::Disarm() {
  if (armed_) (void)Write(reg::kIrqGlobal, 0);
}

bool InterruptPort::Came(std::chrono::milliseconds limit) {
  const Result<bool> came = Take(limit);
  if (came) return *came;
  if (use_ == InterruptUse::kAlways) {
    failed_ = true;
  } else {
    use_ = InterruptUse::kNever;
  }
  return false;
}

Status InterruptPort::Arm() {
  if (polls()) return {};
  // Drops interrupts of a run that ended between two looks.
  TESSERA_ASSIGN(const uint32_t raised, Read(reg::kIrqStatus));
  TESSERA_TRY(Write(reg::kIrqStatus, raised));
  for (int i = 0; i < kStale && Came(std::chrono::milliseconds(0)); ++i) {
  }
  TESSERA_TRY(Write(reg::kIrqEnable, reg::kIrqStatusDone.Put(1)));
  TESSERA_TRY(Write(reg::kIrqGlobal, reg::kIrqGlobalEnable.Put(1)));
  armed_ = true;
  const Status there = LetThrough();
  if (there) return {};
  if (use_ == InterruptUse::kAlways) {
    return Fail(Code::kUnsupported, "{}, or poll with interrupt=off", there.error().message);
  }
  use_ = InterruptUse::kNever;
  return {};
}

Result<WaitOutcome> InterruptPort::Wait(uint64_t budget) {
  failed_ = false;
  TESSERA_TRY(Arm());
  Result<WaitOutcome> outcome = RegisterPort::Wait(budget);
  if (!failed_ || !outcome) return outcome;
  return Fail(Code::kTimeout,
              "{}: the machine raised its interrupt and none came within {} ms: {}, or poll with "
              "interrupt=off",
              where_, kGrace.count(), advice_);
}

void InterruptPort::Missed() {
  if (use_ == InterruptUse::kAlways) failed_ = true;
  if (++lost_ == kLostInterrupts && use_ == InterruptUse::kAuto) use_ = InterruptUse::kNever;
}

void InterruptPort::Pause() {
  if (polls() || failed_) return RegisterPort::Pause();
  const bool came = Came(kPoll);
  const Result<uint32_t> raised = Read(reg::kIrqStatus);
  if (!raised) return;  // the look at STATUS says why
  if (came) {
    lost_ = 0;
    if (Write(reg::kIrqStatus, *raised)) (void)LetThrough();
    return;
  }
  if (!reg::kIrqStatusDone.Get(*raised)) return;
  if (Came(kGrace)) {
    lost_ = 0;
  } else {
    Missed();
  }
}

}  // namespace tessera
