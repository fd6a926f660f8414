// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const VectorizeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.RequireLoop(ir::LoopKind::kVector));
  LoopAxis& axis = stage->leaves[at];
  if (axis.reduce) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction: its iterations depend on each other; unroll it, or mark a loop "
                "over outputs",
                step.axis);
  }
  axis.kind = ir::LoopKind::kVector;
  return {};
}

}  // namespace tessera::schedule
