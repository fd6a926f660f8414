// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "compiler/codegen/accel/compiler.h"
#include "compiler/schedule/accel/plan_trace.h"

namespace tessera::codegen::accel {

Result<Planned> Compiler::Analyze(const AccelRegion& region) const {
  Planned planned;
  auto analyzed = sched::AnalyzeRegion(region.output, ConstantsOf(region));
  if (!analyzed) return Within(region.op, std::move(analyzed).error());
  planned.region = std::move(*analyzed);
  // The host packs a network's input as it likes: with the window's taps as channels, if that is
  // faster.
  const sched::Anchor& anchor = planned.region.anchor;
  const bool packed =
      anchor.kind == sched::AnchorKind::kContraction &&
      region.activations.contains(anchor.input.get()) &&
      activations_[static_cast<size_t>(region.activations.at(anchor.input.get()))].kind ==
          Activation::Kind::kInput;
  int axes = 0;
  if (region.schedule) {
    const Result<int> wants = sched::WantsMovedTaps(*region.schedule);
    if (!wants) return Within(region.op, wants.error());
    axes = *wants;
  } else if (packed) {
    std::optional<double> best;
    for (const int candidate : {0, 3, 2, 1}) {
      const auto moved =
          candidate == 0 ? planned.region : sched::MoveTaps(planned.region, candidate);
      if (!moved) continue;
      const auto plan = sched::MakePlan(*moved, config_);
      if (!plan || (best && plan->cycles() >= *best)) continue;
      best = plan->cycles();
      axes = candidate;
    }
  }
  if (axes != 0) {
    std::optional<sched::AnalyzedRegion> moved =
        packed ? sched::MoveTaps(planned.region, axes) : std::nullopt;
    if (!moved) {
      return Fail(
          Code::kInvalidArgument,
          "{}: schedule step 1: moved_taps needs a window over an input that the host packs",
          region.op);
    }
    planned.region = std::move(*moved);
    planned.moved = axes;
  }
  return planned;
}

// What stays on chip is decided for all regions together, then each gets its plan.
Status Compiler::PlanAll() {
  for (const AccelRegion& region : regions_) {
    TESSERA_ASSIGN(Planned planned, Analyze(region));
    planned_.push_back(std::move(planned));
  }
  std::vector<sched::ResidencyRegion> seen;
  sched::ResidencyOptions options{std::vector<bool>(activations_.size()), options_.store_all};
  for (size_t k = 0; k < activations_.size(); ++k)
    options.in_memory[k] = activations_[k].kind != Activation::Kind::kInternal;
  for (size_t k = 0; k < regions_.size(); ++k) {
    const AccelRegion& region = regions_[k];
    seen.push_back({&planned_[k].region,
                    region.result,
                    [&region](const te::Tensor& t) { return region.activations.at(t.get()); },
                    {}});
    if (!options_.stay) seen.back().stays = false;
    if (!region.schedule) continue;
    const Result<bool> stays = sched::WantsToStay(*region.schedule);
    if (!stays) return Within(region.op, stays.error());
    seen.back().stays = *stays;
  }
  TESSERA_ASSIGN(residency_, sched::PlanStaying(seen, config_, options));
  for (size_t k = 0; k < regions_.size(); ++k) {
    Planned& planned = planned_[k];
    planned.on_chip = residency_.regions[k];
    auto plan = regions_[k].schedule ? sched::ReplayPlan(*regions_[k].schedule, planned.region,
                                                         config_, planned.on_chip)
                                     : sched::MakePlan(planned.region, config_, planned.on_chip);
    if (!plan) return Within(regions_[k].op, plan.error());
    planned.plan = *plan;
    program_.traces.push_back(sched::RecordPlan(planned.region, config_, planned.plan,
                                                planned.moved, planned.on_chip.result.has_value()));
  }
  for (const sched::Staying& s : residency_.staying) program_.staying.push_back(s.activation);
  return {};
}

bool Compiler::NeedsFill(const sched::Staying& s, const std::vector<int64_t>& shape) {
  if (!s.halo.any()) return false;
  return std::ranges::none_of(halos_, [&](const WrittenHalo& h) {
    return h.base == s.base && h.tiles == s.tiles && h.pad == s.pad && h.halo == s.halo &&
           h.shape == shape;
  });
}

}  // namespace tessera::codegen::accel
