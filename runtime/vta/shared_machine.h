// SPDX-License-Identifier: Apache-2.0
//
// SharedMachine: the one machine of a process for VTA's driver: buffers that the host writes
// through pointers, device addresses, runs. Depends on: runtime/device. Used by: vta_driver.cc.
#ifndef TESSERA_RUNTIME_VTA_SHARED_MACHINE_H_
#define TESSERA_RUNTIME_VTA_SHARED_MACHINE_H_

#include <cstdint>
#include <map>
#include <memory>

#include "base/error.h"
#include "runtime/device.h"

namespace tessera::vta {

class SharedMachine {
 public:
  // Opens the device that the environment names (vta_driver.h).
  //   errors  kNotFound        no such device or configuration
  //           kUnsupported     VTA's encoding cannot express the configuration
  //           others           as OpenDevice
  static Result<std::unique_ptr<SharedMachine>> Open();

  // Allocates |size| zero bytes, aligned to a page on both sides.
  //   errors  kOutOfRange   device memory is full
  //           kUnavailable  host memory is full
  Result<void*> Allocate(uint64_t size);
  //   errors  kInvalidArgument  |host| is not the first byte of an allocation
  Status Free(void* host);

  // The device address of |host|.
  //   errors  kInvalidArgument  |host| is in no allocation
  Result<uint64_t> DeviceAddress(const void* host) const;

  // Copies every buffer to the device, runs, and copies every buffer back, also after an error.
  Status Run(uint64_t insn_addr, uint32_t insn_count, uint64_t budget);

 private:
  struct FreeHost {
    void operator()(uint8_t* bytes) const;
  };
  struct SharedBuffer {
    std::unique_ptr<uint8_t, FreeHost> host;
    uint64_t size = 0;
    uint64_t device = 0;
  };

  explicit SharedMachine(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  std::unique_ptr<Device> device_;
  std::map<const uint8_t*, SharedBuffer> buffers_;  // by host address
};

}  // namespace tessera::vta

#endif  // TESSERA_RUNTIME_VTA_SHARED_MACHINE_H_
