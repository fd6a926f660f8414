// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/halo.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "compiler/ir/visit.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Linear;

// The parts of |condition|, joined by "and".
void Parts(const Expr& condition, std::vector<Expr>* parts) {
  if (condition->kind == ir::ExprKind::kBin && condition->bin() == ir::BinOp::kAnd) {
    for (const Expr& part : condition->args) Parts(part, parts);
  } else {
    parts->push_back(condition);
  }
}

// What |condition|, a comparison of indices, says is not negative; nothing: it is none.
std::optional<Linear> RoomOf(const Expr& condition, const ir::Ranges& ranges) {
  if (condition->kind != ir::ExprKind::kBin ||
      (condition->bin() != ir::BinOp::kLe && condition->bin() != ir::BinOp::kLt) ||
      condition->args[0].dtype() != DType::kInt64) {
    return std::nullopt;
  }
  Linear room = ir::Add(ir::ToLinear(condition->args[1], ranges),
                        ir::ToLinear(condition->args[0], ranges), -1);
  if (condition->bin() == ir::BinOp::kLt) --room.constant;
  return room;
}

// Does |condition| hold wherever each index of |load| is inside of its dimension?
bool HoldsInside(const Expr& condition, const ir::ExprNode& load, const ir::Ranges& ranges) {
  const std::optional<Linear> room = RoomOf(condition, ranges);
  if (!room) return false;
  for (size_t d = 0; d < load.args.size(); ++d) {
    const Linear index = ir::ToLinear(load.args[d], ranges);
    const Linear below = ir::Add(*room, index, -1);  // room = index + something
    if (below.IsConstant() && below.constant >= 0) return true;
    const Linear above = ir::Add(*room, index, 1);  // room = something - index
    if (above.IsConstant() && above.constant >= load.buffer->shape[d] - 1) return true;
  }
  return false;
}

// The bounds of |index| where |guards| hold: as room >= 0, it is at most index + k room.
ir::Interval BoundsUnder(const Expr& index, const std::vector<Expr>& guards,
                         const ir::Ranges& ranges) {
  ir::Interval reach = ir::BoundsOf(index, ranges);
  const Linear form = ir::ToLinear(index, ranges);
  for (const Expr& guard : guards) {
    const std::optional<Linear> room = RoomOf(guard, ranges);
    for (size_t k = 0; room && k < form.terms.size(); ++k) {
      const int64_t factor = std::abs(form.terms[k].coeff);
      const ir::Interval below = ir::BoundsOf(ir::Add(form, *room, factor), ranges),
                         above = ir::BoundsOf(ir::Add(form, *room, -factor), ranges);
      reach.hi = std::min(reach.hi, below.hi);
      reach.lo = std::max(reach.lo, above.lo);
    }
  }
  return reach;
}

// Where the indices of a load may be.
enum class IndexPlace { kInside, kHalo, kOutside };

IndexPlace PlaceOf(const ir::ExprNode& load, const std::vector<Expr>& guards,
                   const ir::Ranges& ranges) {
  IndexPlace place = IndexPlace::kInside;
  for (size_t d = 0; d < load.args.size(); ++d) {
    const ir::Interval reach = BoundsUnder(load.args[d], guards, ranges);
    const int64_t shape = load.buffer->shape[d];
    if (!reach.known()) return IndexPlace::kOutside;
    if (reach.lo >= 0 && reach.hi < shape) continue;
    const auto piece = std::ranges::find_if(load.buffer->layout.dims, [&](const LayoutDim& l) {
      return l.dim == static_cast<int>(d) && l.mod == 0;
    });
    if (piece == load.buffer->layout.dims.end()) return IndexPlace::kOutside;
    if (reach.lo < -piece->before) return IndexPlace::kOutside;
    if (piece->div > 1) continue;  // lanes behind the last element
    if (reach.hi >= shape + piece->after) return IndexPlace::kOutside;
    place = IndexPlace::kHalo;
  }
  return place;
}

}  // namespace

ir::Expr ReadHalos(const ir::Expr& e, const std::vector<ir::Expr>& guards,
                   const ir::Ranges& ranges) {
  return ir::Rewrite(e, [&](const Expr& x) {
    int64_t other = 0;
    if (x->kind != ir::ExprKind::kSelect || x->args[1]->kind != ir::ExprKind::kLoad ||
        !ir::IsImm(x->args[2], &other)) {
      return x;
    }
    const ir::ExprNode& load = *x->args[1].get();
    const IndexPlace place = PlaceOf(load, guards, ranges);
    if (place == IndexPlace::kOutside ||
        (place == IndexPlace::kHalo && load.buffer->layout.fill != other))
      return x;
    std::vector<Expr> parts;
    Parts(x->args[0], &parts);
    const bool asks_only_that = std::ranges::all_of(
        parts, [&](const Expr& part) { return HoldsInside(part, load, ranges); });
    return asks_only_that ? x->args[1] : x;
  });
}

}  // namespace tessera::lower
