// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/affine.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

// Whether every part of |e| that depends on |var| has a vector form.
bool HasVectorForm(const Expr& e, const Expr& var) {
  if (e.lanes() > 1) return false;  // an inner loop is already a vector
  if (!ir::UsesVar(e, var)) return true;
  if (e->kind == ExprKind::kCall && !ir::FindScalarIntrin(e->name)) return false;
  // A select reads both branches, and a lane might read outside its buffer.
  if (e->kind == ExprKind::kSelect && ir::UsesVar(e->args[0], var) &&
      ir::Contains(e, [](const Expr& x) { return x->kind == ExprKind::kLoad; })) {
    return false;
  }
  for (const Expr& a : e->args) {
    if (!HasVectorForm(a, var)) return false;
  }
  return true;
}

bool HasVectorForm(const Stmt& s, const Expr& var) {
  switch (s->kind) {
    case StmtKind::kFor:
      if (ir::UsesVar(s->min, var) || ir::UsesVar(s->extent, var) ||
          s->loop == ir::LoopKind::kVector)
        return false;
      break;
    case StmtKind::kIf:
      if (ir::UsesVar(s->value, var)) return false;
      break;
    case StmtKind::kStore: {
      if (!HasVectorForm(s->value, var)) return false;
      bool lanes_apart = false;
      for (const Expr& i : s->indices) {
        if (!HasVectorForm(i, var)) return false;
        lanes_apart |= ir::UsesVar(i, var);
      }
      if (!lanes_apart) return false;  // every lane would store to one place
      break;
    }
    case StmtKind::kAlloc:
    case StmtKind::kEval:
    case StmtKind::kPrefetch:
      return false;
    case StmtKind::kSeq:
      break;
  }
  for (const Stmt& b : s->body) {
    if (!HasVectorForm(b, var)) return false;
  }
  return true;
}

// Index vectors as ramps if the index is linear in |var|, so that adjacent lanes are recognised.
Expr VectorIndex(const Expr& e, const Expr& var, const Expr& base, int lanes,
                 const ir::Ranges& ranges);

Expr Vectorized(const Expr& e, const Expr& var, const Expr& base, int lanes,
                const ir::Ranges& ranges) {
  if (!ir::UsesVar(e, var)) return e;
  if (e.lanes() == 1 && e.dtype() == DType::kInt64) return VectorIndex(e, var, base, lanes, ranges);
  return ir::MapOperands(e, [&](const Expr& a) { return Vectorized(a, var, base, lanes, ranges); });
}

Expr VectorIndex(const Expr& e, const Expr& var, const Expr& base, int lanes,
                 const ir::Ranges& ranges) {
  if (e.get() == var.get()) return ir::Ramp(base, Expr(1), lanes);
  const ir::Linear form = ir::ToLinear(e, ranges);
  if (form.IsAffineIn({var})) {
    const Expr first = ir::Simplify(ir::Substitute(e, {{var.get(), base}}), ranges);
    const int64_t step = form.CoeffOf(var);
    return step == 0 ? first : ir::Ramp(first, Expr(step), lanes);
  }
  return ir::MapOperands(e, [&](const Expr& a) { return Vectorized(a, var, base, lanes, ranges); });
}

Stmt Vectorized(const Stmt& s, const Expr& var, const Expr& base, int lanes,
                const ir::Ranges& ranges) {
  return ir::MapParts(
      s, [&](const Expr& e) { return Vectorized(e, var, base, lanes, ranges); },
      [&](const Stmt& b) { return Vectorized(b, var, base, lanes, ranges); });
}

class Vectorizer {
 public:
  explicit Vectorizer(int max_lanes) : max_lanes_(max_lanes) {}

  Stmt Do(const Stmt& s) {
    if (s->kind == StmtKind::kFor) {
      const ir::Interval first = ir::BoundsOf(s->min, ranges_),
                         count = ir::BoundsOf(s->extent, ranges_);
      if (first.known() && count.known()) ranges_.Set(s->var, {first.lo, first.hi + count.hi - 1});
      if (s->loop == ir::LoopKind::kVector) return Loop(s);
    }
    return ir::MapParts(
        s, [](const Expr& e) { return e; }, [&](const Stmt& b) { return Do(b); });
  }

 private:
  Stmt Loop(const Stmt& s) {
    const Stmt body = Do(s->body[0]);
    int64_t extent = 0;
    if (!ir::IsImm(s->extent, &extent) || !HasVectorForm(body, s->var)) {
      return ir::For(s->var, s->min, s->extent, ir::LoopKind::kSerial, body);
    }
    // Whole vectors in a loop, then the rest as one shorter vector.
    std::vector<Stmt> parts;
    const int64_t lanes = std::min<int64_t>(extent, max_lanes_);
    const int64_t whole = extent / lanes, rest = extent % lanes;
    auto part = [&](const Expr& base, int64_t n) {
      if (n == 1) return ir::FreshCopy(body, {{s->var.get(), base}});
      return ir::FreshCopy(Vectorized(body, s->var, base, static_cast<int>(n), ranges_), {});
    };
    if (whole == 1) {
      parts.push_back(part(s->min, lanes));
    } else {
      const Expr outer = ir::Var(s->var->name + ".v");
      ranges_.Set(outer, {0, whole - 1});
      parts.push_back(ir::For(outer, 0, Expr(whole), ir::LoopKind::kSerial,
                              part(s->min + outer * Expr(lanes), lanes)));
    }
    if (rest > 0) parts.push_back(part(s->min + Expr(whole * lanes), rest));
    return ir::Seq(std::move(parts));
  }

  int max_lanes_;
  ir::Ranges ranges_;
};

}  // namespace

ir::Func Vectorize(const ir::Func& func, int max_lanes) {
  return {func.name, func.params, Vectorizer(max_lanes).Do(func.body)};
}

}  // namespace tessera::lower
