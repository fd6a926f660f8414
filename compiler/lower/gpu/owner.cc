// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/gpu/owner.h"

#include <algorithm>

#include "compiler/ir/equal.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"
#include "compiler/target/cuda.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

void Loads(const Expr& e, unsigned path, std::vector<ElementAccess>* out) {
  ir::Visit(e, [&](const Expr& x) {
    if (x->kind == ir::ExprKind::kLoad) out->push_back({x->buffer, false, x->args, path});
  });
}

// The tiles of a warp's call. The warp's threads execute it together; thread 0 represents them.
void Tiles(const Expr& call, unsigned path, std::vector<ElementAccess>* out) {
  const std::optional<ir::TileIntrin> known = ir::FindTileIntrin(call->name);
  for (size_t a = 0; known && a < known->operands.size(); ++a) {
    const ir::OperandKind kind = known->operands[a];
    if (kind == ir::OperandKind::kValue) continue;
    const Expr& place = call->args[a];
    if (kind != ir::OperandKind::kWrite)
      out->push_back({place->buffer, false, place->args, path, true});
    if (kind != ir::OperandKind::kRead)
      out->push_back({place->buffer, true, place->args, path, true});
  }
}

void Collect(const Stmt& s, unsigned path, std::vector<ElementAccess>* out) {
  if (s->kind == StmtKind::kEval) return Tiles(s->value, path, out);
  for (const Expr& e : ir::DirectExprs(s)) Loads(e, path, out);
  if (s->kind == StmtKind::kStore) out->push_back({s->buffer, true, s->indices, path});
  if (s->kind == StmtKind::kFor && schedule::IsThread(s->loop)) path |= ThreadBit(s->loop);
  for (const Stmt& b : s->body) Collect(b, path, out);
}

bool EqualForms(const ir::Linear& a, const ir::Linear& b) {
  const ir::Linear d = ir::Add(a, b, -1);
  return d.IsConstant() && d.constant == 0;
}

}  // namespace

std::vector<ElementAccess> AccessesIn(const Stmt& s, unsigned path) {
  std::vector<ElementAccess> all;
  Collect(s, path, &all);
  return all;
}

bool HasThreadLoop(const Stmt& s) {
  bool has = false;
  ir::VisitStmts(
      s, [&](const Stmt& x) { has |= x->kind == StmtKind::kFor && schedule::IsThread(x->loop); });
  return has;
}

bool HasWarpCall(const Stmt& s) {
  bool has = false;
  ir::VisitStmts(s, [&](const Stmt& x) {
    has |= x->kind == StmtKind::kEval && target::IsWarpCall(x->value->name);
  });
  return has;
}

Owners::Owners(const GpuKernel& kernel, const ir::Ranges& ranges,
               const std::set<std::string>& loose, bool across_groups)
    : ranges_(ranges), loose_(loose) {
  const auto add = [&](const Expr& id, int64_t extent, unsigned bit, bool counts) {
    if (extent == 1) return;
    all_.push_back(id);
    if (!counts) return;
    ids_.push_back(id);
    extents_.push_back(extent);
    bits_.push_back(bit);
  };
  for (size_t k = 0; k < 3; ++k) {
    add(kernel.thread_ids[k], kernel.threads[k], 1u << k, !across_groups);
    add(kernel.group_ids[k], kernel.groups[k], 0, across_groups);
    if (!across_groups && kernel.groups[k] > 1) groups_.push_back(kernel.group_ids[k]);
  }
}

bool Owners::UsesIds(const Expr& index) const {
  return std::ranges::any_of(ids_, [&](const Expr& id) { return ir::UsesVar(index, id); });
}

bool Owners::OnlyIds(const Expr& index) const {
  return !ir::Contains(index, [&](const Expr& x) {
    if (x->kind == ir::ExprKind::kLoad) return true;
    return x->kind == ir::ExprKind::kVar &&
           std::ranges::none_of(all_, [&](const Expr& id) { return id.get() == x.get(); });
  });
}

std::optional<Share> Owners::ShareOf(const Expr& index) const {
  const ir::Linear form = ir::ToLinear(index, ranges_);
  if (!form.IsAffineIn(ids_)) return std::nullopt;
  Share share;
  share.rest.constant = form.constant;
  for (const ir::Linear::Term& t : form.terms) {
    const auto is = [&](const Expr& id) { return id.get() == t.atom.get(); };
    const auto id = std::ranges::find_if(ids_, is);
    if (id != ids_.end()) {
      share.terms.emplace_back(static_cast<int>(id - ids_.begin()), t.coeff);
    } else {
      (std::ranges::any_of(groups_, is) ? share.base : share.rest).terms.push_back(t);
    }
  }
  if (share.terms.empty()) return share;
  std::ranges::sort(share.terms, {}, &std::pair<int, int64_t>::second);
  const ir::Interval rest = ir::BoundsOf(share.rest, ranges_);
  if (!rest.known() || rest.lo < 0) return std::nullopt;
  share.rest_extent = rest.hi + 1;
  int64_t most = rest.hi;
  for (const auto& [id, coefficient] : share.terms) {
    if (coefficient <= most) return std::nullopt;
    most += coefficient * (extents_[static_cast<size_t>(id)] - 1);
  }
  return share;
}

bool Owners::Same(const ElementAccess& a, const ElementAccess& b) const {
  unsigned all = 0;
  for (const unsigned bit : bits_) all |= bit;
  if ((a.path & all) != (b.path & all)) return false;
  // Ids that do not distinguish accesses here: thread 0 alone executes both.
  const auto counts = [&](size_t id) { return bits_[id] == 0 || (a.path & bits_[id]) != 0; };
  const bool loose = loose_.contains(a.buffer->name);
  const bool one_place = std::ranges::equal(
      a.indices, b.indices, [](const Expr& x, const Expr& y) { return ir::Equal(x, y); });
  // A tile covers more than the element that is named.
  if ((a.tile || b.tile) && a.buffer->scope == ir::Scope::kShared &&
      !(one_place && a.tile == b.tile))
    return false;
  // The same place in the loops: other iterations access other elements.
  if (!loose && one_place) return true;
  // Or the dimensions with ids are equal and contain nothing else.
  bool alike = !loose;
  std::vector<bool> told(ids_.size()), used(ids_.size());
  for (size_t d = 0; d < a.indices.size(); ++d) {
    const Expr &x = a.indices[d], &y = b.indices[d];
    for (const Expr& id : all_) {
      if (ir::UsesVar(x, id) || ir::UsesVar(y, id)) alike = alike && OnlyIds(x) && ir::Equal(x, y);
    }
    const std::optional<Share> s = ShareOf(x), t = ShareOf(y);
    const bool same = s && t && s->terms == t->terms && EqualForms(s->base, t->base);
    for (size_t id = 0; id < ids_.size(); ++id) used[id] = used[id] || ir::UsesVar(x, ids_[id]);
    for (size_t i = 0; same && i < s->terms.size(); ++i)
      told[static_cast<size_t>(s->terms[i].first)] = true;
  }
  bool all_told = true, all_used = true;
  for (size_t id = 0; id < ids_.size(); ++id) {
    all_told = all_told && (told[id] || !counts(id));
    all_used = all_used && (used[id] || !counts(id));
  }
  return all_told || (alike && all_used);
}

}  // namespace tessera::lower
