// SPDX-License-Identifier: Apache-2.0
//
// A device that runs kernels from source: a GPU behind its driver. Memory is by handles; launches
// run in order, and Read waits for those before it. Depends on base. Implemented in runtime/gpu,
// used by runtime/executor.
#ifndef TESSERA_RUNTIME_KERNEL_DEVICE_H_
#define TESSERA_RUNTIME_KERNEL_DEVICE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace tessera {

class KernelDevice {
 public:
  // A byte of a piece of memory.
  struct MemoryPlace {
    uint64_t memory = 0;
    uint64_t offset = 0;
  };

  virtual ~KernelDevice() = default;
  virtual const std::string& name() const = 0;  // "PoCL, pthread-Intel(R) Xeon(R)"
  virtual uint64_t memory_bytes() const = 0;    // all that it has

  // Compiles kernels, once: names are looked up in what was built.
  //   errors  kInvalidArgument  the driver's first line of complaint, and nothing is built;
  //                             something was built before
  virtual Status Build(const std::string& source) = 0;
  // Memory until the device is closed. errors: kUnavailable the driver has none left
  virtual Result<uint64_t> Allocate(uint64_t bytes) = 0;
  virtual Status Write(MemoryPlace to, std::span<const uint8_t> bytes) = 0;
  virtual Status Read(MemoryPlace from, std::span<uint8_t> bytes) = 0;
  // |groups| of |threads| of a kernel that was built, with the first byte of each of its buffers.
  //   errors  kNotFound  no such kernel; kUnavailable the driver refuses
  virtual Status Launch(const std::string& kernel, const std::array<uint32_t, 3>& groups,
                        const std::array<uint32_t, 3>& threads,
                        std::span<const MemoryPlace> buffers) = 0;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_KERNEL_DEVICE_H_
