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

bool IsSum(const Expr& e) {
  if (e->kind == ExprKind::kUn) return e->un() == UnOp::kNeg;
  return e->kind == ExprKind::kBin && e->bin() <= BinOp::kMul;
}

// Whether |e| has no parts but sums and products of leaves.
bool OnlySums(const Expr& e) {
  return e->args.empty() || (IsSum(e) && std::ranges::all_of(e->args, OnlySums));
}

bool ComparesIndices(const Expr& e) {
  return e->kind == ExprKind::kBin && e->bin() >= BinOp::kEq && IsIndex(e->args[0]) &&
         !(IsConstant(e->args[0]) && IsConstant(e->args[1]));
}

Expr Bool(bool value) { return Imm(DType::kBool, value); }

// Whether |e| is FromLinear(|form|) already.
bool IsFormOf(const Expr& e, const Linear& form) {
  const auto is = [](const Expr& x, BinOp op) {
    return x->kind == ExprKind::kBin && x->bin() == op;
  };
  if (form.terms.empty()) return IsImmEqual(e, form.constant);
  const Expr* sum = &e;  // without the operands that have been compared
  if (form.constant != 0) {
    if (!is(e, BinOp::kAdd) || !IsImmEqual(e->args[1], form.constant)) return false;
    sum = &e->args[0];
  }
  for (size_t k = form.terms.size(); k-- > 0;) {
    const Expr* term = sum;
    if (k > 0) {
      if (!is(*sum, BinOp::kAdd)) return false;
      term = &(*sum)->args[1];
      sum = &(*sum)->args[0];
    }
    if (form.terms[k].coeff != 1) {
      if (!is(*term, BinOp::kMul) || !IsImmEqual((*term)->args[1], form.terms[k].coeff))
        return false;
      term = &(*term)->args[0];
    }
    if (!Equal(*term, form.terms[k].atom)) return false;
  }
  return true;
}

// The result, 0 or 1, of comparing |difference| with 0 if bounds decide it; else 2.
int Decide(BinOp op, const Linear& difference, const Ranges& ranges) {
  const Interval d = BoundsOf(difference, ranges);
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

// |e|, which compares operands that are |difference| apart, as "form <op> constant": variables
// left.
Expr NormalCompare(const Expr& e, const Linear& difference) {
  Linear left, right;
  for (const Linear::Term& t : difference.terms) {
    if (t.coeff > 0) {
      left.terms.push_back(t);
    } else {
      right.terms.push_back({t.atom, -t.coeff});
    }
  }
  const bool equality = e->bin() == BinOp::kEq || e->bin() == BinOp::kNe;
  // x + c < 0 reads better as x < -c
  if (difference.constant > 0 && (equality || !right.terms.empty())) {
    left.constant = difference.constant;
  } else {
    right.constant = -difference.constant;
  }
  if (IsFormOf(e->args[0], left) && IsFormOf(e->args[1], right)) return e;
  return Bin(e->bin(), FromLinear(left), FromLinear(right));
}

// Simplifies expressions. |ranges| is another object's, which may change it between calls.
class ExprSimplifier {
 public:
  explicit ExprSimplifier(const Ranges& ranges) : ranges_(ranges) {}

  Expr Do(const Expr& e) {
    if (IsIndex(e)) {
      const Linear form = ToLinear(OnlySums(e) ? e : WithSimpleParts(e), ranges_);
      return IsFormOf(e, form) ? e : FromLinear(form);
    }
    if (ComparesIndices(e)) return Compare(e);
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

 private:
  // |e|, an index, with its parts simplified. Sums and products do not count as parts: the form of
  // all of |e| has them.
  Expr WithSimpleParts(const Expr& e) {
    return MapOperands(e, [&](const Expr& a) {
      return IsSum(e) && (IsSum(a) || a->args.empty()) ? WithSimpleParts(a) : Do(a);
    });
  }

  Expr Compare(const Expr& e) {
    const Linear difference = Add(ToLinear(WithSimpleParts(e->args[0]), ranges_),
                                  ToLinear(WithSimpleParts(e->args[1]), ranges_), -1);
    const int decided = Decide(e->bin(), difference, ranges_);
    return decided == 2 ? NormalCompare(e, difference) : Bool(decided == 1);
  }

  Expr DoBin(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    const BinOp op = e->bin();
    if (IsConstant(a) && IsConstant(b)) {
      LaneValue out;
      if (ApplyBin(op, a.dtype(), ToLane(a), ToLane(b), &out)) return FromLane(e.dtype(), out);
      return e;  // a division by zero stays where it is
    }
    if (e.dtype() == DType::kBool && op >= BinOp::kEq) return e;
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

  const Ranges& ranges_;
};

class StmtSimplifier {
 public:
  explicit StmtSimplifier(const Ranges& ranges) : ranges_(ranges) {}

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
        if (c.get() == s->value.get() && a.get() == s->body[0].get() &&
            (s->body.size() == 1 || b.get() == s->body[1].get())) {
          return s;
        }
        return a ? If(c, a, b) : If(Not(c), b);
      }
      default:
        return MapParts(
            s, [&](const Expr& e) { return Do(e); }, [&](const Stmt& b) { return Do(b); });
    }
  }

 private:
  Expr Do(const Expr& e) const { return ExprSimplifier(ranges_).Do(e); }

  Stmt DoFor(const Stmt& s) {
    const Expr min = Do(s->min), extent = Do(s->extent);
    const Interval first = BoundsOf(min, ranges_), count = BoundsOf(extent, ranges_);
    if (count.hi <= 0) return Stmt();
    // Keep loops of a single group: memory allocated inside such a loop belongs to the group.
    const bool group = s->loop >= LoopKind::kGridX && s->loop <= LoopKind::kGridZ;
    const bool once = IsImmEqual(extent, 1) && !group;
    if (once && !IsConstant(min)) return Do(Substitute(s->body[0], {{s->var.get(), min}}));
    Interval range{first.lo, Interval::kHighest};
    if (first.hi < Interval::kHighest && count.hi < Interval::kHighest)
      range.hi = first.hi + count.hi - 1;
    ranges_.Set(s->var, range);  // of one value: forms have that in its place
    const Stmt body = Do(s->body[0]);
    ranges_.Erase(s->var);
    if (once) return body;
    if (!body || (body->kind == StmtKind::kSeq && body->body.empty())) return Stmt();
    if (min.get() == s->min.get() && extent.get() == s->extent.get() &&
        body.get() == s->body[0].get()) {
      return s;
    }
    return For(s->var, min, extent, s->loop, body);
  }

  Ranges ranges_;
};

}  // namespace

Expr Simplify(const Expr& e, const Ranges& ranges) { return ExprSimplifier(ranges).Do(e); }

Stmt Simplify(const Stmt& s, const Ranges& ranges) {
  const Stmt out = StmtSimplifier(ranges).Do(s);
  return out ? out : Seq({});
}

Func Simplify(const Func& f) { return {f.name, f.params, Simplify(f.body)}; }

bool ProveTrue(const Expr& condition, const Ranges& ranges) {
  if (ComparesIndices(condition)) {  // mostly bounds tell without a simpler expression
    const Linear difference =
        Add(ToLinear(condition->args[0], ranges), ToLinear(condition->args[1], ranges), -1);
    if (Decide(condition->bin(), difference, ranges) == 1) return true;
  }
  const Expr c = Simplify(condition, ranges);
  return IsConstant(c) && c->ivalue != 0;
}

}  // namespace tessera::ir
