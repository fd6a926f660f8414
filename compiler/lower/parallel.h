// SPDX-License-Identifier: Apache-2.0
//
// The check that no two iterations of a parallel loop store to one element. Private to
// compiler/lower. Used by: build.cc.
//
// The iterations of a stage's own nest store to different elements, whatever the loop; what is
// computed in front of what the loop holds has its buffer inside. What follows the loop
// (Attach::kAfter) is computed on a box, which may take in elements of another iteration: indices
// of such buffers have to tell the iterations apart.
#ifndef TESSERA_COMPILER_LOWER_PARALLEL_H_
#define TESSERA_COMPILER_LOWER_PARALLEL_H_

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

//   errors  kInvalidArgument  names the loop, the buffer, and a way out
Status CheckParallel(const schedule::Schedule& schedule, const ir::Func& func);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_PARALLEL_H_
