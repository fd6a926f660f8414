// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const PrepareStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  stage->prepared = true;
  return {};
}

// Checked after every step: no step may break what an earlier step set.
Status Schedule::CheckPrepared(const Stage& stage) const {
  if (!stage.prepared) return {};
  const auto changed = [&](const Stage& s) {
    return std::ranges::find(stages_.changed(), &s) != stages_.changed().end();
  };
  const bool all = changed(stage);  // else only what the step changed can break it
  const auto no = [&](const std::string& why) -> Status {
    return Fail(Code::kInvalidArgument, "{} cannot be prepared: {}", stage.name, why);
  };
  if (stage.output) return no("it is an output");
  if (stage.attach != Attach::kRoot) return no("it is computed in the loops of another stage");
  if (stage.scope != ir::Scope::kGlobal)
    return no(
        fmt::format("it is in {}, which is no memory of the caller's", ir::ScopeName(stage.scope)));
  if (!stage.alignments.empty()) return no("storage_align is for memory of the function's own");
  if (!stage.in_place_of.empty()) return no("it is in place of another stage");
  for (const ir::Expr& condition : stage.conditions) {
    // A split's condition uses the split's outer loop. The definition has no such loop and sums
    // every element once without the condition.
    const auto asked = [&](const Relation& r) { return ir::UsesVar(condition, r.outer); };
    if (std::ranges::none_of(stage.relations, asked))
      return no("align sums under a condition, which its definition lacks");
  }
  for (const Stage& source : stages_) {
    if (!all && !changed(source)) continue;
    if (source.in_place_of == stage.name)
      return no(fmt::format("{} is in place of it", source.name));
    if (source.placeholder || source.prepared || !stage.Reads(source.name)) continue;
    return no(fmt::format("it reads {}, which the function computes", source.name));
  }
  for (const Stage& other : stages_) {
    if (!all && !changed(other)) continue;
    const bool inside = other.attach == Attach::kAt || other.attach == Attach::kAfter;
    if (inside && other.at_stage == stage.name)
      return no(fmt::format("{} is computed in its loops", other.name));
  }
  return {};
}

}  // namespace tessera::schedule
