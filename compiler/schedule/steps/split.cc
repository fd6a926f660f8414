// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const SplitStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_ASSIGN(const int64_t factor, editor.Value(step.factor));
  TESSERA_TRY(editor.RequirePlainLoop(*stage, at));
  if (step.outer != step.axis) TESSERA_TRY(editor.NewAxisName(*stage, step.outer));
  if (step.inner != step.axis) TESSERA_TRY(editor.NewAxisName(*stage, step.inner));
  if (step.outer == step.inner)
    return Fail(Code::kInvalidArgument, "both parts are called '{}'", step.outer);
  const LoopAxis parent = stage->leaves[at];
  if (step.tail == Tail::kOverlap && !parent.reduce) {
    return Fail(Code::kInvalidArgument, "{} is no reduction: leave 'overlap' out, or write 'pad'",
                step.axis);
  }
  LoopAxis outer = parent, inner = parent;
  outer.name = step.outer;
  outer.var = ir::Var(step.outer);
  inner.name = step.inner;
  inner.var = ir::Var(step.inner);
  if (step.tail == Tail::kOverlap) {
    // Axes of the reduction begin at their first index, parts of splits at 0.
    int64_t begin = 0;
    for (const ir::Axis& a : stage->reduce_axes) {
      if (a.var.get() == parent.var.get()) begin = a.min;
    }
    const int64_t extent = stage->Iterations(stage->shape).at(parent.var.get());
    if (factor < extent && extent % factor != 0) {
      stage->conditions.push_back(
          ir::Le(outer.var * ir::Expr(factor), parent.var - ir::Expr(begin)));
    }
  }
  stage->relations.push_back({true, parent.var, outer.var, inner.var, factor,
                              step.tail == Tail::kPad, step.tail == Tail::kOverlap});
  stage->leaves[at] = inner;
  stage->leaves.insert(stage->leaves.begin() + at, outer);
  return editor.RequireFewIterations(*stage);
}

}  // namespace tessera::schedule
