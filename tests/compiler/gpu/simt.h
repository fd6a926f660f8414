// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels as a GPU may: every thread of a group has its own stack and runs in any order
// between barriers. A kernel that depends on that order, because a barrier is missing, gives
// another result.
#ifndef TESSERA_TESTS_COMPILER_GPU_SIMT_H_
#define TESSERA_TESTS_COMPILER_GPU_SIMT_H_

#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "compiler/ir/array.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::test {

enum class ThreadOrder : uint8_t { kForward, kBackward, kRandom };

// |args|: one array for each parameter of |func|. Shared memory and temporaries begin with junk.
//   errors  kInvalidArgument  threads of a group are not all at one barrier
//           and the interpreter's
Status RunKernels(const lower::KernelFunc& func, const std::vector<ir::Array*>& args,
                  ThreadOrder order, Rng& rng);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_SIMT_H_
