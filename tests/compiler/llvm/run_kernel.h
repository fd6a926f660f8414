// SPDX-License-Identifier: Apache-2.0
//
// Runs a compiled kernel for the tests of host code: in this process, or, for the processors of
// boards, in arm_runner under qemu-user where that and the cross compiler were found.
#ifndef TESSERA_TESTS_COMPILER_LLVM_RUN_KERNEL_H_
#define TESSERA_TESTS_COMPILER_LLVM_RUN_KERNEL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::test {

// The CPU levels that kernels can run at here: this machine's that the compiler knows, best first,
// and those of boards.
std::vector<std::string> TestedLevels();
// And those that differ from one of them in dot products alone.
std::vector<std::string> TestedDotLevels();

// Calls |symbol| of |object|, which was compiled for |level|, with the addresses of |buffers|, each
// aligned to 64 bytes.
//   errors  those of HostCode; kUnavailable the other process failed
Status RunKernel(const std::string& level, std::span<const uint8_t> object,
                 const std::string& symbol, std::span<std::vector<uint8_t>> buffers);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LLVM_RUN_KERNEL_H_
