// SPDX-License-Identifier: Apache-2.0
//
// The check that no two iterations of a parallel loop store to one element. Private to
// compiler/lower. Used by: build.cc.
//
// The iterations of a stage's own nest store to different elements in any loop, and producers
// inside the loop have their buffers there. A stage that follows the loop (Attach::kAfter) is
// computed on a box, which may contain elements of another iteration: indices of its buffer must
// determine the iteration.
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
