// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const ComputeAtStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const Stage* consumer, editor.FindCompute(step.consumer));
  TESSERA_TRY(editor.FindLeaf(*consumer, step.axis));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output and must be complete; attach its producers to it", step.stage);
  }
  if (stage == consumer)
    return Fail(Code::kInvalidArgument, "{} cannot be computed inside itself", step.stage);
  TESSERA_TRY(editor.RequireNotInside(*consumer, *stage));
  TESSERA_TRY(editor.RequireNoFollower(*stage));
  TESSERA_TRY(editor.RequireReadersInside(*stage, step.consumer));
  stage->attach = Attach::kAt;
  stage->at_stage = step.consumer;
  stage->at_axis = step.axis;
  return {};
}

}  // namespace tessera::schedule
