// SPDX-License-Identifier: Apache-2.0
//
// Vector loops for GPUs. A thread that fetches four elements often gets them from one loop over
// taps and channels. Inequalities and divisions of each lane's index then decide whether an element
// is inside and which tile it belongs to. All lanes agree: no vector crosses a relevant multiple.
#include <numeric>

#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/gpu/group.h"

namespace tessera::lower {
namespace {

using ir::BinOp;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

// One vector: |lane| is 0 to |lanes| - 1.
class SameInAllLanes {
 public:
  SameInAllLanes(const Expr& lane, int64_t lanes, const ir::Ranges& ranges)
      : lane_(lane), lanes_(lanes), ranges_(ranges) {}

  Stmt Do(const Stmt& s) const {
    return ir::MapParts(
        s,
        [&](const Expr& e) { return ir::Rewrite(e, [&](const Expr& x) { return Rewritten(x); }); },
        [&](const Stmt& b) { return Do(b); });
  }

 private:
  Expr Rewritten(const Expr& e) const {
    if (e->kind != ExprKind::kBin || !ir::UsesVar(e, lane_) ||
        e->args[0].dtype() != DType::kInt64 || e.lanes() > 1)
      return e;
    const Expr &a = e->args[0], &b = e->args[1];
    const BinOp op = e->bin();
    if (op == BinOp::kLt || op == BinOp::kLe) {
      // a < b: a - b is below 0; a <= b: a - b - 1 is below 0.
      ir::Linear apart = ir::Add(ir::ToLinear(a, ranges_), ir::ToLinear(b, ranges_), -1);
      if (op == BinOp::kLe) apart.constant -= 1;
      return BetweenMultiples(apart, 0) ? First(e) : e;
    }
    int64_t divisor = 0;
    if ((op != BinOp::kDiv && op != BinOp::kMod) || !ir::IsImm(b, &divisor) || divisor <= 0)
      return e;
    const ir::Linear form = ir::ToLinear(a, ranges_);
    if (!BetweenMultiples(form, divisor)) return e;
    if (op == BinOp::kDiv) return First(e);
    return First(e) + Expr(form.CoeffOf(lane_)) * lane_;
  }

  Expr First(const Expr& e) const { return ir::Substitute(e, {{lane_.get(), Expr(0)}}); }

  // Whether |form| stays between two neighbouring multiples of a unit in all lanes. The unit
  // divides |divisor| and all coefficients except the lane's.
  bool BetweenMultiples(const ir::Linear& form, int64_t divisor) const {
    if (!form.IsAffineIn({lane_})) return false;
    int64_t unit = divisor;
    for (const ir::Linear::Term& t : form.terms) {
      if (t.atom.get() != lane_.get()) unit = std::gcd(unit, t.coeff);
    }
    if (unit == 0) return false;
    const int64_t first = ((form.constant % unit) + unit) % unit;
    const int64_t last = first + form.CoeffOf(lane_) * (lanes_ - 1);
    return last >= 0 && last < unit;
  }

  const Expr lane_;
  const int64_t lanes_;
  const ir::Ranges& ranges_;
};

}  // namespace

Stmt FitVectors(const Stmt& s, int64_t lanes, const ir::Ranges& ranges) {
  const Stmt x = ir::MapParts(
      s, [](const Expr& e) { return e; },
      [&](const Stmt& b) { return FitVectors(b, lanes, ranges); });
  int64_t extent = 0;
  if (x->kind != StmtKind::kFor || x->loop != ir::LoopKind::kVector) return x;
  int64_t fit = lanes;
  while (fit > 1 && (!ir::IsImm(x->extent, &extent) || extent % fit != 0))
    fit = fit == lanes ? lanes / 2 : 1;
  if (fit <= 1) return ir::For(x->var, x->min, x->extent, ir::LoopKind::kSerial, x->body[0]);
  const Expr lane = ir::Var(x->var->name), outer = ir::Var(x->var->name + ".v");
  const Expr first = extent == fit ? x->min : x->min + outer * Expr(fit);
  const Stmt body = SameInAllLanes(lane, fit, ranges)
                        .Do(ir::Substitute(x->body[0], {{x->var.get(), first + lane}}));
  const Stmt vector = ir::For(lane, 0, Expr(fit), ir::LoopKind::kVector, body);
  if (extent == fit) return vector;
  return ir::For(outer, 0, Expr(extent / fit), ir::LoopKind::kSerial, vector);
}

}  // namespace tessera::lower
