// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/conditions.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/ir/visit.h"

namespace tessera::lower {

using ir::Expr;
using ir::Linear;
using schedule::Stage;

bool AsksReduction(const Stage& stage, const Expr& condition) {
  return std::ranges::any_of(stage.leaves, [&](const schedule::LoopAxis& leaf) {
    return leaf.reduce && ir::UsesVar(condition, leaf.var);
  });
}

std::vector<Expr> OfDataLoops(const Stage& stage, std::vector<Expr> conditions) {
  std::erase_if(conditions, [&](const Expr& c) { return AsksReduction(stage, c); });
  return conditions;
}

std::optional<Linear> RoomOf(const Expr& condition, const ir::Ranges& ranges) {
  if (condition->kind != ir::ExprKind::kBin ||
      (condition->bin() != ir::BinOp::kLe && condition->bin() != ir::BinOp::kLt) ||
      condition->args[0].dtype() != DType::kInt64) {
    return std::nullopt;
  }
  Linear room = ir::Add(ir::ToLinear(condition->args[1], ranges),
                        ir::ToLinear(condition->args[0], ranges), -1);
  if (condition->bin() == ir::BinOp::kLt) --room.constant;
  return room;
}

ir::Interval BoundsUnder(const Expr& index, const std::vector<Expr>& guards,
                         const ir::Ranges& ranges) {
  ir::Interval reach = ir::BoundsOf(index, ranges);
  const Linear form = ir::ToLinear(index, ranges);
  for (const Expr& guard : guards) {
    const std::optional<Linear> room = RoomOf(guard, ranges);
    for (size_t k = 0; room && k < form.terms.size(); ++k) {
      const int64_t factor = std::abs(form.terms[k].coeff);
      const ir::Interval below = ir::BoundsOf(ir::Add(form, *room, factor), ranges),
                         above = ir::BoundsOf(ir::Add(form, *room, -factor), ranges);
      reach.hi = std::min(reach.hi, below.hi);
      reach.lo = std::max(reach.lo, above.lo);
    }
  }
  return reach;
}

}  // namespace tessera::lower
