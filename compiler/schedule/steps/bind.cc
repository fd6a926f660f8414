// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const BindStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
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
  // An output at the root runs all its iterations. A stage attached to a loop runs fewer; the
  // lowering counts those.
  const target::Target& target = editor.schedule().target();
  const int64_t most = target.MostOf(step.kind);
  const int64_t iterations = stage->Iterations(stage->shape).at(axis.var.get());
  if (stage->output && stage->attach == Attach::kRoot && iterations > most) {
    return Fail(Code::kOutOfRange,
                "loop {} of {} has {} iterations, and {} takes {} of {} at most; split it, and "
                "bind a part of it",
                step.axis, step.stage, iterations, target.name, most, ir::LoopKindName(step.kind));
  }
  return Editor::SetKind(*stage, step.kind, &axis);
}

}  // namespace tessera::schedule
