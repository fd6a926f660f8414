// SPDX-License-Identifier: Apache-2.0
//
// Three sections of an xclbin: the addresses of machines on the control bus (IP_LAYOUT), the
// memories (MEM_TOPOLOGY), and the memory that each argument of a machine reaches (CONNECTIVITY).
// Depends on: bytes.h. Used by: machine.h, tests.
#ifndef TESSERA_RUNTIME_XCLBIN_SECTIONS_H_
#define TESSERA_RUNTIME_XCLBIN_SECTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::xclbin {

inline constexpr uint32_t kIpKernel = 1;  // IpEntry::type of a kernel

struct IpEntry {
  uint32_t type = kIpKernel;
  uint32_t properties = 0;    // bits 8..15: how to start it; 2: by its registers alone
  uint64_t base_address = 0;  // on the control bus
  std::string name;           // "KERNEL:INSTANCE"; at most 63 bytes
  bool operator==(const IpEntry&) const = default;
};

struct MemoryEntry {
  uint8_t type = 1;  // 1: DDR4
  bool used = true;
  uint64_t kib = 0;
  uint64_t base_address = 0;
  std::string tag;  // "bank0"; at most 15 bytes
  bool operator==(const MemoryEntry&) const = default;
};

// Argument |argument| of entry |ip| of IP_LAYOUT reaches entry |memory| of the topology.
struct WireEntry {
  int32_t argument = 0, ip = 0, memory = 0;
  bool operator==(const WireEntry&) const = default;
};

std::vector<uint8_t> WriteIpLayout(std::span<const IpEntry> entries);
std::vector<uint8_t> WriteMemories(std::span<const MemoryEntry> entries);
std::vector<uint8_t> WriteWires(std::span<const WireEntry> entries);

// Every message begins with |where|: "FILE: section IP_LAYOUT".
//   errors  kDataLoss  the count is negative, or more than the bytes hold; both are in the message
Result<std::vector<IpEntry>> ReadIpLayout(std::span<const uint8_t> bytes, const std::string& where);
Result<std::vector<MemoryEntry>> ReadMemories(std::span<const uint8_t> bytes,
                                              const std::string& where);
Result<std::vector<WireEntry>> ReadWires(std::span<const uint8_t> bytes, const std::string& where);

}  // namespace tessera::xclbin

#endif  // TESSERA_RUNTIME_XCLBIN_SECTIONS_H_
