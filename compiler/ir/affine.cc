// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/affine.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"

namespace tessera::ir {
namespace {

int64_t FloorQuotient(int64_t a, int64_t b) {
  return a / b - ((a % b != 0 && ((a < 0) != (b < 0))) ? 1 : 0);
}
int64_t FloorRemainder(int64_t a, int64_t b) { return a - FloorQuotient(a, b) * b; }

int64_t Saturate(__int128 v) {
  return static_cast<int64_t>(std::clamp<__int128>(v, Interval::kLowest, Interval::kHighest));
}

Interval Sum(Interval a, Interval b) {
  return {a.lo == Interval::kLowest || b.lo == Interval::kLowest
              ? Interval::kLowest
              : Saturate(static_cast<__int128>(a.lo) + b.lo),
          a.hi == Interval::kHighest || b.hi == Interval::kHighest
              ? Interval::kHighest
              : Saturate(static_cast<__int128>(a.hi) + b.hi)};
}

Interval Times(Interval a, int64_t k) {
  auto mul = [k](int64_t x) {
    if (k == 0) return int64_t{0};
    if (x == Interval::kLowest || x == Interval::kHighest) {
      return (x < 0) == (k > 0) ? Interval::kLowest : Interval::kHighest;
    }
    return Saturate(static_cast<__int128>(x) * k);
  };
  return k >= 0 ? Interval{mul(a.lo), mul(a.hi)} : Interval{mul(a.hi), mul(a.lo)};
}

Interval DivBounds(Interval a, int64_t k) {
  return {a.lo == Interval::kLowest ? a.lo : FloorQuotient(a.lo, k),
          a.hi == Interval::kHighest ? a.hi : FloorQuotient(a.hi, k)};
}

Interval ModBounds(Interval a, int64_t k) {
  if (a.known() && FloorQuotient(a.lo, k) == FloorQuotient(a.hi, k)) {
    return {FloorRemainder(a.lo, k), FloorRemainder(a.hi, k)};
  }
  return {0, k - 1};
}

Interval AtomBounds(const Expr& e, const Ranges& ranges);

void AddTerm(Linear* form, const Expr& atom, int64_t coeff) {
  for (size_t i = 0; i < form->terms.size(); ++i) {
    if (!Equal(form->terms[i].atom, atom)) continue;
    form->terms[i].coeff += coeff;
    if (form->terms[i].coeff == 0) form->terms.erase(form->terms.begin() + i);
    return;
  }
  if (coeff == 0) return;
  if (form->terms.empty()) form->terms.reserve(4);  // as many as most forms have
  form->terms.push_back({atom, coeff});
}

void AddForm(Linear* form, const Linear& other, int64_t factor) {
  for (const Linear::Term& t : other.terms) AddTerm(form, t.atom, t.coeff * factor);
  form->constant += other.constant * factor;
}

Linear FormOf(const Expr& e, const FormMap* values, const Ranges& ranges);

// Adds |factor| times the form of |e|, in which |values| (null: none) replaces variables. Variables
// and their multiples, the most frequent operands of sums, need no form of their own.
void AddExpr(Linear* form, const Expr& e, int64_t factor, const FormMap* values,
             const Ranges& ranges) {
  int64_t k = 0;
  if (e->kind == ExprKind::kBin && e->bin() == BinOp::kMul && e->args[0]->kind == ExprKind::kVar &&
      IsImm(e->args[1], &k)) {
    AddExpr(form, e->args[0], factor * k, values, ranges);
  } else if (e->kind == ExprKind::kImm) {
    form->constant += factor * e->ivalue;
  } else if (e->kind == ExprKind::kVar) {
    if (const Linear* of = values == nullptr ? nullptr : values->Of(e.get()))
      return AddForm(form, *of, factor);
    const Interval range = ranges.Of(e);
    if (range.lo == range.hi) {
      form->constant += factor * range.lo;
    } else {
      AddTerm(form, e, factor);
    }
  } else {
    AddForm(form, FormOf(e, values, ranges), factor);
  }
}

Linear DivLinear(const Linear& x, int64_t k, const Ranges& ranges);

// Rewrites x/k * k*c + x%k * c as x * c.
void Recombine(Linear* form, const Ranges& ranges) {
  for (size_t i = 0; i < form->terms.size(); ++i) {
    const Expr& mod = form->terms[i].atom;
    int64_t k = 0;
    if (mod->kind != ExprKind::kBin || mod->bin() != BinOp::kMod || !IsImm(mod->args[1], &k))
      continue;
    const int64_t c = form->terms[i].coeff;
    const Linear x = ToLinear(mod->args[0], ranges), quotient = DivLinear(x, k, ranges);
    if (quotient.terms.size() != 1 || quotient.constant != 0) continue;
    const Linear::Term& div = quotient.terms[0];
    for (size_t j = 0; j < form->terms.size(); ++j) {
      if (form->terms[j].coeff != c * k * div.coeff || !Equal(form->terms[j].atom, div.atom))
        continue;
      Linear rest = *form;
      rest.terms.erase(rest.terms.begin() + std::max(i, j));
      rest.terms.erase(rest.terms.begin() + std::min(i, j));
      AddForm(&rest, x, c);
      *form = std::move(rest);
      return Recombine(form, ranges);
    }
  }
}

// Splits |x| into k * quotient + rest; no coefficient of rest is divisible by k.
void SplitBy(const Linear& x, int64_t k, Linear* quotient, Linear* rest) {
  for (const Linear::Term& t : x.terms) {
    if (t.coeff % k == 0) {
      quotient->terms.push_back({t.atom, t.coeff / k});
    } else {
      rest->terms.push_back(t);
    }
  }
  quotient->constant = FloorQuotient(x.constant, k);
  rest->constant = FloorRemainder(x.constant, k);
}

// A divisor g > 1 of |k| with |x| = g * y + r and 0 <= r < g; 1: none is found.
int64_t SplitByDivisor(const Linear& x, int64_t k, const Ranges& ranges, Linear* y, Linear* r) {
  std::vector<int64_t> divisors{k};
  for (const Linear::Term& t : x.terms) divisors[0] = std::gcd(divisors[0], t.coeff);
  for (const Linear::Term& t : x.terms) divisors.push_back(std::gcd(k, t.coeff));
  for (const int64_t g : divisors) {
    *y = *r = {};
    SplitBy(x, g, y, r);
    const Interval bounds = BoundsOf(*r, ranges);
    if (g > 1 && bounds.lo >= 0 && bounds.hi < g) return g;
  }
  return 1;
}

// floor(x / k) and x mod k for k >= 1.
Linear ModLinear(const Linear& x, int64_t k, const Ranges& ranges) {
  if (k == 1) return {};
  Linear quotient, rest;
  SplitBy(x, k, &quotient, &rest);
  const Interval bounds = BoundsOf(rest, ranges);
  if (bounds.known() && FloorQuotient(bounds.lo, k) == FloorQuotient(bounds.hi, k)) {
    rest.constant -= FloorQuotient(bounds.lo, k) * k;
    return rest;
  }
  // (g*y + r) mod (g*m) = g * (y mod m) + r for 0 <= r < g.
  Linear y, r;
  const int64_t g = SplitByDivisor(rest, k, ranges, &y, &r);
  if (g > 1) return Add(Scale(ModLinear(y, k / g, ranges), g), r);
  // (x mod (k*j)) mod k = x mod k.
  if (rest.terms.size() == 1 && rest.terms[0].coeff == 1 && rest.constant == 0) {
    const Expr& atom = rest.terms[0].atom;
    int64_t inner = 0;
    if (atom->kind == ExprKind::kBin && atom->bin() == BinOp::kMod &&
        IsImm(atom->args[1], &inner) && inner > 0 && inner % k == 0) {
      return ModLinear(ToLinear(atom->args[0], ranges), k, ranges);
    }
  }
  Linear out;
  out.terms.push_back({FloorMod(FromLinear(rest), Expr(k)), 1});
  return out;
}

Linear DivLinear(const Linear& x, int64_t k, const Ranges& ranges) {
  if (k == 1) return x;
  Linear quotient, rest;
  SplitBy(x, k, &quotient, &rest);
  const Interval bounds = BoundsOf(rest, ranges);
  if (bounds.known() && FloorQuotient(bounds.lo, k) == FloorQuotient(bounds.hi, k)) {
    quotient.constant += FloorQuotient(bounds.lo, k);
    return quotient;
  }
  // floor((g*y + r) / (g*m)) = floor(y / m) for 0 <= r < g.
  Linear y, r;
  const int64_t g = SplitByDivisor(rest, k, ranges, &y, &r);
  if (g > 1) return Add(quotient, DivLinear(y, k / g, ranges));
  // floor((y + floor(x / j)) / k) = floor((j*y + x) / (j*k)).
  for (const Linear::Term& t : rest.terms) {
    int64_t inner = 0;
    if (t.coeff != 1 || t.atom->kind != ExprKind::kBin || t.atom->bin() != BinOp::kDiv ||
        !IsImm(t.atom->args[1], &inner) || inner <= 0)
      continue;
    Linear dividend = Scale(Add(rest, {{{t.atom, 1}}, 0}, -1), inner);
    AddForm(&dividend, ToLinear(t.atom->args[0], ranges), 1);
    return Add(quotient, DivLinear(dividend, inner * k, ranges));
  }
  AddTerm(&quotient, FloorDiv(FromLinear(rest), Expr(k)), 1);
  return quotient;
}

Linear FormOf(const Expr& e, const FormMap* values, const Ranges& ranges) {
  TESSERA_CHECK(e.lanes() == 1 && e.dtype() == DType::kInt64);
  Linear out;
  if (e->kind == ExprKind::kImm || e->kind == ExprKind::kVar) {
    AddExpr(&out, e, 1, values, ranges);
    return out;
  }
  if (e->kind == ExprKind::kUn && e->un() == UnOp::kNeg)
    return Scale(FormOf(e->args[0], values, ranges), -1);
  if (e->kind == ExprKind::kBin) {
    int64_t k = 0;
    switch (e->bin()) {
      case BinOp::kAdd:
      case BinOp::kSub:
        out = FormOf(e->args[0], values, ranges);
        AddExpr(&out, e->args[1], e->bin() == BinOp::kAdd ? 1 : -1, values, ranges);
        Recombine(&out, ranges);
        return out;
      case BinOp::kMul: {
        Linear a = FormOf(e->args[0], values, ranges);
        if (IsImm(e->args[1], &k)) return Scale(std::move(a), k);
        Linear b = FormOf(e->args[1], values, ranges);
        if (b.IsConstant()) return Scale(std::move(a), b.constant);
        if (a.IsConstant()) return Scale(std::move(b), a.constant);
        out.terms.push_back({FromLinear(a) * FromLinear(b), 1});
        return out;
      }
      case BinOp::kDiv:
      case BinOp::kMod:
        if (IsImm(e->args[1], &k) && k > 0) {
          const Linear x = FormOf(e->args[0], values, ranges);
          return e->bin() == BinOp::kDiv ? DivLinear(x, k, ranges) : ModLinear(x, k, ranges);
        }
        break;
      case BinOp::kMin:
      case BinOp::kMax: {
        const bool is_min = e->bin() == BinOp::kMin;
        const Linear a = FormOf(e->args[0], values, ranges), b = FormOf(e->args[1], values, ranges);
        const Interval difference = BoundsOf(Add(a, b, -1), ranges);
        if (difference.hi <= 0) return is_min ? a : b;
        if (difference.lo >= 0) return is_min ? b : a;
        out.terms.push_back({Bin(e->bin(), FromLinear(a), FromLinear(b)), 1});
        return out;
      }
      default:
        break;
    }
  }
  out.terms.push_back({values == nullptr ? e : Substitute(e, FromLinear(*values)), 1});
  return out;
}

Interval AtomBounds(const Expr& e, const Ranges& ranges) {
  switch (e->kind) {
    case ExprKind::kImm:
      return {e->ivalue, e->ivalue};
    case ExprKind::kVar:
      return ranges.Of(e);
    case ExprKind::kSelect: {
      const Interval a = BoundsOf(e->args[1], ranges), b = BoundsOf(e->args[2], ranges);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case ExprKind::kBin: {
      const Interval a = BoundsOf(e->args[0], ranges), b = BoundsOf(e->args[1], ranges);
      switch (e->bin()) {
        case BinOp::kMin:
          return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
        case BinOp::kMax:
          return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
        case BinOp::kDiv:
          if (b.lo == b.hi && b.lo > 0) return DivBounds(a, b.lo);
          break;
        case BinOp::kMod:
          if (b.lo == b.hi && b.lo > 0) return ModBounds(a, b.lo);
          break;
        case BinOp::kMul:
          if (a.known() && b.known()) {
            const Interval x = Times(a, b.lo), y = Times(a, b.hi);
            return {std::min(x.lo, y.lo), std::max(x.hi, y.hi)};
          }
          break;
        default:
          break;
      }
      break;
    }
    default:
      break;
  }
  if (e.dtype() == DType::kBool) return {0, 1};
  return {};
}

}  // namespace

int64_t Linear::CoeffOf(const Expr& var) const {
  for (const Term& t : terms) {
    if (t.atom.get() == var.get()) return t.coeff;
  }
  return 0;
}

bool Linear::IsAffineIn(const std::vector<Expr>& vars) const {
  for (const Term& t : terms) {
    for (const Expr& v : vars) {
      if (t.atom.get() != v.get() && UsesVar(t.atom, v)) return false;
    }
  }
  return true;
}

const Linear* FormMap::Of(const ExprNode* var) const {
  const auto found = find(var);
  if (found != end()) return &found->second;
  return others == nullptr ? nullptr : others->Of(var);
}

Linear Scale(Linear a, int64_t factor) {
  if (factor == 0) return {};
  for (Linear::Term& t : a.terms) t.coeff *= factor;
  a.constant *= factor;
  return a;
}

Linear Add(Linear a, const Linear& b, int64_t factor) {
  AddForm(&a, b, factor);
  return a;
}

Linear Sum(Linear a, const Linear& b, const Ranges& ranges) {
  AddForm(&a, b, 1);
  Recombine(&a, ranges);
  return a;
}

void AddVar(Linear* sum, const Expr& var, int64_t factor, const FormMap& values,
            const Ranges& ranges) {
  AddExpr(sum, var, factor, &values, ranges);
  Recombine(sum, ranges);
}

bool UsesVar(const Linear& form, const VarSet& vars) {
  return std::ranges::any_of(form.terms,
                             [&](const Linear::Term& t) { return UsesVar(t.atom, vars); });
}

Linear ToLinear(const Expr& e, const Ranges& ranges) { return FormOf(e, nullptr, ranges); }

Linear ToLinear(const Expr& e, const FormMap& values, const Ranges& ranges) {
  return FormOf(e, &values, ranges);
}

Expr FromLinear(const Linear& form) {
  Expr sum;
  for (const Linear::Term& t : form.terms) {
    const Expr term = t.coeff == 1 ? t.atom : t.atom * Expr(t.coeff);
    sum = sum ? sum + term : term;
  }
  if (!sum) return Expr(form.constant);
  return form.constant == 0 ? sum : sum + Expr(form.constant);
}

VarMap FromLinear(const FormMap& values) {
  VarMap all = values.others == nullptr ? VarMap() : FromLinear(*values.others);
  for (const auto& [var, form] : values) all[var] = FromLinear(form);
  return all;
}

Interval BoundsOf(const Linear& form, const Ranges& ranges) {
  Interval sum{form.constant, form.constant};
  for (const Linear::Term& t : form.terms)
    sum = Sum(sum, Times(AtomBounds(t.atom, ranges), t.coeff));
  return sum;
}

Interval BoundsOf(const Expr& e, const Ranges& ranges) {
  const bool alone = e->kind == ExprKind::kVar || e->kind == ExprKind::kImm;
  if (alone || e.dtype() != DType::kInt64 || e.lanes() != 1) return AtomBounds(e, ranges);
  return BoundsOf(ToLinear(e, ranges), ranges);
}

}  // namespace tessera::ir
