// SPDX-License-Identifier: Apache-2.0
//
// The passes over one group of threads, between BuildLoops and Vectorize. Statements are at the
// level of the group until they enter a thread loop. Private to compiler/lower/gpu.
#ifndef TESSERA_COMPILER_LOWER_GPU_GROUP_H_
#define TESSERA_COMPILER_LOWER_GPU_GROUP_H_

#include <set>
#include <string>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::lower {

// Makes |nest|, a statement of a function, the body of |kernel|: its grid loops, outermost and one
// in the other, become ids, its thread loops keep their place with ids for variables. Sets groups,
// threads, ids, warps. Errors: kInvalidArgument a loop in a wrong place, a buffer in a memory that
// is not for its place, a warp's call where no whole warp is; kUnsupported another tile intrinsic.
Status FindGeometry(const ir::Stmt& nest, GpuKernel* kernel);

// The ranges of every variable of the kernel.
ir::Ranges RangesOf(const GpuKernel& kernel);

// Buffers in a thread's own memory that are allocated around thread loops: each thread keeps the
// elements that it alone touches. Errors: kInvalidArgument an element is not one thread's.
Status Privatize(const std::set<std::string>& loose, GpuKernel* kernel);

// Puts barriers where an element goes from one thread to another. Errors: kInvalidArgument it goes
// inside one thread loop, or from group to group.
Status InsertBarriers(const std::set<std::string>& loose, GpuKernel* kernel);

// Vector loops of as many iterations as the target has lanes, or half as many, in loops around
// them; those that neither divides are serial. Where a condition, a quotient or a remainder has the
// same answer in all lanes of a vector, it is of the first one's indices, so that it has a vector
// form.
ir::Stmt FitVectors(const ir::Stmt& s, int64_t lanes, const ir::Ranges& ranges);

// From the group to one thread: thread loops become conditions; what has none is done by thread 0.
// Shared buffers move from the body to GpuKernel::shared.
void ToThread(GpuKernel* kernel);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_GPU_GROUP_H_
