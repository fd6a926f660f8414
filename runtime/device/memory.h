// SPDX-License-Identifier: Apache-2.0
//
// Device memory: the bytes that a machine and the host share, and the owner of each range. A driver
// for a board has its own MemoryPort (an XRT buffer object, a reserved range that is mapped); a
// simulator uses HostMemory. Depends on: base. Used by: DeviceBase, drivers.
#ifndef TESSERA_RUNTIME_DEVICE_MEMORY_H_
#define TESSERA_RUNTIME_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/error.h"

namespace tessera {

// The size of device memory if no other is given, in bytes.
inline constexpr uint64_t kDefaultMemoryBytes = uint64_t{256} << 20;

// The bytes alone, at the host's addresses 0 .. size()-1.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  virtual uint64_t size() const = 0;

  // The address 0 of this memory on the machine's bus; a multiple of 64. The machine's registers
  // take the sum of it and a device address.
  virtual uint64_t bus_address() const { return 0; }

  // Copies, and makes the copy visible to the other side (cache maintenance, transfers). The range
  // must lie inside; DeviceMemory checks that.
  //   errors  kUnavailable, kDataLoss  the transfer failed, in the driver's words
  virtual Status Write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual Status Read(uint64_t address, std::span<uint8_t> bytes) = 0;
};

// Memory of this process, zero at first; the system gives each page at the first touch.
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

  // For a simulator, which works in this memory directly.
  std::span<uint8_t> bytes() { return bytes_; }

 private:
  explicit HostMemory(std::span<uint8_t> bytes) : bytes_(bytes) {}
  std::span<uint8_t> bytes_;  // mapped
};

// A MemoryPort with an allocator: first fit in address order, so equal calls give equal addresses.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::unique_ptr<MemoryPort> port) : port_(std::move(port)) {}

  uint64_t size() const { return port_->size(); }
  uint64_t bus_address() const { return port_->bus_address(); }

  // The contracts of Device::Allocate, Free, Write and Read (runtime/device.h). Allocates zero
  // bytes as one byte, so that every allocation has its own address.
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
