// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"

namespace tessera {

Result<std::unique_ptr<HostMemory>> HostMemory::Make(uint64_t bytes) {
  if (bytes == 0) return Fail(Code::kInvalidArgument, "device memory of 0 bytes; give at least 64");
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    return Fail(Code::kUnavailable,
                "the system does not give {} bytes for device memory; ask for less", bytes);
  }
  return std::unique_ptr<HostMemory>(
      new HostMemory(std::span(static_cast<uint8_t*>(start), bytes)));
}

HostMemory::~HostMemory() { munmap(bytes_.data(), bytes_.size()); }

Status HostMemory::Write(uint64_t address, std::span<const uint8_t> bytes) {
  if (!bytes.empty()) std::memcpy(bytes_.data() + address, bytes.data(), bytes.size());
  return {};
}

Status HostMemory::Read(uint64_t address, std::span<uint8_t> bytes) {
  if (!bytes.empty()) std::memcpy(bytes.data(), bytes_.data() + address, bytes.size());
  return {};
}

Result<uint64_t> DeviceMemory::Allocate(uint64_t bytes, uint64_t align) {
  if (!IsPowerOfTwo(align) || align < 64) {
    return Fail(Code::kInvalidArgument, "alignment {}, must be a power of two and at least 64",
                align);
  }
  const uint64_t wanted = std::max<uint64_t>(bytes, 1);
  uint64_t start = 0;  // the end of the previous allocation, aligned
  const auto aligned = [&](uint64_t address) { return (address + align - 1) & ~(align - 1); };
  for (const auto& [address, count] : allocated_) {
    if (start <= address && wanted <= address - start) break;
    start = aligned(address + count);
  }
  if (start > size() || wanted > size() - start) {
    uint64_t used = 0;
    for (const auto& [address, count] : allocated_) used += count;
    return Fail(Code::kOutOfRange,
                "no range of {} bytes is free in device memory: {} of {} bytes are in use", bytes,
                used, size());
  }
  allocated_[start] = wanted;
  return start;
}

Status DeviceMemory::Free(uint64_t address) {
  if (allocated_.erase(address) == 1) return {};
  return Fail(Code::kInvalidArgument, "device address {} was not allocated, or is freed already",
              address);
}

Status DeviceMemory::CheckRange(uint64_t address, uint64_t bytes) const {
  if (address <= size() && bytes <= size() - address) return {};
  return Fail(Code::kOutOfRange, "{} bytes at device address {}: device memory has {} bytes", bytes,
              address, size());
}

Status DeviceMemory::Write(uint64_t address, std::span<const uint8_t> bytes) {
  TESSERA_TRY(CheckRange(address, bytes.size()));
  return port_->Write(address, bytes);
}

Status DeviceMemory::Read(uint64_t address, std::span<uint8_t> bytes) const {
  TESSERA_TRY(CheckRange(address, bytes.size()));
  return port_->Read(address, bytes);
}

}  // namespace tessera
