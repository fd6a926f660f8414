// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

std::unexpected<Error> NoOperand(const LiftStep& step, const std::string& why) {
  return Fail(Code::kInvalidArgument, "operand {} of {}: {}", step.operand, step.stage, why);
}

// Whether |e| reads inside of every tensor for all of |ranges|.
bool ReadsInside(const ir::Expr& e, const ir::Ranges& ranges) {
  bool inside = true;
  ir::Visit(e, [&](const ir::Expr& read) {
    if (read->kind != ir::ExprKind::kTensorRead) return;
    for (size_t d = 0; d < read->args.size(); ++d) {
      const ir::Interval reach = ir::BoundsOf(read->args[d], ranges);
      inside = inside && reach.known() && reach.lo >= 0 && reach.hi < read->tensor->shape[d];
    }
  });
  return inside;
}

// |e| with what |way| leads to replaced by |fn| of it.
Result<ir::Expr> ReplaceAt(const LiftStep& step, const ir::Expr& e, std::string_view way,
                           const std::function<Result<ir::Expr>(const ir::Expr&)>& fn,
                           const ir::Ranges& ranges) {
  if (way.empty()) return fn(e);
  size_t k = 0;
  const auto [end, error] = std::from_chars(way.data(), way.data() + way.size(), k);
  const auto taken = static_cast<size_t>(end - way.data());
  if (error != std::errc() || (taken < way.size() && way[taken] != '.'))
    return NoOperand(step, "it is written 0.1, numbers from the outermost operation inwards");
  if (e->kind == ir::ExprKind::kTensorRead)
    return NoOperand(step, fmt::format("an index of {} is no value", e->tensor->name));
  if (k >= e->args.size()) {
    return NoOperand(
        step, fmt::format("number {} is not there, the operation has {}", k, e->args.size()));
  }
  const std::string_view rest = taken < way.size() ? way.substr(taken + 1) : std::string_view();
  if (e->kind == ir::ExprKind::kSelect && k > 0 && !ReadsInside(e->args[k], ranges)) {
    return NoOperand(step, "it is read outside of a tensor where its condition does not hold");
  }
  TESSERA_ASSIGN(const ir::Expr operand, ReplaceAt(step, e->args[k], rest, fn, ranges));
  size_t at = 0;
  return ir::MapOperands(e, [&](const ir::Expr& x) { return at++ == k ? operand : x; });
}

}  // namespace

Status Apply(const LiftStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  TESSERA_TRY(editor.NewStageName(step.name));
  if (!stage->relations.empty() || stage->attach != Attach::kRoot)
    return Fail(Code::kInvalidArgument, "{} has been scheduled; lift comes first", step.stage);
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
      return NoOperand(step, "a condition or a whole reduction is no value of a tensor");
    for (const ir::Axis& a : stage->reduce_axes) {
      if (!ir::UsesVar(e, a.var)) continue;
      return NoOperand(step, fmt::format("it differs in loop {} of the reduction; reindex or "
                                         "cache_read make stages of what a reduction reads",
                                         a.name()));
    }
    for (const ir::Axis& a : stage->axes) {
      if (!ir::UsesVar(e, a.var) || own.contains(a.var.get())) continue;
      return NoOperand(step, fmt::format("it differs along {}, which is not listed", a.name()));
    }
    lifted.dtype = e.dtype();
    lifted.body = ir::Substitute(e, own);
    return ir::TensorRead(TensorLike(lifted, step.name), at);
  };
  ir::Ranges ranges;
  for (const ir::Axis& a : stage->axes) ranges.Set(a);
  for (const ir::Axis& a : stage->reduce_axes) ranges.Set(a);
  TESSERA_ASSIGN(stage->body, ReplaceAt(step, stage->body, step.operand, lift, ranges));
  std::vector<Stage>& stages = editor.stages();
  stages.insert(stages.begin() + (stage - stages.data()), std::move(lifted));
  return {};
}

}  // namespace tessera::schedule
