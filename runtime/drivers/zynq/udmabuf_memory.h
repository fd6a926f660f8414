// SPDX-License-Identifier: Apache-2.0
//
// Device memory from u-dma-buf (github.com/ikwzm/udmabuf): a contiguous buffer that a kernel module
// reserves under a name. Files of /sys give its address and size, and clean or invalidate caches.
// Depends on: runtime/device/memory.h. Used by: zynq_device.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_UDMABUF_MEMORY_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_UDMABUF_MEMORY_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/memory.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

class UdmabufMemory : public MemoryPort {
 public:
  // Whether the buffer |name| exists under |root|.
  static bool Exists(const std::string& root, const std::string& name);

  // The buffer |name|, or its first |most_bytes|.
  //   errors  kNotFound     no such buffer; the message lists the existing ones
  //           kUnavailable  no permission; another process uses it
  //           kDataLoss     its files in /sys contradict each other or have no numbers
  static Result<std::unique_ptr<UdmabufMemory>> Open(const std::string& root,
                                                     const std::string& name, uint64_t most_bytes);

  uint64_t size() const override { return map_->size(); }
  uint64_t bus_address() const override { return bus_; }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override;
  Status Read(uint64_t address, std::span<uint8_t> bytes) override;

 private:
  UdmabufMemory(std::string folder, uint64_t bus, bool coherent, OpenFile file,
                std::unique_ptr<MappedFile> map)
      : folder_(std::move(folder)),
        bus_(bus),
        coherent_(coherent),
        file_(std::move(file)),
        map_(std::move(map)) {}
  // Hands whole cache lines of a range to the device, or takes them back.
  Status Sync(uint64_t address, uint64_t bytes, bool to_device);

  std::string folder_;  // in /sys
  uint64_t bus_;
  bool coherent_;  // the port sees caches, so Sync has nothing to clean
  OpenFile file_;
  std::unique_ptr<MappedFile> map_;
};

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_UDMABUF_MEMORY_H_
