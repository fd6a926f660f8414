// SPDX-License-Identifier: Apache-2.0
//
// Buffers of the kernel's dma-heaps (linux/dma-heap.h, linux/dma-buf.h).
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/drivers/zynq/heap_memory.h"

namespace tessera::zynq {
namespace {

class DmaHeapMemory : public MemoryPort {
 public:
  DmaHeapMemory(std::string path, OpenFile buffer, std::unique_ptr<MappedFile> map, Kernel& kernel)
      : path_(std::move(path)), buffer_(std::move(buffer)), map_(std::move(map)), kernel_(kernel) {}

  Status FindAddress(const std::string& root);

  uint64_t size() const override { return map_->size(); }
  uint64_t bus_address() const override { return bus_; }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return {};
    TESSERA_TRY(Sync(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE));
    std::memcpy(map_->data() + address, bytes.data(), bytes.size());
    return Sync(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return {};
    TESSERA_TRY(Sync(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
    std::memcpy(bytes.data(), map_->data() + address, bytes.size());
    return Sync(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
  }

 private:
  Status Sync(uint64_t flags) {
    dma_buf_sync sync{flags};
    while (kernel_.Control(buffer_.fd(), DMA_BUF_IOCTL_SYNC, &sync) != 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return Fail(Code::kUnavailable, "{}: caches of a buffer cannot be synchronised: {}", path_,
                  SystemError());
    }
    return {};
  }

  std::string path_;
  OpenFile buffer_;
  std::unique_ptr<MappedFile> map_;
  Kernel& kernel_;
  uint64_t bus_ = 0;
};

// An entry of pagemap: the page's number is in the low 55 bits; they are 0 without CAP_SYS_ADMIN.
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr uint64_t kNumberMask = (uint64_t{1} << 55) - 1;

Status DmaHeapMemory::FindAddress(const std::string& root) {
  const std::string path = root + "/proc/self/pagemap";
  const OpenFile pagemap(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(map_->data());
  uint64_t first = 0;
  for (uint64_t at = 0; at < size(); at += page) {
    static_cast<void>(*const_cast<volatile uint8_t*>(map_->data() + at));  // maps the page
    uint64_t entry = 0;
    const bool told = pagemap.fd() >= 0 &&
                      pread(pagemap.fd(), &entry, sizeof entry,
                            static_cast<off_t>((begin + at) / page * 8)) == sizeof entry &&
                      (entry & kPresent) != 0 && (entry & kNumberMask) != 0;
    if (!told) {
      return Fail(
          Code::kUnavailable,
          "{}: a dma-heap does not tell the bus address of its buffers, and {} tells it only "
          "to root: run as root, or use u-dma-buf or zocl",
          path_, path);
    }
    const uint64_t address = (entry & kNumberMask) * page;
    if (at == 0) first = address;
    if (address == first + at) continue;
    return Fail(
        Code::kUnsupported,
        "{}: the pages of its buffer do not lie one behind the other ({:#x} behind {:#x} at "
        "byte {}), which the machine needs: use a heap of contiguous memory (CMA), u-dma-buf "
        "or zocl",
        path_, address, first, at);
  }
  bus_ = first;
  return {};
}

}  // namespace

std::string FindDmaHeap(const std::string& root) {
  // Kernels name heaps of contiguous memory "reserved", "linux,cma", or like the CMA regions of the
  // device tree. "system" is not contiguous.
  for (const std::string& name : NamesIn(root + "/dev/dma_heap")) {
    if (name != "system" && name != "system-uncached") return root + "/dev/dma_heap/" + name;
  }
  return "";
}

Result<std::unique_ptr<MemoryPort>> OpenDmaHeap(const std::string& root, uint64_t bytes,
                                                Kernel& kernel) {
  const std::string path = FindDmaHeap(root);
  if (path.empty()) {
    return Fail(Code::kNotFound,
                "{}/dev/dma_heap: no heap of contiguous memory: enable CONFIG_DMABUF_HEAPS_CMA and "
                "boot with cma=128M, or choose another memory=",
                root);
  }
  TESSERA_ASSIGN(const OpenFile heap, OpenFile::Open(path));
  dma_heap_allocation_data request = {};
  request.len = bytes;
  request.fd_flags = O_RDWR | O_CLOEXEC;
  if (kernel.Control(heap.fd(), DMA_HEAP_IOCTL_ALLOC, &request) != 0) {
    return NoMemoryLeft(path, bytes);
  }
  OpenFile buffer(static_cast<int>(request.fd));
  TESSERA_ASSIGN(auto map, MappedFile::Map(buffer, path, 0, bytes));
  auto memory = std::make_unique<DmaHeapMemory>(path, std::move(buffer), std::move(map), kernel);
  TESSERA_TRY(memory->FindAddress(root));
  return memory;
}

}  // namespace tessera::zynq
