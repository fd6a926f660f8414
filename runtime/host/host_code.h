// SPDX-License-Identifier: Apache-2.0
//
// HostCode: loads a compiled object into this process and finds its kernels, without a compiler or
// a linker. Depends on base. Used by runtime/executor.
//
// An object is what a compiler emits as position-independent code. The loader loads code, read-only
// data (relocated or not), data and zeroed data, and write-protects code and read-only data before
// any code runs. The only symbols from outside are HostExternals (architecture.h): memcpy, memmove,
// memset and tessera_parallel, and on 32-bit Arm functions for missing instructions. The loader
// rejects a damaged object. It cannot tell an object made by an attacker: do not run such objects.
#ifndef TESSERA_RUNTIME_HOST_HOST_CODE_H_
#define TESSERA_RUNTIME_HOST_HOST_CODE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/error.h"
#include "runtime/host/mapping.h"

namespace tessera {

// A kernel takes the addresses of its buffers, in the order of its step.
using HostKernel = void (*)(void** buffers);

class HostCode {
 public:
  //   errors  kInvalidArgument  not a relocatable object of this width, or contradictory
  //           kUnsupported      another architecture, a relocation or section it does not handle, a
  //                             symbol from outside; the message names it
  //           kDataLoss         truncated
  //           kUnavailable      the system refuses memory
  static Result<HostCode> Load(std::span<const uint8_t> object);

  //   errors  kNotFound  no global function |symbol|
  Result<HostKernel> Find(const std::string& symbol) const;

 private:
  HostCode() = default;

  Mapping memory_;
  std::map<std::string, uint64_t> kernels_;  // offsets in memory_
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_HOST_CODE_H_
