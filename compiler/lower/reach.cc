// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/reach.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Interval;
using ir::Linear;
using ir::Ranges;

Reach ReachOfAtom(const Expr& atom, const VarSet& fixed, const Ranges& ranges) {
  Reach r;
  int64_t k = 0;
  if (atom->kind == ir::ExprKind::kBin &&
      (atom->bin() == ir::BinOp::kDiv || atom->bin() == ir::BinOp::kMod) &&
      ir::IsImm(atom->args[1], &k) && k > 0) {
    const Reach x = ReachOf(ir::ToLinear(atom->args[0], ranges), fixed, ranges);
    if (x.known) {
      const Expr lo = ir::FromLinear(x.lo), hi = ir::FromLinear(x.hi);
      const Linear first = ir::ToLinear(ir::FloorDiv(lo, Expr(k)), ranges);
      const Linear last = ir::ToLinear(ir::FloorDiv(hi, Expr(k)), ranges);
      if (atom->bin() == ir::BinOp::kDiv) return {first, last, true};
      const Linear apart = ir::Add(last, first, -1);
      if (apart.IsConstant() && apart.constant == 0) {
        return {ir::ToLinear(ir::FloorMod(lo, Expr(k)), ranges),
                ir::ToLinear(ir::FloorMod(hi, Expr(k)), ranges), true};
      }
      r.hi.constant = k - 1;
      return r;
    }
  }
  const Interval bounds = ir::BoundsOf(atom, ranges);
  r.known = bounds.known();
  r.lo.constant = bounds.lo;
  r.hi.constant = bounds.hi;
  return r;
}

}  // namespace

Reach ReachOf(const Linear& form, const VarSet& fixed, const Ranges& ranges) {
  Reach r;
  r.lo.constant = form.constant;
  for (const Linear::Term& t : form.terms) {
    if (!Moves(t.atom, fixed)) r.lo.terms.push_back(t);
  }
  r.hi = r.lo;
  for (const Linear::Term& t : form.terms) {
    if (!Moves(t.atom, fixed)) continue;
    const Reach a = ReachOfAtom(t.atom, fixed, ranges);
    if (!a.known) {
      r.known = false;
      return r;
    }
    r.lo = ir::Add(std::move(r.lo), t.coeff > 0 ? a.lo : a.hi, t.coeff);
    r.hi = ir::Add(std::move(r.hi), t.coeff > 0 ? a.hi : a.lo, t.coeff);
  }
  return r;
}

bool Widen(const Reach& r, Linear* lo, Linear* hi) {
  const Linear below = ir::Add(r.lo, *lo, -1), above = ir::Add(r.hi, *hi, -1);
  if (!below.IsConstant() || !above.IsConstant()) return false;
  if (below.constant < 0) *lo = r.lo;
  if (above.constant > 0) *hi = r.hi;
  return true;
}

bool Moves(const Expr& e, const VarSet& fixed) {
  return ir::Contains(
      e, [&](const Expr& x) { return x->kind == ir::ExprKind::kVar && !fixed.contains(x.get()); });
}

const Linear& FreshVars::Of(const Expr& var, int64_t extent, Ranges* ranges) {
  const auto [fresh, made] = forms_.emplace(var.get(), {});
  if (made && extent > 1) {
    fresh->second.terms = {{ir::Var(var->name), 1}};
    ranges->Set(fresh->second.terms[0].atom, {0, extent - 1});
  }
  return fresh->second;
}

ir::FormMap ExactAxes(const schedule::Stage& stage, const schedule::LoopCounts& extents,
                      const VarSet& fixed, FreshVars* fresh, Ranges* ranges) {
  ir::FormMap values;
  values.reserve(2 * stage.relations.size());
  for (const schedule::Relation& r : stage.relations | std::views::reverse) {
    r.AddTo(&values, extents, *ranges);
    if (!r.is_split || r.pad || ir::UsesVar(values.at(r.parent.get()), fixed)) continue;
    values[r.parent.get()] = fresh->Of(r.parent, extents.at(r.parent.get()), ranges);
  }
  return values;
}

Expr WithoutRemainder(const Expr& guard, const Ranges& ranges) {
  const bool below = guard->kind == ir::ExprKind::kBin && guard->bin() == ir::BinOp::kLt,
             from = guard->kind == ir::ExprKind::kBin && guard->bin() == ir::BinOp::kLe;
  if ((!below && !from) || guard->args[0].dtype() != DType::kInt64) return guard;
  // index < limit, or limit <= index
  const size_t side = below ? 0 : 1;
  Linear index = ir::Add(ir::ToLinear(guard->args[side], ranges),
                         ir::ToLinear(guard->args[1 - side], ranges), -1);
  const int64_t limit = -index.constant;
  index.constant = 0;
  int64_t step = 0;
  for (const Linear::Term& t : index.terms) step = std::max(step, t.coeff);
  for (; step > 1; --step) {
    if (limit % step != 0) continue;
    Linear tiles, rest;
    for (const Linear::Term& t : index.terms) {
      if (t.coeff % step == 0) {
        tiles.terms.push_back({t.atom, t.coeff / step});
      } else {
        rest.terms.push_back(t);
      }
    }
    const ir::Interval reach = ir::BoundsOf(rest, ranges);
    if (tiles.terms.empty() || !reach.known() || reach.lo < 0 || reach.hi >= step) continue;
    const Expr whole = ir::FromLinear(tiles), end(limit / step);
    return below ? ir::Lt(whole, end) : ir::Le(end, whole);
  }
  return guard;
}

}  // namespace tessera::lower
