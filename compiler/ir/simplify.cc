// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/simplify.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/lane.h"
#include "compiler/ir/visit.h"

namespace tessera::ir {
namespace {

bool IsIndex(const Expr& e) { return e.lanes() == 1 && e.dtype() == DType::kInt64; }

Expr FromLane(DType dtype, LaneValue v) {
  return IsFloat(dtype) ? ImmFloat(dtype, v.f) : Imm(dtype, v.i);
}

bool IsConstant(const Expr& e) { return e->kind == ExprKind::kImm; }

LaneValue ToLane(const Expr& e) { return {e->ivalue, e->fvalue}; }

Expr Bool(bool value) { return Imm(DType::kBool, value); }

// The result, 0 or 1, of comparing two index expressions if bounds decide it; else 2.
int Decide(BinOp op, const Expr& a, const Expr& b, const Ranges& ranges) {
  const Interval d = BoundsOf(Add(ToLinear(a, ranges), ToLinear(b, ranges), -1), ranges);
  switch (op) {
    case BinOp::kLt:
      return d.hi < 0 ? 1 : d.lo >= 0 ? 0 : 2;
    case BinOp::kLe:
      return d.hi <= 0 ? 1 : d.lo > 0 ? 0 : 2;
    case BinOp::kEq:
      return d.lo == 0 && d.hi == 0 ? 1 : d.lo > 0 || d.hi < 0 ? 0 : 2;
    case BinOp::kNe:
      return d.lo == 0 && d.hi == 0 ? 0 : d.lo > 0 || d.hi < 0 ? 1 : 2;
    default:
      return 2;
  }
}

// A comparison as "form <op> constant": variables left, common factor divided out of < and <=.
Expr NormalCompare(BinOp op, const Expr& a, const Expr& b, const Ranges& ranges) {
  Linear d = Add(ToLinear(a, ranges), ToLinear(b, ranges), -1);
  Linear left, right;
  for (const Linear::Term& t : d.terms) {
    if (t.coeff > 0) {
      left.terms.push_back(t);
    } else {
      right.terms.push_back({t.atom, -t.coeff});
    }
  }
  if (d.constant > 0 && (!left.terms.empty() || right.terms.empty())) {
    left.constant = d.constant;
    if (!right.terms.empty() || op == BinOp::kEq || op == BinOp::kNe)
      return Bin(op, FromLinear(left), FromLinear(right));
    // x + c < 0 reads better as x < -c
    right.constant = -left.constant;
    left.constant = 0;
  } else if (d.constant > 0) {
    left.constant = d.constant;
  } else {
    right.constant = -d.constant;
  }
  return Bin(op, FromLinear(left), FromLinear(right));
}

class Simplifier {
 public:
  explicit Simplifier(const Ranges& ranges) : ranges_(ranges) {}

  Expr Do(const Expr& e) {
    if (IsIndex(e)) {
      const Expr inside = MapOperands(e, [&](const Expr& a) { return Do(a); });
      return FromLinear(ToLinear(inside, ranges_));
    }
    const Expr x =
        e->kind == ExprKind::kSelect ? e : MapOperands(e, [&](const Expr& a) { return Do(a); });
    switch (x->kind) {
      case ExprKind::kBin:
        return DoBin(x);
      case ExprKind::kUn:
        if (IsConstant(x->args[0])) {
          return FromLane(x.dtype(),
                          ApplyUn(x->un(), x->args[0].dtype(), x.dtype(), ToLane(x->args[0])));
        }
        if (x->un() == UnOp::kCast) return DoCast(x);
        return x;
      case ExprKind::kSelect: {
        const Expr c = Do(x->args[0]);
        if (IsConstant(c)) return Do(x->args[c->ivalue ? 1 : 2]);
        const Expr a = Do(x->args[1]), b = Do(x->args[2]);
        return Equal(a, b) ? a : Select(c, a, b);
      }
      case ExprKind::kVec:
        // ramp(x, 0) is broadcast(x)
        if (x->vec() == VecOp::kRamp && IsImmEqual(x->args[1], 0))
          return Broadcast(x->args[0], x.lanes());
        return x;
      case ExprKind::kCall: {
        const auto info = FindScalarIntrin(x->name);
        if (!info || x.lanes() != 1) return x;
        std::vector<LaneValue> args;
        for (const Expr& a : x->args) {
          if (!IsConstant(a)) return x;
          args.push_back(ToLane(a));
        }
        return FromLane(x.dtype(), ApplyScalarIntrin(info->id, x.dtype(), args));
      }
      default:
        return x;
    }
  }

  Stmt Do(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kFor:
        return DoFor(s);
      case StmtKind::kIf: {
        const Expr c = Do(s->value);
        if (IsConstant(c)) {
          if (c->ivalue) return Do(s->body[0]);
          return s->body.size() > 1 ? Do(s->body[1]) : Stmt();
        }
        const Stmt a = Do(s->body[0]);
        const Stmt b = s->body.size() > 1 ? Do(s->body[1]) : Stmt();
        if (!a && !b) return Stmt();
        return a ? If(c, a, b) : If(Not(c), b);
      }
      default:
        return MapParts(
            s, [&](const Expr& e) { return Do(e); }, [&](const Stmt& b) { return Do(b); });
    }
  }

 private:
  Expr DoBin(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    const BinOp op = e->bin();
    if (IsConstant(a) && IsConstant(b)) {
      LaneValue out;
      if (ApplyBin(op, a.dtype(), ToLane(a), ToLane(b), &out)) return FromLane(e.dtype(), out);
      return e;  // a division by zero stays where it is
    }
    if (e.dtype() == DType::kBool && op >= BinOp::kEq) {
      if (!IsIndex(a)) return e;
      const int decided = Decide(op, a, b, ranges_);
      return decided == 2 ? NormalCompare(op, a, b, ranges_) : Bool(decided == 1);
    }
    if (e.dtype() == DType::kBool && e.lanes() == 1 && (op == BinOp::kAnd || op == BinOp::kOr)) {
      const bool is_and = op == BinOp::kAnd;
      for (int i : {0, 1}) {
        if (!IsConstant(e->args[i])) continue;
        return (e->args[i]->ivalue != 0) == is_and ? e->args[1 - i] : Bool(!is_and);
      }
      return Equal(a, b) ? a : e;
    }
    if (IsInt(e.dtype()) && e.lanes() == 1) {
      if (op == BinOp::kAdd && IsImmEqual(b, 0)) return a;
      if (op == BinOp::kAdd && IsImmEqual(a, 0)) return b;
      if (op == BinOp::kSub && IsImmEqual(b, 0)) return a;
      if (op == BinOp::kMul && IsImmEqual(b, 1)) return a;
      if (op == BinOp::kMul && IsImmEqual(a, 1)) return b;
      if (op == BinOp::kMul && (IsImmEqual(a, 0) || IsImmEqual(b, 0))) return Imm(e.dtype(), 0);
    }
    return e;
  }

  // Two widening casts without change of sign are one.
  static Expr DoCast(const Expr& e) {
    const Expr& inner = e->args[0];
    if (inner->kind != ExprKind::kUn || inner->un() != UnOp::kCast) return e;
    const Expr& x = inner->args[0];
    if (IsInt(x.dtype()) && IsInt(inner.dtype()) && IsInt(e.dtype()) &&
        inner.dtype() != DType::kUint8 && SizeOf(inner.dtype()) > SizeOf(x.dtype()) &&
        SizeOf(e.dtype()) >= SizeOf(inner.dtype())) {
      return Cast(e.dtype(), x);
    }
    return e;
  }

  Stmt DoFor(const Stmt& s) {
    const Expr min = Do(s->min), extent = Do(s->extent);
    const Interval first = BoundsOf(min, ranges_), count = BoundsOf(extent, ranges_);
    if (count.hi <= 0) return Stmt();
    // Keep loops of a single group: memory allocated inside such a loop belongs to the group.
    const bool group = s->loop >= LoopKind::kGridX && s->loop <= LoopKind::kGridZ;
    if (IsImmEqual(extent, 1) && !group) return Do(Substitute(s->body[0], {{s->var.get(), min}}));
    Interval range{first.lo, Interval::kHighest};
    if (first.hi < Interval::kHighest && count.hi < Interval::kHighest)
      range.hi = first.hi + count.hi - 1;
    ranges_.Set(s->var, range);
    const Stmt body = Do(s->body[0]);
    ranges_.Erase(s->var);
    if (!body || (body->kind == StmtKind::kSeq && body->body.empty())) return Stmt();
    return For(s->var, min, extent, s->loop, body);
  }

  Ranges ranges_;
};

}  // namespace

Expr Simplify(const Expr& e, const Ranges& ranges) { return Simplifier(ranges).Do(e); }

Stmt Simplify(const Stmt& s, const Ranges& ranges) {
  const Stmt out = Simplifier(ranges).Do(s);
  return out ? out : Seq({});
}

Func Simplify(const Func& f) { return {f.name, f.params, Simplify(f.body)}; }

bool ProveTrue(const Expr& condition, const Ranges& ranges) {
  const Expr c = Simplify(condition, ranges);
  return IsConstant(c) && c->ivalue != 0;
}

}  // namespace tessera::ir
