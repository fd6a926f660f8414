// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/program.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/network/program_needs.h"
#include "compiler/schedule/accel/plan_steps.h"

namespace tessera::network {
namespace {

// The activation that tensor |name| of |region| is bound to.
int ActivationOf(const lower::accel::AccelRegion& region, const std::string& name) {
  if (name == region.output.name()) return region.result;
  for (const auto& [tensor, activation] : region.activations) {
    if (tensor->name == name) return activation;
  }
  TESSERA_CHECK(false, "{}: {}", region.op, name);
}

class ProgramPlanner {
 public:
  ProgramPlanner(const std::vector<Activation>& activations,
                 const std::vector<lower::accel::AccelRegion>& regions, const isa::Config& config,
                 const ProgramOptions& options, RefusedIndex* refused)
      : activations_(activations),
        regions_(regions),
        config_(config),
        options_(options),
        refused_(refused) {}

  Result<ProgramPlan> Run() {
    CheckBindings();
    TESSERA_TRY(Regions());
    TESSERA_TRY(ListNeeds(activations_, regions_, config_, options_.store_all, &program_));
    return std::move(program_);
  }

 private:
  // Every result is an activation that this program makes, every placeholder is bound, and parts
  // lie in activations that lie in no other.
  void CheckBindings() const {
    for (const Activation& a : activations_) {
      TESSERA_CHECK(a.whole < 0 || activations_[static_cast<size_t>(a.whole)].whole < 0, "{}",
                    a.name);
    }
    for (const lower::accel::AccelRegion& region : regions_) {
      TESSERA_CHECK(region.result >= 0 && region.result < static_cast<int>(activations_.size()));
      const Activation::Kind kind = KindOf(region.result);
      TESSERA_CHECK(kind == Activation::Kind::kInternal || kind == Activation::Kind::kOutput, "{}",
                    region.op);
      for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
        if (!t->placeholder) continue;
        TESSERA_CHECK(region.activations.contains(t.get()) != region.constants.contains(t.get()),
                      "{}: {} is not bound", region.op, t.name());
      }
    }
  }

  Activation::Kind KindOf(int activation) const {
    return activations_[static_cast<size_t>(activation)].kind;
  }

  bool PacksTaps(const lower::accel::AccelRegion& region, const sched::AnalyzedRegion& own) const;
  Result<sched::AnalyzedRegion> PackTaps(const lower::accel::AccelRegion& region,
                                         sched::AnalyzedRegion own) const;
  Result<PlannedRegion> Analyze(size_t index);
  // Region |index| in the form that PlanResidency takes.
  ResidencyRegion SeenBy(size_t index) const;
  // The cost of |plan| for region |index|; nothing: its steps have none.
  std::optional<cost::Cost> CostOf(size_t index, const sched::TilePlan& plan,
                                   const sched::OnChip& on_chip) const;
  // The activations that |region| reads or makes and that stay on chip.
  lower::accel::KeptActivations KeptBy(const lower::accel::AccelRegion& region) const;
  // Makes the steps of region |index| once the residency is known.
  Status Plan(size_t index);
  Status Regions();
  // Errors from here on belong to region |index|; nothing: to no region.
  void At(RefusedIndex index) {
    if (refused_ != nullptr) *refused_ = index;
  }

  const std::vector<Activation>& activations_;
  const std::vector<lower::accel::AccelRegion>& regions_;
  const isa::Config& config_;
  const ProgramOptions& options_;
  RefusedIndex* const refused_;
  std::vector<lower::accel::KeptActivations>
      planned_kept_;  // by region: the activations that a given schedule keeps in INP
  std::vector<bool> may_pack_taps_;  // by region: whether a network trace may have taps
  ProgramPlan program_;
};

// Whether the host packs the input of the contraction of |region|, so that it may pack taps.
bool ProgramPlanner::PacksTaps(const lower::accel::AccelRegion& region,
                               const sched::AnalyzedRegion& own) const {
  const sched::Anchor& anchor = own.anchor;
  return anchor.kind == sched::AnchorKind::kContraction && !region.schedule &&
         region.activations.contains(anchor.input.get()) &&
         KindOf(region.activations.at(anchor.input.get())) == Activation::Kind::kInput;
}

// |own| or, where the plan is faster or the network trace says so, |own| with taps of its window as
// channels of an input that the host packs (im2col).
Result<sched::AnalyzedRegion> ProgramPlanner::PackTaps(const lower::accel::AccelRegion& region,
                                                       sched::AnalyzedRegion own) const {
  const auto* given =
      region.network ? schedule::StepOf<schedule::TapsStep>(*region.network) : nullptr;
  const bool packs = PacksTaps(region, own);
  if (given != nullptr) {
    auto rewritten = packs && given->axes >= 1 && given->axes <= 3
                         ? sched::Im2colOf(own, static_cast<int>(given->axes))
                         : std::nullopt;
    if (rewritten) return std::move(*rewritten);
    return Fail(Code::kInvalidArgument,
                "{}: taps {}: the host packs no such taps for it; 1 is a column of a window's "
                "taps, 2 a row, 3 both, of an input of the network that one sum reads",
                region.op, given->axes);
  }
  if (!packs || region.network) return own;
  return WithTaps(own, config_);
}

// Sets |planned_kept_| and |may_pack_taps_| of the region.
Result<PlannedRegion> ProgramPlanner::Analyze(size_t index) {
  const lower::accel::AccelRegion& region = regions_[index];
  PlannedRegion planned;
  const lower::accel::Analysis shared = lower::accel::AnalysisOf(region, config_);
  const sched::Accepted<sched::AnalyzedRegion>& analyzed = *shared;
  if (region.schedule) {
    // The residency of other tensors is not known yet; it does not change the region's own room.
    // For pads that the schedule's layouts leave out, the analysis has the values, if there is one.
    lower::accel::KeptActivations own;
    if (analyzed && analyzed->anchor.kind != sched::AnchorKind::kNone)
      own[analyzed->anchor.input.name()] = {HaloFor(analyzed->anchor), analyzed->anchor.pad_value};
    if (analyzed) planned.region = *analyzed;
    auto stays = lower::accel::KeptBySteps(region, *region.schedule, own);
    if (!stays) return Within(region.op, stays.error());
    planned_kept_[index] = std::move(*stays);
    auto steps =
        lower::accel::ScheduleBySteps(region, *region.schedule, planned_kept_[index], config_);
    if (!steps) return Within(region.op, steps.error());
    planned.steps = std::move(*steps);
    // A schedule without a cost has no program either: the emission says why.
    const auto cost = cost::AccelCost(planned.steps.schedule, config_, {.follows = index > 0});
    if (cost) planned.cost = *cost;
    return planned;
  }
  if (!analyzed) return Within(region.op, analyzed.error());
  planned.region = *analyzed;
  may_pack_taps_[index] =
      PacksTaps(region, *planned.region) &&
      (sched::Im2colOf(*planned.region, 1) || sched::Im2colOf(*planned.region, 2));
  auto packed = PackTaps(region, std::move(*planned.region));
  if (!packed) return std::unexpected(packed.error());
  planned.region = std::move(*packed);
  return planned;
}

// Decides for all regions together what stays on chip, then plans each region.
Status ProgramPlanner::Regions() {
  std::vector<PlannedRegion>& planned_regions = program_.regions;
  planned_kept_.resize(regions_.size());
  may_pack_taps_.resize(regions_.size());
  for (size_t k = 0; k < regions_.size(); ++k) {
    At(k);
    TESSERA_ASSIGN(PlannedRegion planned, Analyze(k));
    planned_regions.push_back(std::move(planned));
  }
  At({});
  std::vector<ResidencyRegion> seen;
  ResidencyOptions options{std::vector<bool>(activations_.size()), options_.store_all};
  for (size_t k = 0; k < activations_.size(); ++k)
    options.in_memory[k] = activations_[k].kind != Activation::Kind::kInternal;
  for (size_t k = 0; k < regions_.size(); ++k) seen.push_back(SeenBy(k));
  TESSERA_ASSIGN(program_.residency, PlanResidency(seen, config_, options));
  program_.network = std::move(program_.residency.traces);
  for (size_t k = 0; k < regions_.size(); ++k) {
    program_.residency.choices[k].taps = may_pack_taps_[k];
    if (!may_pack_taps_[k] || regions_[k].network) continue;
    const int axes = planned_regions[k].region->anchor.im2col;
    if (axes != 0) program_.network[k].emplace_back(schedule::TapsStep{axes});
  }
  for (size_t k = 0; k < regions_.size(); ++k) {
    At(k);
    TESSERA_TRY(Plan(k));
  }
  At({});
  return {};
}

ResidencyRegion ProgramPlanner::SeenBy(size_t index) const {
  constexpr const char* kRepeats = "LOAD repeats its rows or columns, from device memory";
  const lower::accel::KeptActivations& kept = planned_kept_[index];
  const lower::accel::AccelRegion& region = regions_[index];
  const PlannedRegion& planned = program_.regions[index];
  ResidencyRegion seen{.name = region.output.name(),
                       .shape = sched::ToShape4(region.output.shape()),
                       .rank = region.output.shape().size(),
                       .result = region.result};
  seen.activation_of = [&region](const te::Tensor& t) {
    const auto activation = region.activations.find(t.get());
    return activation == region.activations.end() ? -1 : activation->second;
  };
  if (!options_.residency || options_.in_memory.contains(region.result)) seen.resident = false;
  if (region.network) seen.given = &*region.network;
  if (planned.region) {
    seen.region = &*planned.region;
    seen.copies = seen.region->steps.back().loads();
  }
  if (region.schedule) {
    seen.steps = {planned.steps.inp_tiles, planned.cost, {}};
    for (const auto& [name, how] : kept) {
      if (name == region.output.name()) seen.resident = true;
      seen.steps->kept[ActivationOf(region, name)] = how.folded;
    }
    for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
      if (!region.activations.contains(t.get())) continue;
      const auto stays = kept.find(t.name());
      const lower::accel::KeptActivation how =
          stays == kept.end() ? lower::accel::KeptActivation{} : stays->second;
      seen.reads.push_back({seen.activation_of(t), how.halo, how.pad, t.shape().size()});
    }
    return seen;
  }
  seen.cost_of = [this, index](const sched::TilePlan& plan, const sched::OnChip& on_chip) {
    return CostOf(index, plan, on_chip);
  };
  const sched::Anchor& a = seen.region->anchor;
  if (a.kind != sched::AnchorKind::kNone && a.im2col == 0) {
    const char* fills = "LOAD fills terms of its elements beside it, from device memory";
    seen.reads.push_back({seen.activation_of(a.input), HaloFor(a), a.pad_value,
                          a.input.shape().size(), a.FillsInput() ? fills : nullptr});
  }
  if (a.weight_lies) {
    seen.reads.push_back({.activation = seen.activation_of(a.weight),
                          .rank = a.weight.shape().size(),
                          .in_memory = "LOAD brings it to WGT, from device memory"});
  }
  for (const sched::EpilogueStep& step : seen.region->steps) {
    if (step.loads() && !step.constant)
      seen.reads.push_back({.activation = seen.activation_of(step.tensor),
                            .rank = step.tensor.shape().size(),
                            .in_memory = step.repeats() ? kRepeats : nullptr});
  }
  return seen;
}

std::optional<cost::Cost> ProgramPlanner::CostOf(size_t index, const sched::TilePlan& plan,
                                                 const sched::OnChip& on_chip) const {
  const lower::accel::AccelRegion& region = regions_[index];
  const sched::AnalyzedRegion& analyzed = *program_.regions[index].region;
  lower::accel::KeptActivations kept;
  if (on_chip.input) {
    kept[analyzed.anchor.input.name()] = {.halo = *on_chip.input, .pad = analyzed.anchor.pad_value};
  }
  if (on_chip.result)
    kept[region.output.name()] = {.halo = *on_chip.result, .pad = on_chip.result_pad};
  for (const auto& [tensor, halo] : on_chip.fetched)
    kept.try_emplace(tensor.name(), lower::accel::KeptActivation{.halo = halo});
  const auto schedule = lower::accel::ScheduleOf(
      region, sched::StepsOf(analyzed, plan, config_, on_chip), kept, config_);
  if (!schedule) return std::nullopt;
  const auto cost = cost::AccelCost(
      *schedule, config_,
      {.follows = on_chip.follows, .double_buffers = true, .inp_tiles = on_chip.inp_tiles});
  return cost ? std::optional(*cost) : std::nullopt;
}

lower::accel::KeptActivations ProgramPlanner::KeptBy(
    const lower::accel::AccelRegion& region) const {
  lower::accel::KeptActivations kept;
  const auto add = [&](const std::string& name, int activation) {
    if (const Resident* stays = program_.residency.Of(activation))
      kept[name] = {stays->halo, stays->pad, stays->folded};
  };
  add(region.output.name(), region.result);
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    if (region.activations.contains(t.get())) add(t.name(), region.activations.at(t.get()));
  }
  return kept;
}

Status ProgramPlanner::Plan(size_t index) {
  const lower::accel::AccelRegion& region = regions_[index];
  PlannedRegion& planned = program_.regions[index];
  planned.on_chip = program_.residency.regions[index];
  const lower::accel::KeptActivations kept = KeptBy(region);
  const auto generate = [&]() -> Result<lower::accel::StepRegion> {
    return lower::accel::ScheduleByPlan(region, *planned.region, *program_.residency.plans[index],
                                        planned.on_chip, kept, config_);
  };
  // Analyze lowered a given schedule; it needs a new lowering only if other activations stay.
  if (!region.schedule || kept != planned_kept_[index]) {
    auto steps = region.schedule
                     ? lower::accel::ScheduleBySteps(region, *region.schedule, kept, config_)
                     : generate();
    if (!steps) return Within(region.op, steps.error());
    planned.steps = std::move(*steps);
  }
  const bool stays = planned.on_chip.result.has_value();
  if (stays && planned.on_chip.stored) {
    auto store = lower::accel::StoreKept(region, kept, config_);
    if (!store) return Within(region.op, store.error());
    planned.store = std::move(*store);
  } else if (region.store_schedule) {
    return Fail(Code::kInvalidArgument,
                "{}: a schedule of the store of {} is given, but {}; leave it out", region.op,
                region.output.name(),
                stays ? "it only stays on chip (with --keep-tensors it is stored too)"
                      : "its layer writes it to device memory itself");
  }
  program_.traces.push_back(planned.steps.schedule.trace());
  return {};
}

// Lists the tensors in device memory in order of first use.
}  // namespace

sched::AnalyzedRegion WithTaps(const sched::AnalyzedRegion& own, const isa::Config& config) {
  sched::AnalyzedRegion made = own;
  std::optional<double> best;
  for (const int axes : {0, 3, 2, 1}) {
    std::optional<sched::AnalyzedRegion> tried = axes == 0 ? own : sched::Im2colOf(own, axes);
    if (!tried) continue;
    const auto plan = sched::MakePlan(*tried, config);
    if (!plan || (best && plan->cycles() >= *best)) continue;
    best = plan->cycles();
    made = std::move(*tried);
  }
  return made;
}

Result<ProgramPlan> PlanProgram(const std::vector<Activation>& activations,
                                const std::vector<lower::accel::AccelRegion>& regions,
                                const isa::Config& config, const ProgramOptions& options,
                                RefusedIndex* refused) {
  return ProgramPlanner(activations, regions, config, options, refused).Run();
}

Status PackConstants(const std::vector<lower::accel::AccelRegion>& regions, ProgramPlan* plan) {
  for (size_t k = 0; k < regions.size(); ++k) {
    const Status packed = lower::accel::PackConstants(regions[k], &plan->regions[k].steps);
    if (!packed) return Within(regions[k].op, packed.error());
  }
  return {};
}

}  // namespace tessera::network
