// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const SplitStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_ASSIGN(const int64_t factor, editor.Value(step.factor));
  if (step.outer != step.axis) TESSERA_TRY(editor.NewAxisName(*stage, step.outer));
  if (step.inner != step.axis) TESSERA_TRY(editor.NewAxisName(*stage, step.inner));
  if (step.outer == step.inner)
    return Fail(Code::kInvalidArgument, "both parts are called '{}'", step.outer);
  const LoopAxis parent = stage->leaves[at];
  LoopAxis outer = parent, inner = parent;
  outer.name = step.outer;
  outer.var = ir::Var(step.outer);
  inner.name = step.inner;
  inner.var = ir::Var(step.inner);
  stage->relations.push_back(
      {true, parent.var, outer.var, inner.var, factor, step.tail == Tail::kPad});
  stage->leaves[at] = inner;
  stage->leaves.insert(stage->leaves.begin() + at, outer);
  return {};
}

}  // namespace tessera::schedule
