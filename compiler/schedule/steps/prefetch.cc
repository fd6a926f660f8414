// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

// lower/prefetch.h finds the lines to request when the boxes are known.
Status Apply(const PrefetchStep& step, Editor& editor) {
  TESSERA_TRY(editor.FindStage(step.tensor));
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  TESSERA_ASSIGN(const int64_t distance, editor.Value(step.distance, 0));
  const target::Target& target = editor.schedule().target();
  if (target.line_bytes == 0) {
    const bool rotates = std::ranges::any_of(target.memories, &target::TargetMemory::rotates);
    return Fail(
        Code::kUnsupported,
        "{} has no cache that a program fills ahead; cache_read makes a copy, and {}threads "
        "hide what it takes",
        target.name, rotates ? "double_buffer or " : "");
  }
  if (!step.of.stage.empty()) {
    TESSERA_ASSIGN(Stage * outer, editor.EditCompute(step.of.stage));
    TESSERA_TRY(editor.FindLeaf(*outer, step.of.axis));
  }
  if (distance == 0) return {};
  stage->prefetches.push_back({step.tensor, step.axis, distance, step.of});
  return {};
}

const LoopAxis& Schedule::LoopOf(const Stage& stage, const Lookahead& ahead) const {
  const Stage& of = ahead.of.stage.empty() ? stage : *Find(ahead.of.stage);
  const std::string& axis = ahead.of.stage.empty() ? ahead.axis : ahead.of.axis;
  return of.leaves[static_cast<size_t>(of.LeafIndex(axis))];
}

bool Schedule::ReadsMove(const Stage& stage, const Lookahead& ahead) const {
  const Stage& owner = ahead.of.stage.empty() ? stage : *Find(ahead.of.stage);
  const LoopAxis& loop = LoopOf(stage, ahead);
  ir::VarSet moving{loop.var.get()};  // variables of loops and axes
  bool found = false;
  for (const Stage& s : stages_ | std::views::reverse) {  // readers first
    if (!IsInside(s, owner, loop.name)) continue;
    for (const auto& [axis, value] : s.AxesOfLeaves(s.Iterations(s.shape))) {
      if (ir::UsesVar(value, moving)) moving.insert(axis);
    }
    // A stage may follow loops that come later in the list; all its axes count as moving.
    for (const ir::Axis& axis : s.axes) {
      if (s.attach == Attach::kAfter) moving.insert(axis.var.get());
    }
    for (const ir::ExprNode* at : s.body.reads()) {
      const Stage& read = *Find(at->tensor->name);
      for (size_t d = 0; d < at->args.size(); ++d) {
        if (!ir::UsesVar(at->args[d], moving)) continue;
        found |= read.name == ahead.tensor && IsInside(s, stage, ahead.axis);
        if (!read.placeholder) moving.insert(read.axes[d].var.get());
      }
    }
  }
  return found;
}

// Checked after every step: no step may break what an earlier step set.
Status Schedule::CheckPrefetches(const Stage& stage) const {
  for (const Lookahead& ahead : stage.prefetches) {
    const auto no = [&](const std::string& why) -> Status {
      return Fail(Code::kInvalidArgument, "{} cannot be prefetched in loop {} of {}: {}",
                  ahead.tensor, ahead.axis, stage.name, why);
    };
    const int at = stage.LeafIndex(ahead.axis);
    if (stage.prepared) return no("the caller computes that stage");
    if (stage.attach == Attach::kInline || at < 0) return no("that loop is no longer there");
    if (!ahead.of.stage.empty()) {
      const Stage* outer = Find(ahead.of.stage);
      const int around = outer->LeafIndex(ahead.of.axis);
      if (around < 0 || !IsInside(stage, *outer, ahead.of.axis) || (outer == &stage && around > at))
        return no(fmt::format("loop {} of {} is not around it", ahead.of.axis, ahead.of.stage));
    }
    const Stage& tensor = *Find(ahead.tensor);
    if (tensor.attach == Attach::kInline) return no("it was inlined");
    if (tensor.scope != ir::Scope::kGlobal)
      return no(fmt::format("it is in {}, not in global memory", ir::ScopeName(tensor.scope)));
    if (&tensor == &stage || IsInside(tensor, stage, ahead.axis))
      return no("it is computed there; choose a loop further in, or what it reads");
    const bool read = std::ranges::any_of(Consumers(tensor.name), [&](const Stage* reader) {
      return IsInside(*reader, stage, ahead.axis);
    });
    if (!read) return no("nothing in it reads that");
    if (!ReadsMove(stage, ahead)) {
      return no(
          "what is computed there reads the same of it each time; choose a loop whose iterations "
          "differ");
    }
    for (int i = 0; i < static_cast<int>(stage.leaves.size()); ++i) {
      const LoopAxis& leaf = stage.leaves[static_cast<size_t>(i)];
      if (i <= at && leaf.kind == ir::LoopKind::kVector)
        return no(fmt::format("loop {} is a vector, whose iterations are one", leaf.name));
      if (i <= at && leaf.name == stage.tensorize_axis)
        return no(fmt::format("from {} on it is one instruction", leaf.name));
    }
  }
  return {};
}

}  // namespace tessera::schedule
