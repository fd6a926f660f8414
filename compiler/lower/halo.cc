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

// The dimension of |load| whose index |condition| tests to be inside; nothing for other conditions.
std::optional<size_t> AsksInside(const Expr& condition, const ir::ExprNode& load,
                                 const ir::Ranges& ranges) {
  const std::optional<Linear> room = RoomOf(condition, ranges);
  if (!room) return std::nullopt;
  for (size_t d = 0; d < load.args.size(); ++d) {
    const Linear index = ir::ToLinear(load.args[d], ranges);
    const Linear below = ir::Add(*room, index, -1);  // room = index + something >= 0
    if (below.IsConstant() && below.constant >= 0) return d;
    const Linear above = ir::Add(*room, index, 1);  // room = something - index
    if (above.IsConstant() && above.constant >= load.buffer->shape[d] - 1) return d;
  }
  return std::nullopt;
}

// The place of a load's index. Lanes behind the last element count as a halo.
enum class IndexPlace { kInside, kHalo, kOutside };

IndexPlace PlaceOf(const ir::ExprNode& load, size_t d, const std::vector<Expr>& guards,
                   const ir::Ranges& ranges) {
  const ir::Interval reach = BoundsUnder(load.args[d], guards, ranges);
  if (!reach.known()) return IndexPlace::kOutside;
  if (reach.lo >= 0 && reach.hi < load.buffer->shape[d]) return IndexPlace::kInside;
  const auto piece = std::ranges::find_if(load.buffer->layout.dims, [&](const LayoutDim& l) {
    return l.dim == static_cast<int>(d) && l.mod == 0;
  });
  if (piece == load.buffer->layout.dims.end() || reach.lo < -piece->before ||
      reach.hi >= ir::PaddedShape(*load.buffer)[d])
    return IndexPlace::kOutside;
  return IndexPlace::kHalo;
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
    const schedule::Stage& source = *schedule.Find(load.buffer->name);
    const bool filled = source.placeholder || source.prepared;  // by the caller
    std::vector<Expr> parts;
    ir::PartsOf(x->args[0], &parts);
    // If a part fails, the index is in the halo of the dimension that it tests; the values of other
    // dimensions do not matter.
    const bool same = std::ranges::all_of(parts, [&](const Expr& part) {
      const std::optional<size_t> d = AsksInside(part, load, ranges);
      const IndexPlace place = d ? PlaceOf(load, *d, guards, ranges) : IndexPlace::kOutside;
      return place == IndexPlace::kInside ||
             (place == IndexPlace::kHalo && filled && load.buffer->layout.fill == other);
    });
    return same ? x->args[1] : x;
  });
}

}  // namespace tessera::lower
