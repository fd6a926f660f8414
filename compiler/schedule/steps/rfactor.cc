// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const RfactorStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.NewStageName(step.name));
  if (!stage->leaves[static_cast<size_t>(at)].reduce) {
    return Fail(Code::kInvalidArgument, "{} is no loop of a reduction; split one and take a part",
                step.axis);
  }
  // Only splits and fusions of the reduction may come before rfactor.
  bool plain =
      stage->attach == Attach::kRoot && stage->tensorize_axis.empty() && stage->skips.empty();
  for (const ir::Axis& a : stage->axes) {
    const int leaf = stage->LeafIndex(a.name());
    plain = plain && leaf >= 0 && stage->leaves[static_cast<size_t>(leaf)].var.get() == a.var.get();
  }
  for (const LoopAxis& leaf : stage->leaves) plain = plain && leaf.kind == ir::LoopKind::kSerial;
  for (const Stage& other : editor.stages())
    plain = plain && editor.schedule().OuterOf(other) != stage;
  if (!plain) {
    return Fail(Code::kInvalidArgument,
                "{} has been scheduled; rfactor comes behind splits of its reduction and before "
                "other steps",
                step.stage);
  }

  const auto iterations = stage->Iterations(stage->shape);
  std::vector<ir::Expr> guards;
  const ir::VarMap values = stage->ReductionOfLeaves(iterations, &guards);
  // The part's loops include iterations of padding; conditions exclude them from its sums.
  for (const ir::Expr& end : stage->PaddedEnds(iterations)) guards.push_back(end);
  Stage part;
  part.name = step.name;
  part.dtype = stage->dtype;
  part.shape = stage->shape;
  ir::VarMap own;  // leaves and data axes -> variables of |part|
  const auto add = [&](std::vector<ir::Axis>& axes, const ir::Expr& var, const std::string& name,
                       int64_t extent) {
    axes.push_back({ir::Var(name), 0, extent});
    own[var.get()] = axes.back().var;
    part.leaves.push_back({name, axes.back().var, &axes == &part.reduce_axes});
  };
  for (size_t d = 0; d < stage->axes.size(); ++d)
    add(part.axes, stage->axes[d].var, stage->axes[d].name(), stage->shape[d]);
  const LoopAxis factor = stage->leaves[static_cast<size_t>(at)];
  const int64_t parts = iterations.at(factor.var.get());
  add(part.axes, factor.var, factor.name, parts);
  part.shape.push_back(parts);
  for (const LoopAxis& leaf : stage->leaves) {
    if (leaf.reduce && leaf.name != factor.name)
      add(part.reduce_axes, leaf.var, leaf.name, iterations.at(leaf.var.get()));
  }
  const ir::ReduceOp op = stage->body->reduce();
  ir::Expr value = stage->body->args[0];
  value = ir::Substitute(ir::Substitute(value, values), own);
  for (const ir::Expr& guard : guards)
    value = ir::Select(ir::Substitute(guard, own), value, ir::ReduceIdentity(op, stage->dtype));
  part.body = part.reduce_axes.empty() ? value : ir::Reduce(op, value, part.reduce_axes);

  // The stage combines the parts.
  const ir::Axis over{ir::Var(factor.name), 0, parts};
  std::vector<ir::Expr> indices;
  for (const ir::Axis& a : stage->axes) indices.push_back(a.var);
  indices.push_back(over.var);
  stage->body = ir::Reduce(op, ir::TensorRead(TensorLike(part, step.name), indices), {over},
                           stage->body->start());
  stage->reduce_axes = {over};
  stage->relations.clear();
  stage->conditions.clear();
  stage->leaves.clear();
  for (const ir::Axis& a : stage->axes) stage->leaves.push_back({a.name(), a.var, false});
  stage->leaves.push_back({over.name(), over.var, true});
  editor.InsertBefore(*stage, std::move(part));
  return {};
}

}  // namespace tessera::schedule
