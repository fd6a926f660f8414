// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/bounds.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Interval;
using ir::Linear;
using ir::Ranges;
using schedule::Attach;
using schedule::Relation;
using schedule::Schedule;
using schedule::Stage;
using VarSet = std::set<const ir::ExprNode*>;

// The lowest and highest value of an index while the loops around stand still.
struct Reach {
  Linear lo, hi;
  bool known = true;
};

bool Moves(const Expr& e, const VarSet& fixed) {
  bool moves = false;
  ir::Visit(e, [&](const Expr& x) {
    moves |= x->kind == ir::ExprKind::kVar && !fixed.contains(x.get());
  });
  return moves;
}

Reach ReachOf(const Expr& e, const VarSet& fixed, const Ranges& ranges);

Reach ReachOfAtom(const Expr& atom, const VarSet& fixed, const Ranges& ranges) {
  Reach r;
  int64_t k = 0;
  if (atom->kind == ir::ExprKind::kBin &&
      (atom->bin() == ir::BinOp::kDiv || atom->bin() == ir::BinOp::kMod) &&
      ir::IsImm(atom->args[1], &k) && k > 0) {
    const Reach x = ReachOf(atom->args[0], fixed, ranges);
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

Reach ReachOf(const Expr& e, const VarSet& fixed, const Ranges& ranges) {
  const Linear form = ir::ToLinear(e, ranges);
  Reach r;
  r.lo.constant = r.hi.constant = form.constant;
  for (const Linear::Term& t : form.terms) {
    if (!Moves(t.atom, fixed)) {
      Linear same;
      same.terms.push_back({t.atom, 1});
      r.lo = ir::Add(r.lo, same, t.coeff);
      r.hi = ir::Add(r.hi, same, t.coeff);
      continue;
    }
    const Reach a = ReachOfAtom(t.atom, fixed, ranges);
    if (!a.known) {
      r.known = false;
      return r;
    }
    r.lo = ir::Add(r.lo, t.coeff > 0 ? a.lo : a.hi, t.coeff);
    r.hi = ir::Add(r.hi, t.coeff > 0 ? a.hi : a.lo, t.coeff);
  }
  return r;
}

class Inference {
 public:
  explicit Inference(const Schedule& schedule) : schedule_(schedule) {}

  Result<Bounds> Run() {
    const std::vector<Stage>& stages = schedule_.stages();
    for (size_t i = stages.size(); i-- > 0;) {
      const Stage& stage = stages[i];
      if (stage.attach == Attach::kInline) continue;
      StageBounds& b = out_.stages[stage.name];  // a map: references stay
      b.limit = Limit(stage);
      for (size_t d = 0; d < stage.shape.size(); ++d) {
        b.min.push_back(Expr(0));
        b.extent.push_back(stage.placeholder ? b.limit[d] : stage.shape[d]);
      }
      if (stage.placeholder) continue;
      if (stage.attach == Attach::kAt) {
        const Stage* outer = schedule_.Find(stage.at_stage);
        if (outer->attach == Attach::kInline || outer->LeafIndex(stage.at_axis) < 0) {
          return Fail(Code::kInvalidArgument,
                      "{} is computed at loop {} of {}, which a later step took away", stage.name,
                      stage.at_axis, stage.at_stage);
        }
        TESSERA_TRY(FindBox(stage, &b));
      }
      MakeLoops(stage, &b);
    }
    return std::move(out_);
  }

 private:
  // The shape, grown to whole blocks of the layout and of padded splits.
  static std::vector<int64_t> Limit(const Stage& stage) {
    ir::BufferNode node{
        .name = stage.name, .dtype = stage.dtype, .shape = stage.shape, .layout = stage.layout};
    std::vector<int64_t> limit = ir::PaddedShape(node);
    for (const Relation& r : stage.relations) {
      if (!r.is_split || !r.pad) continue;
      for (size_t d = 0; d < stage.axes.size(); ++d) {
        if (stage.axes[d].var.get() == r.parent.get())
          limit[d] = std::max(limit[d], RoundUp(stage.shape[d], r.factor));
      }
    }
    return limit;
  }

  // Union of what the readers need while the loops around |stage| stand still.
  Status FindBox(const Stage& stage, StageBounds* b) {
    const VarSet fixed = FixedVars(schedule_, stage);
    const size_t rank = stage.shape.size();
    std::vector<Linear> lo(rank), hi(rank);
    std::vector<bool> any(rank, false), whole(rank, false);
    for (const Stage* reader : schedule_.Consumers(stage.name)) {
      const StageBounds& rb = out_.stages.at(reader->name);
      const ir::VarMap roots = RootsFor(*reader, rb, fixed);
      ir::Visit(reader->body, [&](const Expr& e) {
        if (e->kind != ir::ExprKind::kTensorRead || e->tensor->name != stage.name) return;
        for (size_t d = 0; d < rank; ++d) {
          const Reach r = ReachOf(ir::Substitute(e->args[d], roots), fixed, out_.ranges);
          if (!r.known) {
            whole[d] = true;
          } else if (!any[d]) {
            lo[d] = r.lo;
            hi[d] = r.hi;
          } else {
            whole[d] = whole[d] || !Widen(r, &lo[d], &hi[d]);
          }
          any[d] = true;
        }
      });
    }
    for (size_t d = 0; d < rank; ++d) {
      if (lo[d].IsConstant() && hi[d].IsConstant()) {
        lo[d].constant = std::max<int64_t>(lo[d].constant, 0);
        hi[d].constant = std::min<int64_t>(hi[d].constant, b->limit[d] - 1);
      }
      const int64_t extent = ir::BoundsOf(ir::Add(hi[d], lo[d], -1), out_.ranges).hi + 1;
      if (whole[d] || !any[d] || extent >= b->limit[d]) {
        b->min[d] = Expr(0);
        b->extent[d] = std::max(b->limit[d], stage.shape[d]);
        continue;
      }
      if (extent < 1) {
        return Fail(Code::kInvalidArgument,
                    "{}: no element of dimension {} is needed where it is computed, at {} of {}",
                    stage.name, d, stage.at_axis, stage.at_stage);
      }
      b->min[d] = ir::FromLinear(lo[d]);
      b->extent[d] = extent;
    }
    return {};
  }

  // False when the two reaches are not a constant apart.
  static bool Widen(const Reach& r, Linear* lo, Linear* hi) {
    const Linear below = ir::Add(r.lo, *lo, -1), above = ir::Add(r.hi, *hi, -1);
    if (!below.IsConstant() || !above.IsConstant()) return false;
    if (below.constant < 0) *lo = r.lo;
    if (above.constant > 0) *hi = r.hi;
    return true;
  }

  // Root variables of |reader| for the analysis. An axis none of whose loops stands still is taken
  // as one variable over its exact range, which a split that does not divide would overstate.
  ir::VarMap RootsFor(const Stage& reader, const StageBounds& rb, const VarSet& fixed) {
    ir::VarMap roots;
    auto add = [&](const ir::Axis& axis, const Expr& min, int64_t extent) {
      const Expr value = rb.values.at(axis.var.get());
      bool stands = false;
      ir::Visit(value, [&](const Expr& x) { stands |= fixed.contains(x.get()); });
      if (stands && !OnlyInMin(value, min, fixed)) {
        roots[axis.var.get()] = value;
        return;
      }
      const Expr fresh = ir::Var(axis.name());
      out_.ranges.Set(fresh, {0, extent - 1});
      roots[axis.var.get()] = min + fresh;
    };
    for (size_t d = 0; d < reader.axes.size(); ++d) {
      add(reader.axes[d], rb.min[d], std::max(rb.extent[d], PaddedExtent(reader, rb, d)));
    }
    for (const ir::Axis& a : reader.reduce_axes) add(a, Expr(a.min), a.extent);
    return roots;
  }

  // Do the fixed variables of |value| all come from the box's minimum? Then the loops of the axis
  // move.
  static bool OnlyInMin(const Expr& value, const Expr& min, const VarSet& fixed) {
    bool all = true;
    ir::Visit(value, [&](const Expr& x) {
      if (fixed.contains(x.get()) && !ir::UsesVar(min, x)) all = false;
    });
    return all;
  }

  // Iterations of an axis that a padded split rounds up.
  static int64_t PaddedExtent(const Stage& stage, const StageBounds& b, size_t d) {
    int64_t extent = b.extent[d];
    for (const Relation& r : stage.relations) {
      if (r.is_split && r.pad && r.parent.get() == stage.axes[d].var.get())
        extent = RoundUp(extent, r.factor);
    }
    return extent;
  }

  void MakeLoops(const Stage& stage, StageBounds* b) {
    std::unordered_map<const ir::ExprNode*, int64_t>& extents = b->extents;
    for (size_t d = 0; d < stage.axes.size(); ++d) extents[stage.axes[d].var.get()] = b->extent[d];
    for (const ir::Axis& a : stage.reduce_axes) extents[a.var.get()] = a.extent;
    for (const Relation& r : stage.relations) {
      if (r.is_split) {
        const int64_t parent = extents.at(r.parent.get());
        const int64_t inner = r.pad ? r.factor : std::min(r.factor, parent);
        extents[r.inner.get()] = inner;
        extents[r.outer.get()] = CeilDiv(parent, inner);
      } else {
        extents[r.parent.get()] = extents.at(r.outer.get()) * extents.at(r.inner.get());
      }
    }
    for (const schedule::LoopAxis& leaf : stage.leaves) {
      out_.ranges.Set(leaf.var, {0, extents.at(leaf.var.get()) - 1});
    }
    // From the leaves back to the roots.
    ir::VarMap value;
    auto value_of = [&](const Expr& var) {
      auto it = value.find(var.get());
      return it == value.end() ? var : it->second;
    };
    for (size_t i = stage.relations.size(); i-- > 0;) {
      const Relation& r = stage.relations[i];
      if (!r.is_split) {
        const int64_t inner = extents.at(r.inner.get());
        const Expr fused = value_of(r.parent);
        value[r.outer.get()] = ir::FloorDiv(fused, Expr(inner));
        value[r.inner.get()] = ir::FloorMod(fused, Expr(inner));
        continue;
      }
      const int64_t inner = extents.at(r.inner.get()), parent = extents.at(r.parent.get());
      value[r.parent.get()] = value_of(r.outer) * Expr(inner) + value_of(r.inner);
      if (!r.pad && parent % inner != 0)
        b->guards.push_back(ir::Lt(value[r.parent.get()], Expr(parent)));
    }
    for (size_t d = 0; d < stage.axes.size(); ++d) {
      const Expr var = stage.axes[d].var;
      const Expr index = b->min[d] + value_of(var);
      b->values[var.get()] = ir::Simplify(index, out_.ranges);
      if (stage.attach == Attach::kAt) {
        b->guards.push_back(ir::Le(Expr(0), index));
        b->guards.push_back(ir::Lt(index, Expr(b->limit[d])));
      }
    }
    for (const ir::Axis& a : stage.reduce_axes)
      b->values[a.var.get()] = ir::Simplify(Expr(a.min) + value_of(a.var), out_.ranges);
    std::vector<Expr> open;
    for (const Expr& g : b->guards) {
      if (!ir::ProveTrue(g, out_.ranges)) open.push_back(ir::Simplify(g, out_.ranges));
    }
    b->guards = std::move(open);
  }

  const Schedule& schedule_;
  Bounds out_;
};

}  // namespace

VarSet FixedVars(const Schedule& schedule, const Stage& stage) {
  VarSet fixed;
  const Stage* inner = &stage;
  while (inner->attach == Attach::kAt) {
    const Stage* outer = schedule.Find(inner->at_stage);
    TESSERA_CHECK(outer != nullptr);
    const int last = outer->LeafIndex(inner->at_axis);
    for (int i = 0; i <= last; ++i) fixed.insert(outer->leaves[i].var.get());
    inner = outer;
  }
  return fixed;
}

Result<Bounds> InferBounds(const Schedule& schedule) { return Inference(schedule).Run(); }

}  // namespace tessera::lower
