// SPDX-License-Identifier: Apache-2.0
//
// DeviceMemory: the bytes behind a simulated accelerator and who owns which of them. Depends on:
// base. Used by: every simulator that is a Device (func, rtl, null).
#ifndef TESSERA_SIM_MEMORY_DEVICE_MEMORY_H_
#define TESSERA_SIM_MEMORY_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <span>

#include "base/error.h"

namespace tessera::sim {

// Addresses 0 .. size()-1, zero at first; pages are taken from the system when they are touched.
// The allocator is first fit over address order, so the same calls give the same addresses.
class DeviceMemory {
 public:
  //   errors  kUnavailable  the system does not give |bytes| of address space
  static Result<DeviceMemory> Make(uint64_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  uint64_t size() const { return bytes_.size(); }
  std::span<uint8_t> bytes() { return bytes_; }
  std::span<const uint8_t> bytes() const { return bytes_; }

  // The contracts of Device::Allocate, Free, Write and Read (runtime/device.h). Zero bytes are
  // allocated as one, so that every allocation has its own address.
  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align = 64);
  Status Free(uint64_t address);
  Status Write(uint64_t address, std::span<const uint8_t> bytes);
  Status Read(uint64_t address, std::span<uint8_t> bytes) const;

 private:
  explicit DeviceMemory(std::span<uint8_t> bytes) : bytes_(bytes) {}
  Status CheckRange(uint64_t address, uint64_t bytes) const;

  std::span<uint8_t> bytes_;                // mapped; empty when moved from
  std::map<uint64_t, uint64_t> allocated_;  // address -> bytes
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_MEMORY_DEVICE_MEMORY_H_
