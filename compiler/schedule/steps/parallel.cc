// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

// Iterations of a loop over outputs store to different elements, so that their order does not
// matter; what stages behind the loop store is checked when loops are built (lower/parallel.h).
Status Apply(const ParallelStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.RequireLoop(ir::LoopKind::kParallel));
  LoopAxis& axis = stage->leaves[at];
  if (axis.reduce) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction: its iterations add to one element; rfactor makes a stage of "
                "partial results, or mark a loop over outputs",
                step.axis);
  }
  axis.kind = ir::LoopKind::kParallel;
  return {};
}

}  // namespace tessera::schedule
