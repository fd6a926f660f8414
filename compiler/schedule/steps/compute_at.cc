// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

namespace {

// Computes all of |stage| at the root of the function.
Status AttachToRoot(Stage* stage, Editor& editor) {
  TESSERA_TRY(editor.RequireNoFollower(*stage));
  if (stage->double_buffer) {
    return Fail(Code::kInvalidArgument,
                "{} is filled ahead, by double_buffer; at the root it is computed once",
                stage->name);
  }
  stage->attach = Attach::kRoot;
  stage->at_stage = stage->at_axis = "";
  return {};
}

}  // namespace

Status Apply(const ComputeAtStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  LoopPlace place = step.place;
  if (!step.before.stage.empty() && place.stage.empty()) {
    return Fail(Code::kInvalidArgument,
                "'before {}' orders what is computed at one loop, which has to be named",
                step.before.stage);
  }
  if (!place.decision.empty()) {
    TESSERA_ASSIGN(const std::vector<std::string> words,
                   editor.Words(place.decision, DomainKind::kPlaces));
    if (words.size() == 2)
      place = {words[0], words[1], ""};
    else
      place = {};
  }
  if (place.stage.empty()) return AttachToRoot(stage, editor);
  if (place.axis.starts_with('$')) {
    TESSERA_ASSIGN(const std::vector<std::string> order,
                   editor.Words(place.axis.substr(1), DomainKind::kOrders));
    place.axis = order.back();
  }
  TESSERA_ASSIGN(const Stage* consumer, editor.FindCompute(place.stage));
  TESSERA_TRY(editor.FindLeaf(*consumer, place.axis));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output and must be complete; attach its producers to it", step.stage);
  }
  if (stage == consumer)
    return Fail(Code::kInvalidArgument, "{} cannot be computed inside itself", step.stage);
  TESSERA_TRY(editor.RequireNotInside(*consumer, *stage));
  TESSERA_TRY(editor.RequireNoFollower(*stage));
  TESSERA_TRY(editor.RequireReadersInside(*stage, place.stage));
  stage->attach = Attach::kAt;
  stage->at_stage = place.stage;
  stage->at_axis = place.axis;
  if (step.before.stage.empty()) return {};

  // Stages at one loop run in the order of the list of stages.
  TESSERA_ASSIGN(const Stage* other, editor.FindCompute(step.before.stage));
  if (other == stage || other->attach != Attach::kAt || other->at_stage != place.stage ||
      other->at_axis != place.axis) {
    return Fail(Code::kInvalidArgument,
                "{} is not computed at loop {} of {}, so {} cannot be before it", step.before.stage,
                place.axis, place.stage, step.stage);
  }
  StageList& stages = editor.stages();
  const size_t from = stages.IndexOf(*stage), to = stages.IndexOf(*other);
  if (from <= to) return {};
  // The inputs and prepared stages that the moved stage needs move with it.
  std::set<std::string> along{stage->name};
  for (size_t at = from; at-- != to;) {
    const Stage& read = stages[at];
    bool needed = false;
    for (size_t k = at + 1; k <= from; ++k)
      needed = needed || (along.contains(stages[k].name) && stages[k].Reads(read.name));
    if (!needed) continue;
    if (!read.placeholder && !read.prepared) {
      return Fail(Code::kInvalidArgument, "{} reads {}, which is not before {}", step.stage,
                  read.name, step.before.stage);
    }
    along.insert(read.name);
  }
  stages.Partition(to, from + 1, [&](const Stage& s) { return along.contains(s.name); });
  return {};
}

// Checked after every step: no step may break what an earlier step set.
Status Schedule::CheckAttached(const Stage& stage) const {
  const bool changed = std::ranges::any_of(
      stages_.changed(), [&](const Stage* s) { return s == &stage || s->name == stage.at_stage; });
  if (!changed) return {};
  const Stage* outer = OuterOf(stage);
  if (outer == nullptr ||
      (outer->attach != Attach::kInline && outer->LeafIndex(stage.at_axis) >= 0))
    return {};
  return Fail(Code::kInvalidArgument,
              "{} is computed at loop {} of {}, which would be gone; put this step in front of the "
              "one that attaches {}",
              stage.name, stage.at_axis, stage.at_stage, stage.name);
}

}  // namespace tessera::schedule
