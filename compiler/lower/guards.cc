// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "compiler/ir/affine.h"
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
  // The chain of conditions directly inside the loop; those independent of the loop move out.
  std::vector<Expr> inside, outside;
  Stmt body = x->body[0];
  while (body->kind == StmtKind::kIf && body->body.size() == 1) {
    (ir::UsesVar(body->value, x->var) ? inside : outside).push_back(body->value);
    body = body->body[0];
  }
  // Conditions may swap: they are plain index comparisons and protect no other condition.
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
    const bool cut = s->loop == ir::LoopKind::kSerial || s->loop == ir::LoopKind::kParallel ||
                     s->loop == ir::LoopKind::kUnroll;
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
  // Whether the body has a condition that is undecided over the whole range but true without the
  // last iteration. A condition around a loop does not count: it is cheaper than a second copy.
  bool LastDecides(const Stmt& loop, int64_t min, int64_t extent) {
    ir::Ranges inside = ranges_;
    bool decides = false;
    ir::VisitStmts(loop->body[0], [&](const Stmt& s) {
      int64_t a = 0, n = 0;
      if (s->kind == StmtKind::kFor && ir::IsImm(s->min, &a) && ir::IsImm(s->extent, &n))
        inside.Set(s->var, {a, a + n - 1});
      if (s->kind != StmtKind::kIf || !ir::UsesVar(s->value, loop->var) || HasLoop(s)) return;
      ir::Ranges shorter = inside;
      shorter.Set(loop->var, {min, min + extent - 2});
      decides |= !ir::ProveTrue(s->value, inside) && ir::ProveTrue(s->value, shorter);
    });
    return decides;
  }

  static bool HasLoop(const Stmt& s) {
    bool loop = false;
    ir::VisitStmts(s, [&](const Stmt& x) {
      loop |= x->kind == StmtKind::kFor && x->loop == ir::LoopKind::kSerial;
    });
    return loop;
  }

  ir::Ranges ranges_;
};

// Cuts innermost loops where the condition of a select or of a statement changes: the middle of a
// padded row is then read without a condition, and a row's last vector is a shorter one.
class Cutter {
 public:
  Stmt Do(const Stmt& s) const {
    const Stmt x = ir::MapParts(
        s, [](const Expr& e) { return e; }, [&](const Stmt& b) { return Do(b); });
    int64_t min = 0, extent = 0;
    if (x->kind != StmtKind::kFor || !ir::IsImm(x->min, &min) || !ir::IsImm(x->extent, &extent))
      return x;
    if (x->loop != ir::LoopKind::kSerial && x->loop != ir::LoopKind::kVector) return x;
    bool innermost = true;
    std::set<int64_t> cuts;
    ir::VisitStmts(x->body[0], [&](const Stmt& inner) {
      innermost = innermost && inner->kind != StmtKind::kFor;
      if (inner->kind == StmtKind::kIf) Collect(inner->value, x->var, &cuts);
      if (inner->kind == StmtKind::kStore)
        ir::Visit(inner->value, [&](const Expr& e) {
          if (e->kind == ir::ExprKind::kSelect) Collect(e->args[0], x->var, &cuts);
        });
    });
    std::erase_if(cuts, [&](int64_t c) { return c <= min || c >= min + extent; });
    if (!innermost || cuts.empty() || cuts.size() > kMostCuts) return x;
    cuts.insert(min + extent);
    std::vector<Stmt> pieces;
    for (const int64_t end : cuts) {
      const Expr var = ir::Var(x->var->name);
      pieces.push_back(ir::For(var, Expr(min), Expr(end - min), x->loop,
                               ir::FreshCopy(x->body[0], {{x->var.get(), var}})));
      min = end;
    }
    return ir::Seq(std::move(pieces));
  }

 private:
  static constexpr size_t kMostCuts = 2;  // one at each end of a row

  // The values of |var| at which a comparison in |condition|, of |var| alone, changes.
  static void Collect(const Expr& condition, const Expr& var, std::set<int64_t>* cuts) {
    if (condition->kind != ir::ExprKind::kBin || condition.lanes() != 1) return;
    const ir::BinOp op = condition->bin();
    if (op == ir::BinOp::kAnd) {
      for (const Expr& part : condition->args) Collect(part, var, cuts);
      return;
    }
    if ((op != ir::BinOp::kLe && op != ir::BinOp::kLt) ||
        condition->args[0].dtype() != DType::kInt64)
      return;
    // room >= 0
    ir::Linear room =
        ir::Add(ir::ToLinear(condition->args[1], {}), ir::ToLinear(condition->args[0], {}), -1);
    if (op == ir::BinOp::kLt) --room.constant;
    const int64_t step = room.CoeffOf(var);
    if (room.terms.size() != 1 || (step != 1 && step != -1)) return;
    cuts->insert(step == 1 ? -room.constant : room.constant + 1);
  }
};

}  // namespace

ir::Func HoistGuards(const ir::Func& func) { return {func.name, func.params, Hoist(func.body)}; }

ir::Func CutSelects(const ir::Func& func) {
  return ir::Simplify(ir::Func{func.name, func.params, Cutter().Do(func.body)});
}

ir::Func PeelGuards(const ir::Func& func) {
  return ir::Simplify(ir::Func{func.name, func.params, Peeler().Do(func.body)});
}

}  // namespace tessera::lower
