// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/program.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/schedule/accel/plan_steps.h"

namespace tessera::network {
namespace {

// The activation that |name|, a tensor of |region|, is.
int ActivationOf(const AccelRegion& region, const std::string& name) {
  if (name == region.output.name()) return region.result;
  for (const auto& [tensor, activation] : region.activations) {
    if (tensor->name == name) return activation;
  }
  TESSERA_CHECK(false, "{}: {}", region.op, name);
}

class ProgramPlanner {
 public:
  ProgramPlanner(const std::vector<Activation>& activations,
                 const std::vector<AccelRegion>& regions, const isa::Config& config,
                 const ProgramOptions& options)
      : activations_(activations), regions_(regions), config_(config), options_(options) {}

  Result<ProgramPlan> Run() {
    CheckBindings();
    TESSERA_TRY(Regions());
    TESSERA_TRY(Needs());
    return std::move(program_);
  }

 private:
  // What the caller must get right; tensors that do not fit the DAG are our own bug upstream.
  void CheckBindings() const {
    for (const AccelRegion& region : regions_) {
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

  Result<PlannedRegion> Analyze(const AccelRegion& region) const;
  // What |region| reads and makes that stays on chip.
  KeptActivations KeptBy(const AccelRegion& region) const;
  // How the region runs, when what stays is known.
  Status Plan(size_t index);
  Status Regions();
  Status Needs();

  const std::vector<Activation>& activations_;
  const std::vector<AccelRegion>& regions_;
  const isa::Config& config_;
  const ProgramOptions& options_;
  ProgramPlan program_;
};

Result<PlannedRegion> ProgramPlanner::Analyze(const AccelRegion& region) const {
  PlannedRegion planned;
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
  if (region.schedule) {
    // Before it is known what stays how: the room that it takes itself is the same.
    KeptActivations own;
    if (anchor.kind != sched::AnchorKind::kNone)
      own[anchor.input.name()] = {HaloFor(anchor), anchor.pad_value};
    const auto kept = KeptBySteps(region, *region.schedule, own);
    if (!kept) return Within(region.op, kept.error());
    auto steps = ScheduleBySteps(region, *region.schedule, *kept, config_);
    if (!steps) return Within(region.op, steps.error());
    planned.steps = std::move(*steps);
  } else if (packed) {
    std::optional<double> best;
    const sched::AnalyzedRegion own = planned.region;
    for (const int candidate : {0, 3, 2, 1}) {
      std::optional<sched::AnalyzedRegion> rewritten =
          candidate == 0 ? own : sched::Im2colOf(own, candidate);
      if (!rewritten) continue;
      const auto plan = sched::MakePlan(*rewritten, config_);
      if (!plan || (best && plan->cycles() >= *best)) continue;
      best = plan->cycles();
      planned.region = std::move(*rewritten);
    }
  }
  return planned;
}

// What stays on chip is decided for all regions together, then each gets its plan.
Status ProgramPlanner::Regions() {
  std::vector<PlannedRegion>& planned_regions = program_.regions;
  for (const AccelRegion& region : regions_) {
    TESSERA_ASSIGN(PlannedRegion planned, Analyze(region));
    planned_regions.push_back(std::move(planned));
  }
  std::vector<ResidencyRegion> seen;
  ResidencyOptions options{std::vector<bool>(activations_.size()), options_.store_all};
  for (size_t k = 0; k < activations_.size(); ++k)
    options.in_memory[k] = activations_[k].kind != Activation::Kind::kInternal;
  for (size_t k = 0; k < regions_.size(); ++k) {
    const AccelRegion& region = regions_[k];
    seen.push_back({&planned_regions[k].region,
                    region.result,
                    [&region](const te::Tensor& t) { return region.activations.at(t.get()); },
                    {}});
    seen.back().fixed = region.schedule.has_value();
    if (!options_.residency) seen.back().resident = false;
    if (region.schedule) {
      seen.back().steps = {planned_regions[k].steps.inp_tiles, {}};
      TESSERA_ASSIGN(const KeptActivations kept, KeptBySteps(region, *region.schedule, {}));
      for (const auto& [name, how] : kept) {
        if (name == region.output.name()) seen.back().resident = true;
        seen.back().steps->kept[ActivationOf(region, name)] = how.folded;
      }
    }
  }
  TESSERA_ASSIGN(program_.residency, PlanResidency(seen, config_, options));
  for (size_t k = 0; k < regions_.size(); ++k) TESSERA_TRY(Plan(k));
  return {};
}

KeptActivations ProgramPlanner::KeptBy(const AccelRegion& region) const {
  KeptActivations kept;
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
  const AccelRegion& region = regions_[index];
  PlannedRegion& planned = program_.regions[index];
  planned.on_chip = program_.residency.regions[index];
  const KeptActivations kept = KeptBy(region);
  if (!region.schedule) {
    const auto plan = sched::MakePlan(planned.region, config_, planned.on_chip);
    if (!plan) return Within(region.op, plan.error());
    planned.plan = *plan;
  }
  auto steps = region.schedule ? ScheduleBySteps(region, *region.schedule, kept, config_)
                               : ScheduleByPlan(region, planned.region, planned.plan,
                                                planned.on_chip, kept, config_);
  if (!steps) return Within(region.op, steps.error());
  planned.steps = std::move(*steps);
  if (planned.on_chip.result && planned.on_chip.stored) {
    auto store = StoreKept(region, kept, config_);
    if (!store) return Within(region.op, store.error());
    planned.store = std::move(*store);
  }
  program_.traces.push_back(planned.steps.trace);
  return {};
}

// Tensors in device memory, in order of first use.
Status ProgramPlanner::Needs() {
  const auto count = static_cast<int64_t>(regions_.size());
  const auto need = [&](int activation, const sched::Packing& packing) -> MemoryNeed& {
    for (MemoryNeed& n : program_.needs) {
      if (n.activation == activation && n.packing == packing) return n;
    }
    program_.needs.push_back({activation, packing, count, -1, false});
    return program_.needs.back();
  };
  for (int64_t r = 0; r < count; ++r) {
    const AccelRegion& region = regions_[static_cast<size_t>(r)];
    const PlannedRegion& planned = program_.regions[static_cast<size_t>(r)];
    for (const RegionBuffer& buffer : planned.steps.lowered.buffers) {
      if (buffer.role != RegionBuffer::Use::kActivation) continue;
      const int activation = region.activations.at(buffer.tensor.get());
      const Activation::Kind kind = KindOf(activation);
      if (buffer.packing.prepared && kind != Activation::Kind::kInput) {
        return Fail(Code::kInvalidArgument,
                    "{}: {} cannot be prepared: it reads {}, which is no constant, nor an input "
                    "that the host packs",
                    region.op, buffer.packing.prepared.name(), buffer.tensor.name());
      }
      const bool before = kind == Activation::Kind::kInput || kind == Activation::Kind::kInMemory;
      if (!before && !options_.store_all && program_.residency.Of(activation)) continue;
      MemoryNeed& n = need(activation, buffer.packing);
      n.first = before ? -1 : std::min(n.first, r);
      n.last = std::max(n.last, r);
    }
    if (!planned.on_chip.stored) continue;
    MemoryNeed& n = need(region.result, sched::PackingOf(planned.region.shape, config_));
    n.made = true;
    n.first = std::min(n.first, r);
    n.last = KindOf(region.result) == Activation::Kind::kOutput ? count : std::max(n.last, r);
  }
  return {};
}

}  // namespace

size_t ProgramPlan::NeedOf(int activation, const sched::Packing& packing) const {
  const auto need = std::ranges::find_if(needs, [&](const MemoryNeed& n) {
    return n.activation == activation && n.packing == packing;
  });
  TESSERA_CHECK(need != needs.end(), "activation {}", activation);
  return static_cast<size_t>(need - needs.begin());
}

std::unordered_map<const te::TensorNode*, const std::vector<uint8_t>*> ConstantsOf(
    const AccelRegion& region) {
  std::unordered_map<const te::TensorNode*, const std::vector<uint8_t>*> map;
  for (const auto& [node, bytes] : region.constants) map[node] = &bytes;
  return map;
}

Status CheckRegion(const AccelRegion& region, const isa::Config& config) {
  TESSERA_ASSIGN(const sched::AnalyzedRegion analyzed,
                 sched::AnalyzeRegion(region.output, ConstantsOf(region)));
  TESSERA_TRY(sched::MakePlan(analyzed, config));
  return {};
}

Result<std::string> StepsOf(const AccelRegion& region, const isa::Config& config) {
  TESSERA_ASSIGN(const sched::AnalyzedRegion analyzed,
                 sched::AnalyzeRegion(region.output, ConstantsOf(region)));
  TESSERA_ASSIGN(const sched::TilePlan plan, sched::MakePlan(analyzed, config));
  return WithDoubleBuffers(region, sched::StepsOf(analyzed, plan, config), {}, config);
}

Result<ProgramPlan> PlanProgram(const std::vector<Activation>& activations,
                                const std::vector<AccelRegion>& regions, const isa::Config& config,
                                const ProgramOptions& options) {
  return ProgramPlanner(activations, regions, config, options).Run();
}

}  // namespace tessera::network
