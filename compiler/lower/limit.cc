// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/limit.h"

#include <algorithm>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"

namespace tessera::lower {
namespace {

using schedule::Relation;
using schedule::Schedule;
using schedule::Stage;

// Whether |stage| can be computed for indices below |limit| of dimension |d|: its reads must have a
// place there too.
bool HasRoom(const Schedule& schedule, const Stage& stage, size_t d, int64_t limit) {
  if (stage.prepared) return true;  // its layout fills the rest
  const ir::Expr& var = stage.axes[d].var;
  for (const ir::ExprNode* read : stage.body.reads()) {
    for (size_t k = 0; k < read->args.size(); ++k) {
      if (!ir::UsesVar(read->args[k], var)) continue;
      const Stage* source = schedule.Find(read->tensor->name);
      if (read->args[k].get() != var.get() || LimitOf(schedule, *source)[k] < limit) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<int64_t> LimitOf(const Schedule& schedule, const Stage& stage) {
  std::vector<int64_t> limit =
      stage.layout.empty() ? stage.shape
                           : ir::PaddedShape({.shape = stage.shape, .layout = stage.layout});
  for (size_t d = 0; d < stage.axes.size(); ++d) {
    if (limit[d] > stage.shape[d] && !HasRoom(schedule, stage, d, limit[d]))
      limit[d] = stage.shape[d];
  }
  for (const Relation& r : stage.relations) {
    if (!r.is_split || !r.pad) continue;
    for (size_t d = 0; d < stage.axes.size(); ++d) {
      if (stage.axes[d].var.get() == r.parent.get())
        limit[d] = std::max(limit[d], RoundUp(stage.shape[d], r.factor));
    }
  }
  return limit;
}

}  // namespace tessera::lower
