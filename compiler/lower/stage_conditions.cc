// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/stage_conditions.h"

#include <algorithm>

#include "compiler/ir/equal.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/reach.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Ranges;
using schedule::Attach;
using schedule::Schedule;
using schedule::Stage;

// The |conditions| that may fail, each once.
std::vector<Expr> Open(const std::vector<Expr>& conditions, const Ranges& ranges) {
  std::vector<Expr> open;
  for (const Expr& c : conditions) {
    if (ir::ProveTrue(c, ranges)) continue;
    const Expr simple = ir::Simplify(WithoutRemainder(c, ranges), ranges);
    const auto same = [&](const Expr& known) { return ir::Equal(known, simple); };
    if (std::ranges::none_of(open, same)) open.push_back(simple);
  }
  return open;
}

// |condition| of a skip, over leaves of |stage|, as far as it is the same for the whole of an
// instruction, whose iterations can only be left out together: what has to hold for it to hold in
// one of them.
Expr OfInstruction(const Stage& stage, const schedule::LoopCounts& extents, const Expr& condition) {
  const int first = stage.LeafIndex(stage.tensorize_axis);
  if (first < 0) return condition;
  Expr asked = condition;
  for (size_t i = static_cast<size_t>(first); i < stage.leaves.size(); ++i) {
    const Expr& loop = stage.leaves[i].var;
    if (!ir::UsesVar(asked, loop)) continue;
    const bool compares = asked->kind == ir::ExprKind::kBin &&
                          (asked->bin() == ir::BinOp::kLt || asked->bin() == ir::BinOp::kLe);
    const ir::Linear slack =
        compares ? ir::ToLinear(asked->args[1] - asked->args[0], {}) : ir::Linear{};
    if (!compares || !slack.IsAffineIn({loop})) return ir::Imm(DType::kBool, 1);
    const int64_t most = slack.CoeffOf(loop) > 0 ? extents.at(loop.get()) - 1 : 0;
    asked = ir::Bin(asked->bin(), Expr(0),
                    ir::Substitute(ir::FromLinear(slack), {{loop.get(), Expr(most)}}));
  }
  return asked;
}

// Adds the conditions of |index| in |min| .. |min| + |extent| - 1 that may fail.
void GuardRange(const ir::Linear& index, const ir::Linear& min, int64_t extent,
                const Ranges& ranges, std::vector<Expr>* guards) {
  const ir::Interval place = ir::BoundsOf(ir::Add(index, min, -1), ranges);
  const Expr at = ir::FromLinear(index), first = ir::FromLinear(min);
  if (place.lo < 0) guards->push_back(ir::Le(first, at));
  if (place.hi >= extent) guards->push_back(ir::Lt(at, first + Expr(extent)));
}

// For a stage that follows another stage's loops: adds the conditions, over its own axes, of the
// elements for which that stage has values.
void AddFollowed(const Schedule& schedule, const Bounds& bounds, const Stage& stage,
                 std::vector<Expr>* guards) {
  const Stage& leader = *schedule.Find(stage.at_stage);
  const StageBounds &b = bounds.stages.at(&stage), &lb = bounds.stages.at(&leader);
  const ir::VarSet fixed = FixedVars(schedule, stage);
  const std::vector<size_t> axes = schedule.AxesThrough(stage, leader);
  for (size_t d = 0; d < axes.size(); ++d) {
    const Expr index = ir::FromLinear(b.values.at(stage.axes[axes[d]].var.get()));
    // If the leader's buffer lies inside the loops that this stage follows: all that it computes.
    const Expr min = ir::FromLinear(lb.min[d]);
    const bool inside = Moves(min, fixed);
    const Expr least = inside ? ir::FromLinear(lb.first[d]) : min;
    const int64_t extent = PaddedExtent(leader, inside ? lb.count[d] : lb.extent[d], d);
    guards->push_back(ir::Le(least, index));
    guards->push_back(ir::Lt(index, least + Expr(extent)));
  }
}

}  // namespace

StageConditions ConditionsOf(const Schedule& schedule, const Bounds& bounds, const Stage& stage) {
  StageConditions all;
  if (stage.placeholder || stage.attach == Attach::kInline) return all;
  const StageBounds& b = bounds.stages.at(&stage);
  all.guards = stage.GuardsOf(stage.AxesOfLeaves(b.extents), b.extents);
  for (size_t d = 0; d < stage.axes.size(); ++d) {
    const ir::Linear& index = b.values.at(stage.axes[d].var.get());
    const bool inside = stage.attach == Attach::kAt || stage.attach == Attach::kAfter;
    if (inside) GuardRange(index, {}, b.limit[d], bounds.ranges, &all.guards);
    if (stage.attach == Attach::kAfter)
      GuardRange(index, b.min[d], b.extent[d], bounds.ranges, &all.guards);
  }
  if (stage.attach == Attach::kAfter) AddFollowed(schedule, bounds, stage, &all.guards);
  const ir::VarMap values = ir::FromLinear(b.values);
  for (const Expr& c : stage.conditions) all.summing.push_back(ir::Substitute(c, values));
  for (const Expr& c : stage.skips)
    all.summing.push_back(OfInstruction(stage, b.extents, ir::Substitute(c, values)));
  return {Open(all.guards, bounds.ranges), Open(all.summing, bounds.ranges)};
}

std::vector<Expr> StageConditions::All() const {
  std::vector<Expr> all = guards;
  all.insert(all.end(), summing.begin(), summing.end());
  return all;
}

}  // namespace tessera::lower
