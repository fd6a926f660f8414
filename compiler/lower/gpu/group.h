// SPDX-License-Identifier: Apache-2.0
//
// The passes over one group of threads, between BuildLoops and Vectorize. A statement belongs to
// the whole group until it enters a thread loop. Private to compiler/lower/gpu.
#ifndef TESSERA_COMPILER_LOWER_GPU_GROUP_H_
#define TESSERA_COMPILER_LOWER_GPU_GROUP_H_

#include <set>
#include <string>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::lower {

// Makes |nest|, a statement of a function, the body of |kernel|. Its grid loops, which must be
// outermost and directly nested, become ids. Its thread loops keep their place and use ids as
// variables. Sets groups, threads, ids, warps. Errors: kInvalidArgument a misplaced loop, a buffer
// in a memory that its place does not allow, a warp's call without a whole warp; kUnsupported
// another tile intrinsic.
Status FindGeometry(const ir::Stmt& nest, GpuKernel* kernel);

// The ranges of every variable of the kernel.
ir::Ranges RangesOf(const GpuKernel& kernel);

// Buffers in a thread's own memory that are allocated around thread loops: each thread keeps only
// the elements that it accesses. Errors: kInvalidArgument several threads access an element.
Status Privatize(const std::set<std::string>& loose, GpuKernel* kernel);

// Inserts barriers where one thread accesses an element that another one writes. Errors:
// kInvalidArgument this happens inside one thread loop, or between groups.
Status InsertBarriers(const std::set<std::string>& loose, GpuKernel* kernel);

// Splits vector loops into vectors of the target's lanes, or half as many, with serial loops around
// them; if neither divides, the loop becomes serial. A condition, quotient or remainder that is
// equal in all lanes of a vector is computed from the first lane's indices, so that it has a vector
// form.
ir::Stmt FitVectors(const ir::Stmt& s, int64_t lanes, const ir::Ranges& ranges);

// Turns the group's code into that of one thread: thread loops become conditions, and thread 0 runs
// statements outside them. Shared buffers move from the body to GpuKernel::shared.
void ToThread(GpuKernel* kernel);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_GPU_GROUP_H_
