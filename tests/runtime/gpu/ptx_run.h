// SPDX-License-Identifier: Apache-2.0
//
// Runs parsed PTX, one group after the other. Each thread of a group runs until it waits at a
// barrier or for the others of its warp. For tests.
#ifndef TESSERA_TESTS_RUNTIME_GPU_PTX_RUN_H_
#define TESSERA_TESTS_RUNTIME_GPU_PTX_RUN_H_

#include <functional>
#include <span>

#include "tests/runtime/gpu/ptx.h"

namespace tessera::test {

// The bytes at a global address, or nothing if [address, address + bytes) is not inside one
// allocation.
using GlobalMemory = std::function<uint8_t*(uint64_t address, uint64_t bytes)>;

// |args|: one number a parameter.
//   errors  kOutOfRange       an access outside of memory
//           kInvalidArgument  one that is not aligned
//           kDataLoss         threads that do not meet; kTimeout more than 2^36 instructions
Status RunPtx(const PtxKernel& kernel, const std::array<uint32_t, 3>& groups,
              std::span<const uint64_t> args, const GlobalMemory& global);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_RUNTIME_GPU_PTX_RUN_H_
