// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

Stmt Do(const Stmt& s, int64_t max_statements) {
  const Stmt x = ir::MapParts(
      s, [](const Expr& e) { return e; }, [&](const Stmt& b) { return Do(b, max_statements); });
  int64_t min = 0, extent = 0;
  if (x->kind != StmtKind::kFor || x->loop != ir::LoopKind::kUnroll) return x;
  const bool known = ir::IsImm(x->min, &min) && ir::IsImm(x->extent, &extent);
  // Do not leave it to the back end: its unrolling has no limit and may not terminate.
  if (!known || extent > max_statements / std::max<int64_t>(ir::CountWork(x->body[0]), 1))
    return ir::For(x->var, x->min, x->extent, ir::LoopKind::kSerial, x->body[0]);
  std::vector<Stmt> copies;
  for (int64_t i = 0; i < extent; ++i)
    copies.push_back(ir::FreshCopy(x->body[0], {{x->var.get(), Expr(min + i)}}));
  return ir::Seq(std::move(copies));
}

}  // namespace

ir::Func Unroll(const ir::Func& func, int64_t max_statements) {
  return {func.name, func.params, Do(func.body, max_statements)};
}

}  // namespace tessera::lower
