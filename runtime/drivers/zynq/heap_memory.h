// SPDX-License-Identifier: Apache-2.0
//
// Device memory that is allocated when it is opened, where no u-dma-buf buffer is set aside: from
// zocl (the DRM driver of the vendor's images) or from a dma-heap of the kernel. Depends on:
// runtime/device/memory.h. Used by: zynq_device.
//
//   zocl      says the bus address of a buffer itself
//   dma-heap  never says it. With CAP_SYS_ADMIN /proc/self/pagemap does, page by page; the pages
//             must lie one behind the other, as those of a CMA heap do. Without, it is refused
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_HEAP_MEMORY_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_HEAP_MEMORY_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/memory.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

// The calls into the kernel that files cannot stand for; tests bring their own.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // As ioctl(2): -1 and errno when it fails.
  virtual int Control(int fd, unsigned long request, void* argument);
};

// |path| has no |bytes| to give; the reason is in errno.
inline std::unexpected<Error> NoMemoryLeft(const std::string& path, uint64_t bytes) {
  return Fail(Code::kUnavailable,
              "{}: no contiguous memory left for {} bytes ({}): ask for less with mib=, end what "
              "holds it, or boot with a larger cma=",
              path, bytes, SystemError());
}

// /dev/dri/renderD* of the driver zocl under |root|, or "".
std::string FindZocl(const std::string& root, Kernel& kernel);
// |bytes| from it. |kernel| outlives the memory.
//   errors  kNotFound     no zocl
//           kUnavailable  no permission; no contiguous memory left
Result<std::unique_ptr<MemoryPort>> OpenZocl(const std::string& root, uint64_t bytes,
                                             Kernel& kernel);

// The heap to allocate from under |root|: one of contiguous memory, or "".
std::string FindDmaHeap(const std::string& root);
//   errors  kNotFound     no dma-heap of contiguous memory
//           kUnavailable  no permission; no contiguous memory left; the bus address is not told
//           kUnsupported  the heap's pages do not lie one behind the other
Result<std::unique_ptr<MemoryPort>> OpenDmaHeap(const std::string& root, uint64_t bytes,
                                                Kernel& kernel);

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_HEAP_MEMORY_H_
