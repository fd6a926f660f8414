// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
  if (step.before.stage.empty()) return {};

  // In the list of stages, which is the order of those at one loop.
  TESSERA_ASSIGN(const Stage* other, editor.FindCompute(step.before.stage));
  if (other == stage || other->attach != Attach::kAt || other->at_stage != step.consumer ||
      other->at_axis != step.axis) {
    return Fail(Code::kInvalidArgument,
                "{} is not computed at loop {} of {}, so {} cannot be before it", step.before.stage,
                step.axis, step.consumer, step.stage);
  }
  std::vector<Stage>& stages = editor.stages();
  const auto from = stages.begin() + (stage - stages.data());
  auto to = stages.begin() + (other - stages.data());
  for (auto at = to; at < from; ++at) {
    if (!from->Reads(at->name)) continue;
    if (!at->placeholder) {
      return Fail(Code::kInvalidArgument, "{} reads {}, which is not before {}", step.stage,
                  at->name, step.before.stage);
    }
    std::rotate(to, at, at + 1);  // an input goes along
    ++to;
  }
  if (to < from) std::rotate(to, from, from + 1);
  return {};
}

}  // namespace tessera::schedule
