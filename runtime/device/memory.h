// SPDX-License-Identifier: Apache-2.0
//
// Device memory: the bytes that a machine and the host share, and who owns which of them. A driver
// for a board brings its own MemoryPort (an XRT buffer object, a reserved range that is mapped); a
// simulator uses HostMemory. Depends on: base. Used by: DeviceBase, drivers.
#ifndef TESSERA_RUNTIME_DEVICE_MEMORY_H_
#define TESSERA_RUNTIME_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/error.h"

namespace tessera {

// What a device has unless more or less is asked for, in bytes.
inline constexpr uint64_t kDefaultMemoryBytes = uint64_t{256} << 20;

// The bytes alone: addresses 0 .. size()-1 as the host names them.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  virtual uint64_t size() const = 0;

  // Where the machine's bus sees address 0; a multiple of 64. What goes into the machine's
  // registers is this plus a device address.
  virtual uint64_t bus_address() const { return 0; }

  // Copies, and makes the copy visible to the other side (cache maintenance, transfers). The range
  // lies inside; DeviceMemory has checked it.
  //   errors  kUnavailable, kDataLoss  the transfer failed, in the driver's words
  virtual Status Write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual Status Read(uint64_t address, std::span<uint8_t> bytes) = 0;
};

// Memory of this process, zero at first; pages are taken from the system when they are touched.
class HostMemory : public MemoryPort {
 public:
  //   errors  kInvalidArgument  0 bytes
  //           kUnavailable      the system does not give |bytes| of address space
  static Result<std::unique_ptr<HostMemory>> Make(uint64_t bytes);
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() override;

  uint64_t size() const override { return bytes_.size(); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override;
  Status Read(uint64_t address, std::span<uint8_t> bytes) override;

  // For a simulator, which works in place.
  std::span<uint8_t> bytes() { return bytes_; }

 private:
  explicit HostMemory(std::span<uint8_t> bytes) : bytes_(bytes) {}
  std::span<uint8_t> bytes_;  // mapped
};

// A port with its allocator: first fit over address order, so the same calls give the same
// addresses.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::unique_ptr<MemoryPort> port) : port_(std::move(port)) {}

  uint64_t size() const { return port_->size(); }
  uint64_t bus_address() const { return port_->bus_address(); }

  // The contracts of Device::Allocate, Free, Write and Read (runtime/device.h). Zero bytes are
  // allocated as one, so that every allocation has its own address.
  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align = 64);
  Status Free(uint64_t address);
  Status Write(uint64_t address, std::span<const uint8_t> bytes);
  Status Read(uint64_t address, std::span<uint8_t> bytes) const;

 private:
  Status CheckRange(uint64_t address, uint64_t bytes) const;

  std::unique_ptr<MemoryPort> port_;
  std::map<uint64_t, uint64_t> allocated_;  // address -> bytes
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_MEMORY_H_
