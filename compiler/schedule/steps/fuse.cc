// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const FuseStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const int outer, editor.FindLeaf(*stage, step.outer));
  TESSERA_ASSIGN(const int inner, editor.FindLeaf(*stage, step.inner));
  if (inner != outer + 1) {
    return Fail(Code::kInvalidArgument,
                "loops {} and {} are not neighbours in this order ({}); reorder first", step.outer,
                step.inner, AxisList(*stage));
  }
  if (stage->leaves[outer].reduce != stage->leaves[inner].reduce) {
    return Fail(Code::kInvalidArgument,
                "{} and {}: a reduction loop does not fuse with another kind", step.outer,
                step.inner);
  }
  TESSERA_TRY(editor.RequirePlainLoop(*stage, outer));
  TESSERA_TRY(editor.RequirePlainLoop(*stage, inner));
  if (step.fused != step.outer && step.fused != step.inner)
    TESSERA_TRY(editor.NewAxisName(*stage, step.fused));
  LoopAxis fused = stage->leaves[outer];
  fused.name = step.fused;
  fused.var = ir::Var(step.fused);
  stage->relations.push_back(
      {false, fused.var, stage->leaves[outer].var, stage->leaves[inner].var, 0, false});
  stage->leaves[outer] = fused;
  stage->leaves.erase(stage->leaves.begin() + inner);
  return {};
}

}  // namespace tessera::schedule
