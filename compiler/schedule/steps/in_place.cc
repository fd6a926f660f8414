// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const InPlaceStep& step, Editor& editor) {
  TESSERA_TRY(editor.FindCompute(step.stage));
  TESSERA_ASSIGN(Stage * consumer, editor.EditCompute(step.consumer));
  if (!consumer->in_place_of.empty()) {
    return Fail(Code::kInvalidArgument, "{} is in place of {} already", step.consumer,
                consumer->in_place_of);
  }
  consumer->in_place_of = step.stage;
  return {};
}

// Checked after every step: no step may break what an earlier step set.
Status Schedule::CheckInPlace(const Stage& stage) const {
  if (stage.in_place_of.empty()) return {};
  const Stage* source = Find(stage.in_place_of);
  const auto no = [&](const std::string& why) -> Status {
    return Fail(Code::kInvalidArgument, "{} cannot be in place of {}: {}", stage.name,
                stage.in_place_of, why);
  };
  if (source->attach == Attach::kInline) return no("that was inlined");
  for (const Stage* reader : Consumers(source->name)) {
    if (reader != &stage) return no(fmt::format("{} reads that too", reader->name));
  }
  const std::vector<size_t> axes = stage.AxesOfReads(source->name);
  bool same = axes.size() == stage.axes.size() && !axes.empty() && stage.reduce_axes.empty();
  for (size_t d = 0; d < axes.size(); ++d) same = same && axes[d] == d;
  if (!same) return no("it does not read that element by element, each at its own place");
  if (source->output) return no("that is an output and must stay");
  if (stage.dtype != source->dtype || stage.shape != source->shape)
    return no("they differ in type or shape");
  if (stage.scope != source->scope || stage.layout != source->layout)
    return no("they differ in scope or layout; set_scope and layout make them equal");
  if (!stage.alignments.empty() || !source->alignments.empty())
    return no("a buffer with storage_align is one stage's own");
  const bool follows = stage.attach == Attach::kAfter && stage.at_stage == source->name;
  const bool beside = stage.attach == source->attach && stage.at_stage == source->at_stage &&
                      stage.at_axis == source->at_axis;
  // The source is computed at the loop that the stage follows, and the stage's readers follow that
  // loop too.
  const bool for_followers = stage.attach == Attach::kAfter && source->attach == Attach::kAt &&
                             stage.at_stage == source->at_stage &&
                             stage.at_axis == source->at_axis && IsForFollowers(stage);
  if (!follows && !beside && !for_followers) {
    return no(
        "they are not computed in one place; compute_at both at one loop, or reverse_compute_at "
        "behind what it replaces");
  }
  if (stage.output && source->attach != Attach::kRoot)
    return no("an output has its own memory all along; compute the other at the root");
  return {};
}

}  // namespace tessera::schedule
