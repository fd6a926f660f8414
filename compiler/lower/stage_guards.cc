// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/stage_guards.h"

#include <algorithm>
#include <ranges>

#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/conditions.h"

namespace tessera::lower {

using ir::Expr;
using schedule::LoopAxis;
using schedule::Stage;

namespace {

// Whether |condition| depends on a loop behind the first |depth|.
bool AsksLater(const Stage& stage, size_t depth, const Expr& condition) {
  return std::ranges::any_of(stage.leaves | std::views::drop(depth), [&](const LoopAxis& leaf) {
    return ir::UsesVar(condition, leaf.var);
  });
}

// Whether one of the first |depth| loops belongs to the reduction.
bool Reduces(const Stage& stage, size_t depth) {
  return std::ranges::any_of(stage.leaves | std::views::take(depth), &LoopAxis::reduce);
}

}  // namespace

StageGuards::StageGuards(const Stage& stage, const StageConditions& conditions) : stage_(stage) {
  for (const Expr& g : conditions.guards) guards_.push_back({g});
  for (const Expr& g : conditions.summing) guards_.push_back({g, true});
}

std::vector<Expr> StageGuards::Ready(size_t depth) {
  std::vector<Expr> ready;
  const bool sums = Reduces(stage_, depth);
  for (Guard& g : guards_) {
    if (g.done || (g.summing && !sums) || AsksLater(stage_, depth, g.condition)) continue;
    g.done = true;
    ready.push_back(g.condition);
  }
  return ready;
}

const Expr* StageGuards::Open() const {
  const auto open = std::ranges::find(guards_, false, &Guard::done);
  return open == guards_.end() ? nullptr : &open->condition;
}

std::vector<Expr> StageGuards::OpenAtStart() const {
  std::vector<Expr> open;
  for (const Guard& g : guards_) {
    if (!g.done && !g.summing && !AsksReduction(stage_, g.condition)) open.push_back(g.condition);
  }
  return open;
}

bool MaySkipLast(const Stage& stage, const StageConditions& conditions, size_t depth) {
  const auto decided = [&](const Expr& c) { return !AsksLater(stage, depth, c); };
  return std::ranges::any_of(
             conditions.guards,
             [&](const Expr& c) { return decided(c) && AsksReduction(stage, c); }) ||
         (Reduces(stage, depth) && std::ranges::any_of(conditions.summing, decided));
}

bool MaySkipFirst(const Stage& stage, const StageConditions& conditions, const ir::Ranges& ranges) {
  ir::VarMap at;
  for (const LoopAxis& leaf : stage.leaves) {
    if (leaf.reduce) at[leaf.var.get()] = Expr(0);
  }
  return !std::ranges::all_of(conditions.summing, [&](const Expr& c) {
    return ir::ProveTrue(ir::Substitute(c, at), ranges);
  });
}

ir::Stmt Guarded(const std::vector<Expr>& conditions, ir::Stmt body) {
  for (size_t i = conditions.size(); i-- > 0;) body = ir::If(conditions[i], body);
  return body;
}

}  // namespace tessera::lower
