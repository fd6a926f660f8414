// SPDX-License-Identifier: Apache-2.0
//
// The machine's registers through Linux's UIO: found by name in /sys/class/uio, mapped, and the
// interrupt by poll() on the device file. Depends on: runtime/device/interrupt_port.h. Used by:
// zynq_device.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_UIO_PORT_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/interrupt_port.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

// The folder of /sys/class/uio, under |root|, of the UIO device called |name| or with that name.
// errors: those of UioPort::Open that concern names
Result<std::string> FindUio(const std::string& root, const std::string& name);

class UioPort : public InterruptPort {
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
