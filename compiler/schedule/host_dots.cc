// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/host_dots.h"

#include <algorithm>

#include "compiler/ir/visit.h"
#include "compiler/schedule/host_steps.h"

namespace tessera::schedule {

using te::AxisRole;
using te::Role;

DecideStep DotDecision(const std::string& anchor, const AxisRole& lane) {
  return {.name = "dot",
          .domain = {.kind = DomainKind::kIntrinsics, .stage = anchor, .axis = lane.axis.name()}};
}

bool LanesFill(const std::vector<Dot>& dots, const AxisRole& lane) {
  return std::ranges::all_of(dots,
                             [&](const Dot& dot) { return lane.axis.extent % dot.lanes == 0; });
}

std::optional<std::vector<LayoutStep>> PaddedStarts(const Stage& anchor, const AxisRole& lane) {
  std::vector<LayoutStep> layouts;
  bool plain = true;  // channels are an index by themselves
  const auto is_lane = [&](const ir::Expr& e) { return e.get() == lane.axis.var.get(); };
  if (!anchor.body->start()) return layouts;
  ir::Visit(anchor.body->start(), [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead) return;
    for (size_t d = 0; d < e->args.size(); ++d) {
      if (is_lane(e->args[d])) {
        layouts.push_back({e->tensor->name, BlockedLayout(e->args.size(), d, "$dot.lanes")});
      } else {
        plain = plain && !ir::Contains(e->args[d], is_lane);
      }
    }
  });
  return plain ? std::optional(layouts) : std::nullopt;
}

std::vector<Dot> DotsAlong(const Schedule& s, const std::string& anchor, const AxisRole& lane) {
  const Result<std::vector<Choice>> names = s.ValuesOf(DotDecision(anchor, lane));
  std::vector<Dot> dots;
  for (const Choice& name : names ? *names : std::vector<Choice>{}) {
    const target::TensorIntrin& intrin = *s.target().FindIntrinsic(name.words[0]);
    const target::ProductTile tile = *target::ProductsOf(intrin);
    dots.push_back({&intrin, tile.shape[0], tile.depth});
  }
  return dots;
}

std::vector<Dot> DotsOf(const Schedule& s, const Stage& anchor, const te::Roles& roles) {
  if (!ir::IsSum(anchor.body->reduce()) || !roles.weight) return {};
  const AxisRole* lane = roles.Find(Role::kOutputChannel);
  if (!lane || lane->group != 0) return {};
  const Stage* w = s.Find((*roles.weight)->tensor->name);
  const AxisRole* channel = roles.InputChannel();
  if ((!w->placeholder && !w->prepared) || !channel || channel->weight_dim < 0 ||
      std::ranges::count(roles.data, Role::kOutputChannel, &AxisRole::role) != 1)
    return {};
  const bool fuses = s.target().fma && ir::FusedFactors(*anchor.body) != nullptr &&
                     anchor.reduce_axes[0].var.get() == channel->axis.var.get();
  if (IsFloat(anchor.dtype) && !fuses) return {};
  // Quads have to be neighbours in memory, which a tensor between layers decides for itself.
  if (!IsFloat(anchor.dtype) && s.Find(roles.input->tensor->name)->placeholder) return {};
  std::vector<Dot> dots = DotsAlong(s, anchor.name, *lane);
  if (!LanesFill(dots, *lane) && !PaddedStarts(anchor, *lane)) return {};
  return dots;
}

}  // namespace tessera::schedule
