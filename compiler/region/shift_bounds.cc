// SPDX-License-Identifier: Apache-2.0
#include "compiler/region/shift_bounds.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"

namespace tessera::te {

RegionTe WithShiftBounds(RegionTe region) {
  const auto bounded = [&](const Expr& e) {
    const auto info = e->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(e->name) : std::nullopt;
    if (!info || info->id != ir::ScalarIntrin::kRequant) return e;
    const std::optional<std::vector<int32_t>> shifts = ConstantOf(region, e->args[2]);
    if (!shifts || std::ranges::max(*shifts) > 0) return e;
    return ir::Requant(e->args[0], e->args[1], ir::Min(e->args[2], ir::Imm(DType::kInt32, 0)),
                       static_cast<isa::Round>(e->args[3]->ivalue));
  };
  region.output = WithBodies(
      region.output, [&](const Tensor& stage) { return ir::Rewrite(stage->body, bounded); });
  return region;
}

}  // namespace tessera::te
