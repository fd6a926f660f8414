// SPDX-License-Identifier: Apache-2.0
//
// Device memory that the driver allocates when it opens, if no u-dma-buf buffer exists: from zocl
// (the DRM driver of the vendor's images) or from a dma-heap of the kernel. Depends on:
// runtime/device/memory.h. Used by: zynq_device.
//
//   zocl      gives the bus address of a buffer
//   dma-heap  gives no bus address. With CAP_SYS_ADMIN /proc/self/pagemap gives that of each page;
//             the pages must be contiguous, as those of a CMA heap are. Without it, an error
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_HEAP_MEMORY_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_HEAP_MEMORY_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/memory.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

// The calls into the kernel for which files cannot stand in; tests have their own.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // As ioctl(2): -1 and errno on failure.
  virtual int Control(int fd, unsigned long request, void* argument);
};

// An error: |path| cannot give |bytes|; the reason is in errno.
inline std::unexpected<Error> NoMemoryLeft(const std::string& path, uint64_t bytes) {
  return Fail(Code::kUnavailable,
              "{}: no contiguous memory left for {} bytes ({}): ask for less with mib=, end what "
              "holds it, or boot with a larger cma=",
              path, bytes, SystemError());
}

// The path /dev/dri/renderD* of the driver zocl under |root|, or "".
std::string FindZocl(const std::string& root, Kernel& kernel);
// |bytes| bytes from zocl. |kernel| must outlive the memory.
//   errors  kNotFound     no zocl
//           kUnavailable  no permission; no contiguous memory left
Result<std::unique_ptr<MemoryPort>> OpenZocl(const std::string& root, uint64_t bytes,
                                             Kernel& kernel);

// A heap of contiguous memory under |root|, or "".
std::string FindDmaHeap(const std::string& root);
//   errors  kNotFound     no dma-heap of contiguous memory
//           kUnavailable  no permission; no contiguous memory left; no bus address
//           kUnsupported  the pages of the heap are not contiguous
Result<std::unique_ptr<MemoryPort>> OpenDmaHeap(const std::string& root, uint64_t bytes,
                                                Kernel& kernel);

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_HEAP_MEMORY_H_
