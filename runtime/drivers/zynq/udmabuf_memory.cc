// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/udmabuf_memory.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::zynq {
namespace {

constexpr uint64_t kBusAlign = 64;  // of a MemoryPort's bus address
// Values of sync_direction.
constexpr int kDirectionToDevice = 1, kDirectionFromDevice = 2;

std::string Folder(const std::string& root) { return root + "/sys/class/u-dma-buf"; }

}  // namespace

bool UdmabufMemory::Exists(const std::string& root, const std::string& name) {
  return ReadLine(Folder(root) + "/" + name + "/size").has_value();
}

Result<std::unique_ptr<UdmabufMemory>> UdmabufMemory::Open(const std::string& root,
                                                           const std::string& name,
                                                           uint64_t most_bytes) {
  const std::string folder = Folder(root) + "/" + name;
  const std::vector<std::string> names = NamesIn(Folder(root));
  if (std::ranges::count(names, name) == 0) {
    return Fail(Code::kNotFound,
                "{}: no buffer '{}'; there are [{}]: load the u-dma-buf module with the board's "
                "overlay, or give another name with udmabuf=NAME",
                Folder(root), name, fmt::join(names, ", "));
  }
  TESSERA_ASSIGN(const uint64_t bus, ReadNumber(folder + "/phys_addr"));
  TESSERA_ASSIGN(const uint64_t bytes, ReadNumber(folder + "/size"));
  const bool coherent = ReadNumber(folder + "/dma_coherent").value_or(0) != 0;
  if (bytes == 0 || bus % kBusAlign != 0) {
    return Fail(Code::kDataLoss,
                "{}: a buffer of {} bytes at {:#x}; it needs bytes, and an address that is a "
                "multiple of {}",
                folder, bytes, bus, kBusAlign);
  }
  const std::string path = root + "/dev/" + name;
  TESSERA_ASSIGN(OpenFile file, OpenFile::Open(path));
  TESSERA_TRY(TakeForThisProcess(file, path));
  TESSERA_ASSIGN(auto map, MappedFile::Map(file, path, 0, std::min(bytes, most_bytes)));
  return std::unique_ptr<UdmabufMemory>(
      new UdmabufMemory(folder, bus, coherent, std::move(file), std::move(map)));
}

Status UdmabufMemory::Sync(uint64_t address, uint64_t bytes, bool to_device) {
  if (coherent_) return {};
  const CacheLines lines = LinesOf(address, bytes, size());
  TESSERA_TRY(WriteText(folder_ + "/sync_offset", std::to_string(lines.begin)));
  TESSERA_TRY(WriteText(folder_ + "/sync_size", std::to_string(lines.bytes)));
  TESSERA_TRY(WriteText(folder_ + "/sync_direction",
                        std::to_string(to_device ? kDirectionToDevice : kDirectionFromDevice)));
  return WriteText(folder_ + (to_device ? "/sync_for_device" : "/sync_for_cpu"), "1");
}

Status UdmabufMemory::Write(uint64_t address, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return {};
  std::memcpy(map_->data() + address, bytes.data(), bytes.size());
  return Sync(address, bytes.size(), /*to_device=*/true);
}

Status UdmabufMemory::Read(uint64_t address, std::span<uint8_t> bytes) {
  if (bytes.empty()) return {};
  TESSERA_TRY(Sync(address, bytes.size(), /*to_device=*/false));
  std::memcpy(bytes.data(), map_->data() + address, bytes.size());
  return {};
}

}  // namespace tessera::zynq
