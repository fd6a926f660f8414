// SPDX-License-Identifier: Apache-2.0
//
// InterruptPort: a RegisterPort whose Wait uses the machine's interrupt, and looks at STATUS if no
// interrupt comes. Depends on: register_port.h, registry.h. Used by: drivers of boards
// and cards.
//
// This class writes IRQ_GLOBAL, IRQ_ENABLE and IRQ_STATUS. A driver says how this process lets an
// interrupt through and takes it: UIO and XRT both have a file for both.
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
  kAuto,    // yes; polls STATUS after kLostInterrupts that did not come
  kAlways,  // yes; an interrupt that does not come is an error
  kNever,
};
inline constexpr int kLostInterrupts = 3;

// The driver's option for it, and the value of that option: auto, on or off.
DriverOption InterruptOption();
//   errors  kInvalidArgument  another word; the message begins with |driver|
Result<InterruptUse> InterruptUseOf(std::string_view driver, const OptionValues& options);

class InterruptPort : public RegisterPort {
 public:
  // Messages begin with |where|; |advice| says what to look at when interrupts get lost.
  InterruptPort(InterruptUse use, std::string where, std::string advice);

  // errors: with kAlways also kTimeout no interrupt came, kUnsupported the machine has none
  Result<WaitOutcome> Wait(uint64_t budget) override;
  void Pause() override;

  // Whether this port polls STATUS: because of kNever, or because interrupts did not come.
  bool polls() const { return use_ == InterruptUse::kNever; }

 protected:
  // Stops the machine from raising interrupts. For destructors.
  void Disarm();

 private:
  // Lets the next interrupt through; a second call has no further effect.
  //   errors  no interrupt: one line that says why, and what to do
  virtual Status LetThrough() = 0;
  // Waits for an interrupt and takes it; true if one came.
  //   errors  no interrupt to wait for
  virtual Result<bool> Take(std::chrono::milliseconds limit) = 0;

  Status Arm();  // drops old interrupts; from now on the end of a program raises the interrupt
  bool Came(std::chrono::milliseconds limit);  // after an error of Take, waits for no more
  void Missed();

  InterruptUse use_;
  std::string where_, advice_;
  int lost_ = 0;         // interrupts in a row that did not come
  bool armed_ = false;   // IRQ_GLOBAL was set
  bool failed_ = false;  // with kAlways: an interrupt did not come
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_INTERRUPT_PORT_H_
