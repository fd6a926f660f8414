// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const BindStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.RequireLoop(step.kind));
  LoopAxis& axis = stage->leaves[at];
  if (axis.reduce) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction: its iterations add to one element; bind a loop over outputs",
                step.axis);
  }
  for (const LoopAxis& other : stage->leaves) {
    if (other.kind != step.kind || other.name == step.axis) continue;
    return Fail(Code::kInvalidArgument,
                "loop {} of {} is {} already; fuse the two, or bind to another", other.name,
                step.stage, ir::LoopKindName(step.kind));
  }
  return Editor::SetKind(*stage, step.kind, &axis);
}

}  // namespace tessera::schedule
