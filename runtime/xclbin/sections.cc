// SPDX-License-Identifier: Apache-2.0
#include "runtime/xclbin/sections.h"

#include "runtime/xclbin/bytes.h"

namespace tessera::xclbin {
namespace {

// The offset of the first entry after the count, and the bytes of an entry.
struct TableShape {
  size_t first, entry;
};
constexpr TableShape kIps{8, 80}, kMemories{8, 40}, kWires{4, 12};
constexpr size_t kIpNameBytes = 64, kTagBytes = 16;

std::vector<uint8_t> Head(const TableShape& shape, size_t count) {
  std::vector<uint8_t> out;
  out.reserve(shape.first + count * shape.entry);
  PutNumber(out, static_cast<uint32_t>(count));
  out.resize(shape.first);
  return out;
}

Result<size_t> Count(const TableShape& shape, std::span<const uint8_t> bytes,
                     const std::string& where) {
  if (bytes.size() < shape.first) {
    return Fail(Code::kDataLoss, "{}: {} bytes, the count alone has {}", where, bytes.size(),
                shape.first);
  }
  const auto count = static_cast<int32_t>(GetNumber<uint32_t>(bytes, 0));
  const size_t room = (bytes.size() - shape.first) / shape.entry;
  if (count < 0 || static_cast<size_t>(count) > room) {
    return Fail(Code::kDataLoss, "{}: says {} entries, its {} bytes hold {}", where, count,
                bytes.size(), room);
  }
  return static_cast<size_t>(count);
}

}  // namespace

std::vector<uint8_t> WriteIpLayout(std::span<const IpEntry> entries) {
  std::vector<uint8_t> out = Head(kIps, entries.size());
  for (const IpEntry& entry : entries) {
    PutNumber(out, entry.type);
    PutNumber(out, entry.properties);
    PutNumber(out, entry.base_address);
    PutText(out, entry.name, kIpNameBytes);
  }
  return out;
}

std::vector<uint8_t> WriteMemories(std::span<const MemoryEntry> entries) {
  std::vector<uint8_t> out = Head(kMemories, entries.size());
  for (const MemoryEntry& entry : entries) {
    PutNumber(out, entry.type);
    PutNumber(out, static_cast<uint8_t>(entry.used));
    PutFill(out, 6);
    PutNumber(out, entry.kib);
    PutNumber(out, entry.base_address);
    PutText(out, entry.tag, kTagBytes);
  }
  return out;
}

std::vector<uint8_t> WriteWires(std::span<const WireEntry> entries) {
  std::vector<uint8_t> out = Head(kWires, entries.size());
  for (const WireEntry& entry : entries) {
    for (const int32_t number : {entry.argument, entry.ip, entry.memory}) {
      PutNumber(out, static_cast<uint32_t>(number));
    }
  }
  return out;
}

Result<std::vector<IpEntry>> ReadIpLayout(std::span<const uint8_t> bytes,
                                          const std::string& where) {
  TESSERA_ASSIGN(const size_t count, Count(kIps, bytes, where));
  std::vector<IpEntry> entries;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = kIps.first + i * kIps.entry;
    entries.push_back({.type = GetNumber<uint32_t>(bytes, at),
                       .properties = GetNumber<uint32_t>(bytes, at + 4),
                       .base_address = GetNumber<uint64_t>(bytes, at + 8),
                       .name = GetText(bytes, at + 16, kIpNameBytes)});
  }
  return entries;
}

Result<std::vector<MemoryEntry>> ReadMemories(std::span<const uint8_t> bytes,
                                              const std::string& where) {
  TESSERA_ASSIGN(const size_t count, Count(kMemories, bytes, where));
  std::vector<MemoryEntry> entries;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = kMemories.first + i * kMemories.entry;
    entries.push_back({.type = bytes[at],
                       .used = bytes[at + 1] != 0,
                       .kib = GetNumber<uint64_t>(bytes, at + 8),
                       .base_address = GetNumber<uint64_t>(bytes, at + 16),
                       .tag = GetText(bytes, at + 24, kTagBytes)});
  }
  return entries;
}

Result<std::vector<WireEntry>> ReadWires(std::span<const uint8_t> bytes, const std::string& where) {
  TESSERA_ASSIGN(const size_t count, Count(kWires, bytes, where));
  const auto number = [&](size_t at) {
    return static_cast<int32_t>(GetNumber<uint32_t>(bytes, at));
  };
  std::vector<WireEntry> entries;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = kWires.first + i * kWires.entry;
    entries.push_back({number(at), number(at + 4), number(at + 8)});
  }
  return entries;
}

}  // namespace tessera::xclbin
