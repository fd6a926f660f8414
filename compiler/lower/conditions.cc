// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/conditions.h"

#include <algorithm>

#include "compiler/ir/visit.h"

namespace tessera::lower {

using ir::Expr;
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

bool SkipsReduction(const Stage& stage, size_t depth, const Expr& condition) {
  for (size_t i = depth; i < stage.leaves.size(); ++i) {
    if (ir::UsesVar(condition, stage.leaves[i].var)) return false;
  }
  return AsksReduction(stage, condition);
}

}  // namespace tessera::lower
