// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels as a machine may: every thread of a group on a stack of its own, in any order
// between barriers. What depends on that order, a barrier that is missing, gives another result.
#ifndef TESSERA_TESTS_COMPILER_GPU_SIMT_H_
#define TESSERA_TESTS_COMPILER_GPU_SIMT_H_

#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "compiler/ir/array.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::test {

enum class ThreadOrder : uint8_t { kForward, kBackward, kRandom };

// |args|: one array a parameter of |func|. Shared memory and temporaries begin with junk.
//   errors  kInvalidArgument  threads of a group are not all at one barrier
//           and the interpreter's
Status RunKernels(const lower::KernelFunc& func, const std::vector<ir::Array*>& args,
                  ThreadOrder order, Rng& rng);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_SIMT_H_
