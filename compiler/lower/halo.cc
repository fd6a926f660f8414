// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/halo.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/conditions.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Linear;

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

// Where the indices of a load may be. Lanes behind the last element are a halo too.
enum class IndexPlace { kInside, kHalo, kOutside };

IndexPlace PlaceOf(const ir::ExprNode& load, const std::vector<Expr>& guards,
                   const ir::Ranges& ranges) {
  IndexPlace place = IndexPlace::kInside;
  const std::vector<int64_t> room = ir::PaddedShape(*load.buffer);
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
    if (reach.hi >= room[d]) return IndexPlace::kOutside;
    place = IndexPlace::kHalo;
  }
  return place;
}

}  // namespace

ir::Expr ReadHalos(const schedule::Schedule& schedule, const ir::Expr& e,
                   const std::vector<ir::Expr>& guards, const ir::Ranges& ranges) {
  return ir::Rewrite(e, [&](const Expr& x) {
    int64_t other = 0;
    if (x->kind != ir::ExprKind::kSelect || x->args[1]->kind != ir::ExprKind::kLoad ||
        !ir::IsImm(x->args[2], &other)) {
      return x;
    }
    const ir::ExprNode& load = *x->args[1].get();
    const IndexPlace place = PlaceOf(load, guards, ranges);
    const schedule::Stage& source = *schedule.Find(load.buffer->name);
    const bool filled = source.placeholder || source.prepared;  // by whoever calls
    if (place == IndexPlace::kOutside ||
        (place == IndexPlace::kHalo && (!filled || load.buffer->layout.fill != other)))
      return x;
    std::vector<Expr> parts;
    PartsOf(x->args[0], &parts);
    const bool asks_only_that = std::ranges::all_of(
        parts, [&](const Expr& part) { return HoldsInside(part, load, ranges); });
    return asks_only_that ? x->args[1] : x;
  });
}

}  // namespace tessera::lower
