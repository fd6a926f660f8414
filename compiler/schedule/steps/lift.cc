// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const LiftStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  TESSERA_TRY(editor.NewStageName(step.name));
  if (!stage->relations.empty() || stage->attach != Attach::kRoot)
    return Fail(Code::kInvalidArgument, "{} has been scheduled; lift comes first", step.stage);
  const OperandPath path{step.stage, step.operand};
  if (step.operand == ".") return NoOperand(path, "a whole expression is a stage already");
  Stage lifted;
  lifted.name = step.name;
  lifted.scope = step.scope;
  ir::VarMap own;
  std::vector<ir::Expr> at;  // of the stage
  for (size_t d = 0; d < stage->axes.size(); ++d) {
    const ir::Axis& a = stage->axes[d];
    if (!step.axes.names.empty() && std::ranges::count(step.axes.names, a.name()) == 0) continue;
    lifted.axes.push_back({ir::Var(a.name()), 0, stage->shape[d]});
    lifted.leaves.push_back({a.name(), lifted.axes.back().var, false});
    lifted.shape.push_back(stage->shape[d]);
    own[a.var.get()] = lifted.axes.back().var;
    at.push_back(a.var);
  }
  for (const std::string& name : step.axes.names) {
    const auto is = [&](const ir::Axis& a) { return a.name() == name; };
    if (std::ranges::any_of(stage->axes, is)) continue;
    return Fail(Code::kNotFound, "{} has no axis '{}'; its axes are: {}", step.stage, name,
                AxisList(*stage));
  }
  const auto lift = [&](const ir::Expr& e) -> Result<ir::Expr> {
    if (e.dtype() == DType::kBool || e->kind == ir::ExprKind::kReduce)
      return NoOperand(path, "a condition or a whole reduction is no value of a tensor");
    for (const ir::Axis& a : stage->reduce_axes) {
      if (!ir::UsesVar(e, a.var)) continue;
      return NoOperand(path, fmt::format("it differs in loop {} of the reduction; reindex or "
                                         "cache_read make stages of what a reduction reads",
                                         a.name()));
    }
    for (const ir::Axis& a : stage->axes) {
      if (!ir::UsesVar(e, a.var) || own.contains(a.var.get())) continue;
      return NoOperand(path, fmt::format("it differs along {}, which is not listed", a.name()));
    }
    lifted.dtype = e.dtype();
    lifted.body = ir::Substitute(e, own);
    return ir::TensorRead(TensorLike(lifted, step.name), at);
  };
  TESSERA_TRY(ReplaceOperand(path, stage, lift));
  editor.InsertBefore(*stage, std::move(lifted));
  return {};
}

}  // namespace tessera::schedule
