// SPDX-License-Identifier: Apache-2.0
//
// InterruptPort: a RegisterPort whose Wait uses the machine's interrupt, where one comes, and looks
// at STATUS where none does. Depends on: register_port.h. Used by: drivers of boards and cards.
//
// IRQ_GLOBAL, IRQ_ENABLE and IRQ_STATUS are written here. A driver says how an interrupt is let
// through to this process and taken: UIO and XRT both have a file that does both.
#ifndef TESSERA_RUNTIME_DEVICE_INTERRUPT_PORT_H_
#define TESSERA_RUNTIME_DEVICE_INTERRUPT_PORT_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/device/register_port.h"
#include "runtime/device/registry.h"

namespace tessera {

// Whether waiting uses the interrupt.
enum class InterruptUse : uint8_t {
  kAuto,    // yes; after kLostInterrupts that did not come, STATUS is polled instead
  kAlways,  // yes; one that does not come is an error
  kNever,
};
inline constexpr int kLostInterrupts = 3;

// The driver's option that chooses it, and what it says: auto, on or off.
DriverOption InterruptOption();
//   errors  kInvalidArgument  another word; |driver| goes in front
Result<InterruptUse> InterruptUseOf(std::string_view driver, const OptionValues& options);

class InterruptPort : public RegisterPort {
 public:
  // |where| goes in front of messages; |advice|: what to look at when interrupts get lost.
  InterruptPort(InterruptUse use, std::string where, std::string advice);

  // errors: with kAlways also kTimeout an interrupt did not come, kUnsupported there is none
  Result<WaitOutcome> Wait(uint64_t budget) override;
  void Pause() override;

  // STATUS is polled: because kNever says so, or because interrupts did not come.
  bool polls() const { return use_ == InterruptUse::kNever; }

 protected:
  // The machine raises no interrupt any more. For destructors.
  void Disarm();

 private:
  // Lets the next interrupt through. More than once is as good as once.
  //   errors  there is no interrupt: one line that says why, and what to do
  virtual Status LetThrough() = 0;
  // Waits for an interrupt and takes it: whether one came.
  //   errors  there is nothing to wait for
  virtual Result<bool> Take(std::chrono::milliseconds limit) = 0;

  Status Arm();  // forgets what happened; from now on the end of a program raises the interrupt
  bool Came(std::chrono::milliseconds limit);  // one that cannot be waited for does not come again
  void Missed();

  InterruptUse use_;
  std::string where_, advice_;
  int lost_ = 0;         // interrupts in a row that did not come
  bool armed_ = false;   // IRQ_GLOBAL was set
  bool failed_ = false;  // one did not come that kAlways asks for
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_INTERRUPT_PORT_H_
