// SPDX-License-Identifier: Apache-2.0
//
// The machine's registers through Linux's UIO: found by name in /sys/class/uio, mapped, and the
// interrupt by poll() on the device file. Depends on: runtime/device/register_port.h. Used by:
// zynq_device.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/register_port.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

// Whether waiting uses the interrupt.
enum class InterruptUse : uint8_t {
  kAuto,    // yes; after kLostInterrupts that did not come, STATUS is polled instead
  kAlways,  // yes; one that does not come is an error
  kNever,
};
inline constexpr int kLostInterrupts = 3;

class UioPort : public RegisterPort {
 public:
  // The UIO device called |name| (its name in the device tree, or uioN), under |root|, which has
  // /sys and /dev.
  //   errors  kNotFound         none of that name: the message lists those that exist
  //           kInvalidArgument  several of that name
  //           kOutOfRange       its map is too small for the registers
  //           kUnavailable      no permission; another process uses it
  static Result<std::unique_ptr<UioPort>> Open(const std::string& root, const std::string& name,
                                               InterruptUse use);

  // A map and a file that tells of interrupts: what Open makes, and what tests have.
  UioPort(std::string path, OpenFile file, std::unique_ptr<MappedFile> map, uint64_t offset,
          InterruptUse use);
  ~UioPort() override;

  // errors: kDataLoss the bus does not answer
  Result<uint32_t> Read(uint32_t offset) override;
  Status Write(uint32_t offset, uint32_t value) override;
  // errors: with kAlways also kTimeout an interrupt did not come, kUnsupported there is none
  Result<WaitOutcome> Wait(uint64_t budget) override;
  void Pause() override;

  // STATUS is polled: because kNever says so, or because interrupts did not come.
  bool polls() const { return use_ == InterruptUse::kNever; }

 private:
  volatile uint32_t* At(uint32_t offset) const;
  Status Arm();   // forgets what happened; from now on the end of a program raises the interrupt
  bool Enable();  // in the kernel, which disables it when it comes; false: there is none
  bool Came(int milliseconds);  // waits for it and takes it
  void Missed();

  std::string path_;
  OpenFile file_;
  std::unique_ptr<MappedFile> map_;
  uint64_t offset_;  // of the registers in the map
  InterruptUse use_;
  int lost_ = 0;         // interrupts in a row that did not come
  bool armed_ = false;   // IRQ_GLOBAL was set
  bool failed_ = false;  // one did not come that kAlways asks for
};

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_
