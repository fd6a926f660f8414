// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const VthreadStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.RequireLoop(ir::LoopKind::kVthread));
  LoopAxis& axis = stage->leaves[at];
  if (axis.reduce) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction: its iterations add to one element, and wait for each other; "
                "make threads of a loop over outputs",
                step.axis);
  }
  axis.kind = ir::LoopKind::kVthread;
  return {};
}

}  // namespace tessera::schedule
