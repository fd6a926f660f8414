// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {
Status Apply(const ReverseComputeAtStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * consumer, editor.EditCompute(step.consumer));
  TESSERA_ASSIGN(const Stage* stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  if (stage->attach == Attach::kAfter) {
    return Fail(Code::kInvalidArgument, "{} follows the loops of {}; attach {} there too",
                step.stage, stage->at_stage, step.consumer);
  }
  TESSERA_TRY(editor.RequireNotInside(*stage, *consumer));
  TESSERA_TRY(editor.RequireNoFollower(*consumer));
  if (!consumer->reduce_axes.empty()) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction, which needs more of {} than what is complete in a loop of it",
                step.consumer, step.stage);
  }
  if (editor.schedule().AxesThrough(*consumer, *stage).empty()) {
    return Fail(Code::kInvalidArgument,
                "{} does not read {} element by element, so it cannot follow its loops",
                step.consumer, step.stage);
  }
  if (consumer->attach != stage->attach || consumer->at_stage != stage->at_stage ||
      consumer->at_axis != stage->at_axis) {
    return Fail(Code::kInvalidArgument,
                "{} and {} are not computed in one place; compute_at both at one loop, or none",
                step.consumer, step.stage);
  }
  consumer->attach = Attach::kAfter;
  consumer->at_stage = step.stage;
  consumer->at_axis = step.axis;

  // The other stages that the consumer reads must be complete before |stage| begins: they move in
  // front of it.
  StageList& stages = editor.stages();
  const size_t place = stages.IndexOf(*stage), last = stages.IndexOf(*consumer);
  std::set<std::string> behind{step.stage};    // stages that need |stage|
  std::set<std::string> complete{step.stage};  // those complete at the end of the loop
  const auto reads_one = [&](const Stage& s, const std::set<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& name) { return s.Reads(name); });
  };
  const int loop = stage->LeafIndex(step.axis);
  for (size_t at = place + 1; at < last; ++at) {
    const Stage& between = stages[at];
    if (!reads_one(between, behind)) continue;
    behind.insert(between.name);
    const bool follows = between.attach == Attach::kAfter && between.at_stage == step.stage;
    if (follows && stage->LeafIndex(between.at_axis) >= loop) complete.insert(between.name);
  }
  stages.Partition(place, last, [&](const Stage& s) { return !behind.contains(s.name); });
  for (const std::string& name : complete) behind.erase(name);
  if (reads_one(*consumer, behind)) {
    return Fail(Code::kInvalidArgument,
                "{} also reads what needs all of {}, so it cannot run before {} is complete",
                step.consumer, step.stage, step.stage);
  }
  return {};
}

}  // namespace tessera::schedule
