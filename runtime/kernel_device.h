// SPDX-License-Identifier: Apache-2.0
//
// KernelDevice: a device that runs kernels from source, that is, a GPU behind its driver. Handles
// name memory; launches run in order, and Read waits for those before it. Depends on base.
// Implemented in runtime/gpu, used by runtime/executor.
#ifndef TESSERA_RUNTIME_KERNEL_DEVICE_H_
#define TESSERA_RUNTIME_KERNEL_DEVICE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"

namespace tessera {

class KernelDevice {
 public:
  // One byte in a piece of memory.
  struct MemoryPlace {
    uint64_t memory = 0;
    uint64_t offset = 0;
  };

  virtual ~KernelDevice() = default;
  virtual const std::string& name() const = 0;  // "PoCL, pthread-Intel(R) Xeon(R)"
  virtual uint64_t memory_bytes() const = 0;    // of the whole device

  // Compiles kernels; allowed once. Launch looks names up in the result.
  //   errors  kInvalidArgument  the driver rejects the source (its first line of complaint), and
  //                             nothing is built; or an earlier call built something
  virtual Status Build(const std::string& source) = 0;
  // Allocates memory until the device closes. errors: kUnavailable the driver has none left
  virtual Result<uint64_t> Allocate(uint64_t bytes) = 0;
  virtual Status Write(MemoryPlace to, std::span<const uint8_t> bytes) = 0;
  virtual Status Read(MemoryPlace from, std::span<uint8_t> bytes) = 0;
  // Runs |groups| groups of |threads| threads of a built kernel, with the first byte of each of its
  // buffers.
  //   errors  kNotFound  no such kernel; kUnavailable the driver fails
  virtual Status Launch(const std::string& kernel, const std::array<uint32_t, 3>& groups,
                        const std::array<uint32_t, 3>& threads,
                        std::span<const MemoryPlace> buffers) = 0;
  // Calls |launches|, which calls Launch, waits for the kernels, and returns the nanoseconds from
  // the start of the first to the end of the last one, at least 1, by the device's clock.
  //   errors  those of |launches|; kInvalidArgument it launches nothing; kUnavailable the driver
  //           fails
  virtual Result<uint64_t> Timed(const std::function<Status()>& launches) = 0;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_KERNEL_DEVICE_H_
