// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

Stmt Hoist(const Stmt& s) {
  const Stmt x = ir::MapParts(
      s, [](const Expr& e) { return e; }, [](const Stmt& b) { return Hoist(b); });
  if (x->kind != StmtKind::kFor) return x;
  // The chain of conditions right inside the loop; those that the loop does not change move out.
  std::vector<Expr> inside, outside;
  Stmt body = x->body[0];
  while (body->kind == StmtKind::kIf && body->body.size() == 1) {
    (ir::UsesVar(body->value, x->var) ? inside : outside).push_back(body->value);
    body = body->body[0];
  }
  // A condition may protect a later one that divides or reads; ours are plain index comparisons.
  if (outside.empty()) return x;
  for (size_t i = inside.size(); i-- > 0;) body = ir::If(inside[i], body);
  Stmt out = ir::For(x->var, x->min, x->extent, x->loop, body);
  for (size_t i = outside.size(); i-- > 0;) out = ir::If(outside[i], out);
  return out;
}

class Peeler {
 public:
  Stmt Do(const Stmt& s) {
    if (s->kind != StmtKind::kFor) {
      return ir::MapParts(
          s, [](const Expr& e) { return e; }, [&](const Stmt& b) { return Do(b); });
    }
    int64_t min = 0, extent = 0;
    const bool fixed = ir::IsImm(s->min, &min) && ir::IsImm(s->extent, &extent);
    if (fixed) ranges_.Set(s->var, {min, min + extent - 1});
    const bool cut = s->loop == ir::LoopKind::kSerial || s->loop == ir::LoopKind::kParallel;
    if (fixed && cut && extent > 1 && LastDecides(s, min, extent)) {
      const Stmt tail = Do(ir::FreshCopy(s->body[0], {{s->var.get(), Expr(min + extent - 1)}}));
      ranges_.Set(s->var, {min, min + extent - 2});
      const Stmt body = Do(s->body[0]);
      return ir::Seq({ir::For(s->var, s->min, Expr(extent - 1), s->loop, body), tail});
    }
    const Stmt body = Do(s->body[0]);
    return ir::For(s->var, s->min, s->extent, s->loop, body);
  }

 private:
  // Is there a condition in the body that is open over the whole range and true without its end?
  bool LastDecides(const Stmt& loop, int64_t min, int64_t extent) {
    ir::Ranges inside = ranges_;
    bool decides = false;
    ir::VisitStmts(loop->body[0], [&](const Stmt& s) {
      int64_t a = 0, n = 0;
      if (s->kind == StmtKind::kFor && ir::IsImm(s->min, &a) && ir::IsImm(s->extent, &n))
        inside.Set(s->var, {a, a + n - 1});
      if (s->kind != StmtKind::kIf || !ir::UsesVar(s->value, loop->var)) return;
      ir::Ranges shorter = inside;
      shorter.Set(loop->var, {min, min + extent - 2});
      decides |= !ir::ProveTrue(s->value, inside) && ir::ProveTrue(s->value, shorter);
    });
    return decides;
  }

  ir::Ranges ranges_;
};

}  // namespace

ir::Func HoistGuards(const ir::Func& func) { return {func.name, func.params, Hoist(func.body)}; }

ir::Func PeelGuards(const ir::Func& func) {
  return ir::Simplify(ir::Func{func.name, func.params, Peeler().Do(func.body)});
}

}  // namespace tessera::lower
