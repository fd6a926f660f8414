// SPDX-License-Identifier: Apache-2.0
//
// The machine's registers through Linux's UIO: the port finds the device by name in /sys/class/uio,
// maps the registers, and waits for the interrupt with poll() on the device file. Depends on:
// runtime/device/interrupt_port.h. Used by: zynq_device.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/interrupt_port.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

// The folder in /sys/class/uio under |root| of the UIO device |name| (its own name, or uioN).
// errors: kNotFound and kInvalidArgument of UioPort::Open
Result<std::string> FindUio(const std::string& root, const std::string& name);

class UioPort : public InterruptPort {
 public:
  // Opens the UIO device |name| (its name in the device tree, or uioN). |root| holds /sys and /dev.
  //   errors  kNotFound         no such device; the message lists the existing ones
  //           kInvalidArgument  several devices with that name
  //           kOutOfRange       its map is too small for the registers
  //           kUnavailable      no permission; another process uses it
  static Result<std::unique_ptr<UioPort>> Open(const std::string& root, const std::string& name,
                                               InterruptUse use);

  // Takes a map and a file for interrupts, from Open or from a test.
  UioPort(std::string path, OpenFile file, std::unique_ptr<MappedFile> map, uint64_t offset,
          InterruptUse use);
  ~UioPort() override;

  // errors: kDataLoss the bus does not answer
  Result<uint32_t> Read(uint32_t offset) override;
  Status Write(uint32_t offset, uint32_t value) override;

 private:
  volatile uint32_t* At(uint32_t offset) const;
  Status LetThrough() override;
  Result<bool> Take(std::chrono::milliseconds limit) override;

  std::string path_;
  OpenFile file_;
  std::unique_ptr<MappedFile> map_;
  uint64_t offset_;  // of the registers in the map
};

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_
