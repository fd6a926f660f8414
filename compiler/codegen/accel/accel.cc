// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/accel.h"

#include <algorithm>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/execute.h"
#include "compiler/codegen/accel/memory_plan.h"
#include "compiler/ir/print.h"
#include "compiler/lower/accel/lower_region.h"
#include "compiler/schedule/accel/plan_trace.h"
#include "compiler/schedule/accel/residency.h"

namespace tessera::codegen::accel {
namespace {

namespace sched = schedule::accel;
using lower::accel::ConstantMap;
using lower::accel::GlobalBuffer;

constexpr int64_t kAlign = 64;

ConstantMap ConstantsOf(const AccelRegion& region) {
  ConstantMap map;
  for (const auto& [node, bytes] : region.constants) map[node] = &bytes;
  return map;
}

// A region with its plan.
struct Planned {
  sched::Region region;
  sched::Plan plan;
  sched::OnChip on_chip;
  bool moved = false;  // the window's taps are channels of the packed input
};

class Compiler {
 public:
  Compiler(const std::vector<Activation>& activations, const std::vector<AccelRegion>& regions,
           const isa::Config& config, const AccelOptions& options)
      : activations_(activations),
        regions_(regions),
        config_(config),
        options_(options),
        builder_(config),
        rings_(config) {}

  Result<AccelProgram> Run();

 private:
  Result<Planned> Analyze(const AccelRegion& region) const;
  Status PlanAll();
  // Whether |staying|'s halo has to be written: not when it is there from before.
  bool NeedsFill(const sched::Staying& staying, const std::vector<int64_t>& shape);
  Status CheckBindings() const;
  void PlaceActivations();
  isa::Packing PackingOf(const std::vector<int64_t>& shape) const;
  // The place of the input in the packing that the region's anchor wants; a new one if there is
  // none.
  Placement InputPlace(int activation, const isa::Packing& packing);
  Placement ActivationPlacement(const Planned& planned, const AccelRegion& region,
                                const te::Tensor& tensor);
  Status EmitRegion(size_t index, const Planned& planned);

  const std::vector<Activation>& activations_;
  const std::vector<AccelRegion>& regions_;
  const isa::Config& config_;
  const AccelOptions& options_;
  jit::ProgramBuilder builder_;
  Rings rings_;
  std::vector<Planned> planned_;
  sched::StayPlan residency_;
  struct Halo {
    int64_t base, tiles, pad;
    sched::Halo halo;
    std::vector<int64_t> shape;
  };
  std::vector<Halo> halos_;  // in INP and intact
  std::vector<Placement> places_;  // of activations that are not inputs
  int64_t input_bytes_ = 0;
  AccelProgram program_;
};

Result<Planned> Compiler::Analyze(const AccelRegion& region) const {
  Planned planned;
  auto analyzed = sched::AnalyzeRegion(region.output, ConstantsOf(region));
  if (!analyzed) return Within(region.op, std::move(analyzed).error());
  planned.region = std::move(*analyzed);
  // The host packs a network's input as it likes: with the window's taps as channels, if that is
  // faster.
  const sched::Anchor& anchor = planned.region.anchor;
  std::optional<sched::Region> moved;
  if (anchor.kind == sched::AnchorKind::kContraction &&
      region.activations.contains(anchor.input.get()) &&
      activations_[static_cast<size_t>(region.activations.at(anchor.input.get()))].kind ==
          Activation::Kind::kInput) {
    moved = sched::MoveTaps(planned.region);
  }
  bool move = false;
  if (region.schedule) {
    const Result<bool> wants = sched::WantsMovedTaps(*region.schedule);
    if (!wants) return Within(region.op, wants.error());
    if (*wants && !moved) {
      return Fail(Code::kInvalidArgument,
                  "{}: schedule step 1: moved_taps needs a window over an input that the host packs", region.op);
    }
    move = *wants;
  } else if (moved) {
    const auto plan = sched::MakePlan(planned.region, config_), moved_plan = sched::MakePlan(*moved, config_);
    move = moved_plan && (!plan || moved_plan->cycles() < plan->cycles());
  }
  if (move) {
    planned.region = std::move(*moved);
    planned.moved = true;
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
    seen.push_back({&planned_[k].region, region.result,
                    [&region](const te::Tensor& t) { return region.activations.at(t.get()); }, {}});
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
    auto plan = regions_[k].schedule
                    ? sched::ReplayPlan(*regions_[k].schedule, planned.region, config_, planned.on_chip)
                    : sched::MakePlan(planned.region, config_, planned.on_chip);
    if (!plan) return Within(regions_[k].op, plan.error());
    planned.plan = *plan;
    program_.traces.push_back(sched::RecordPlan(planned.region, config_, planned.plan, planned.moved,
                                                planned.on_chip.result.has_value()));
  }
  for (const sched::Staying& s : residency_.staying) program_.staying.push_back(s.activation);
  return {};
}

bool Compiler::NeedsFill(const sched::Staying& s, const std::vector<int64_t>& shape) {
  if (!s.halo.any()) return false;
  return std::ranges::none_of(halos_, [&](const Halo& h) {
    return h.base == s.base && h.tiles == s.tiles && h.pad == s.pad && h.halo == s.halo && h.shape == shape;
  });
}

// What the caller must get right; tensors that do not fit the DAG are our own bug upstream.
Status Compiler::CheckBindings() const {
  for (const AccelRegion& region : regions_) {
    TESSERA_CHECK(region.result >= 0 && region.result < static_cast<int>(activations_.size()));
    TESSERA_CHECK(activations_[static_cast<size_t>(region.result)].kind != Activation::Kind::kInput,
                  "{}", region.op);
    for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
      if (!t->placeholder) continue;
      TESSERA_CHECK(region.activations.contains(t.get()) != region.constants.contains(t.get()),
                    "{}: {} is not bound", region.op, t.name());
    }
  }
  return {};
}

isa::Packing Compiler::PackingOf(const std::vector<int64_t>& shape) const {
  const sched::Shape4 s = sched::ToShape4(shape);
  return isa::PlainPacking(s, std::min(s[0], config_.batch), config_.block_out);
}

// Internal activations share the arena by lifetime; outputs lie one after the other.
void Compiler::PlaceActivations() {
  const auto count = static_cast<int64_t>(regions_.size());
  std::vector<Lifetime> lifetimes;
  std::vector<size_t> internal;
  int64_t output_bytes = 0;
  places_.resize(activations_.size());
  for (size_t k = 0; k < activations_.size(); ++k) {
    const Activation& a = activations_[k];
    const int64_t bytes = PackingOf(a.shape).bytes();
    if (a.kind == Activation::Kind::kOutput) {
      places_[k] = {true, output_bytes, isa::Segment::kOutput};
      output_bytes = RoundUp(output_bytes + bytes, kAlign);
    } else if (a.kind == Activation::Kind::kInternal && (options_.store_all || !residency_.Of(static_cast<int>(k)))) {
      Lifetime life{bytes, count, -1};
      for (int64_t r = 0; r < count; ++r) {
        const AccelRegion& region = regions_[static_cast<size_t>(r)];
        bool uses = region.result == static_cast<int>(k);
        for (const auto& [node, activation] : region.activations)
          uses |= activation == static_cast<int>(k);
        if (!uses) continue;
        life.first = std::min(life.first, r);
        life.last = std::max(life.last, r);
      }
      if (options_.keep_all) life.first = 0, life.last = count;
      lifetimes.push_back(life);
      internal.push_back(k);
    }
  }
  const MemoryPlan plan = PlanMemory(lifetimes, kAlign);
  for (size_t k = 0; k < internal.size(); ++k)
    places_[internal[k]] = {true, plan.offsets[k], isa::Segment::kArena};
  builder_.ReserveSegment(isa::Segment::kArena, plan.bytes);
  builder_.ReserveSegment(isa::Segment::kOutput, output_bytes);
}

Placement Compiler::InputPlace(int activation, const isa::Packing& packing) {
  for (const ActivationPlace& p : program_.inputs) {
    if (p.activation == activation && p.packing == packing)
      return {true, p.offset, isa::Segment::kInput};
  }
  program_.inputs.push_back({activation, isa::Segment::kInput, input_bytes_, packing});
  const Placement place{true, input_bytes_, isa::Segment::kInput};
  input_bytes_ = RoundUp(input_bytes_ + packing.bytes(), kAlign);
  builder_.ReserveSegment(isa::Segment::kInput, input_bytes_);
  return place;
}

Placement Compiler::ActivationPlacement(const Planned& planned, const AccelRegion& region,
                                        const te::Tensor& tensor) {
  const sched::Anchor& a = planned.region.anchor;
  if (!a.moved.empty() && tensor == a.input) {
    isa::Packing p = PackingOf(tensor.shape());
    p.block = sched::ExtentsOf(planned.region, config_).in_lanes;
    p.lanes.resize(static_cast<size_t>(p.blocks * p.block));
    p.shape = sched::ToShape4(a.original.shape());
    p.fill = static_cast<int8_t>(a.pad_value);
    for (size_t d = 0; d < 2; ++d) p.stride[d] = a.original_window[d].stride;
    for (size_t j = 0; j < a.moved.size(); ++j) {
      const auto& [channel, ty, tx] = a.moved[j];
      p.lanes[j] = {channel, ty * a.original_window[0].dilation - a.original_window[0].before,
                    tx * a.original_window[1].dilation - a.original_window[1].before};
    }
    return InputPlace(region.activations.at(a.original.get()), p);
  }
  const int activation = region.activations.at(tensor.get());
  if (activations_[static_cast<size_t>(activation)].kind == Activation::Kind::kInput) {
    return InputPlace(activation, PackingOf(tensor.shape()));
  }
  return places_[static_cast<size_t>(activation)];
}

Status Compiler::EmitRegion(size_t index, const Planned& planned) {
  const AccelRegion& region = regions_[index];
  const ConstantMap constants = ConstantsOf(region);
  // What this region writes to INP replaces halos that are there.
  const auto overwrite = [&](int64_t base, int64_t tiles) {
    std::erase_if(halos_, [&](const Halo& h) { return h.base < base + tiles && base < h.base + h.tiles; });
  };
  const bool boxed = planned.region.anchor.kind != sched::AnchorKind::kNone && !planned.on_chip.input;
  if (boxed) overwrite(residency_.box_base[index], planned.on_chip.inp_tiles);
  const sched::Staying* result = residency_.Of(region.result);
  bool fill = false;
  if (result != nullptr) {
    const std::vector<int64_t>& shape = activations_[static_cast<size_t>(region.result)].shape;
    fill = NeedsFill(*result, shape);
    if (fill || !result->halo.any()) overwrite(result->base, result->tiles);
    if (fill) halos_.push_back({result->base, result->tiles, result->pad, result->halo, shape});
  }
  const lower::accel::LoweredRegion lowered =
      lower::accel::LowerRegion(planned.region, planned.plan, config_, constants, planned.on_chip, fill);
  rings_.UseInp(residency_.box_base[index], planned.on_chip.inp_tiles);
  builder_.BeginSource(region.layer, region.op);
  Emitter emitter(config_, &builder_);
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const GlobalBuffer& b = lowered.buffers[k];
    Placement place;
    if (lowered.func.params[k]->scope == ir::Scope::kInp) {
      const int activation = b.role == GlobalBuffer::Role::kResult ? region.result : region.activations.at(b.tensor.get());
      emitter.Place(lowered.func.params[k], {false, residency_.Of(activation)->base, {}});
      continue;
    }
    switch (b.role) {
      case GlobalBuffer::Role::kConstant:
        place = {true, builder_.AddConstants(b.data, kAlign), isa::Segment::kConstants};
        break;
      case GlobalBuffer::Role::kResult:
        place = places_[static_cast<size_t>(region.result)];
        break;
      case GlobalBuffer::Role::kActivation:
        place = ActivationPlacement(planned, region, b.tensor);
        break;
    }
    emitter.Place(lowered.func.params[k], place);
  }
  const int64_t before = builder_.stats().instructions, steps = builder_.stats().gemm_steps;
  const Status status = Execute(lowered.func.body, emitter, rings_);
  if (!status) return Within(region.op, status.error());
  program_.regions.push_back({builder_.stats().gemm_steps - steps,
                              builder_.stats().instructions - before, planned.plan.cycles()});
  if (options_.dump) {
    program_.schedules.push_back(sched::Print(planned.region) + sched::Print(planned.plan) +
                                 schedule::Print(program_.traces[index]));
    program_.irs.push_back(ir::Print(lowered.func));
  }
  if (!planned.on_chip.stored) return {};
  const Placement& place = places_[static_cast<size_t>(region.result)];
  program_.results.push_back({region.result, place.segment, place.base,
                              PackingOf(activations_[static_cast<size_t>(region.result)].shape)});
  return {};
}

Result<AccelProgram> Compiler::Run() {
  TESSERA_TRY(CheckBindings());
  TESSERA_TRY(PlanAll());
  PlaceActivations();
  for (size_t k = 0; k < regions_.size(); ++k) TESSERA_TRY(EmitRegion(k, planned_[k]));
  TESSERA_ASSIGN(program_.image, builder_.Finish());
  program_.stats = builder_.stats();
  return std::move(program_);
}

}  // namespace

Status CheckRegion(const AccelRegion& region, const isa::Config& config) {
  TESSERA_ASSIGN(const sched::Region analyzed,
                 sched::AnalyzeRegion(region.output, ConstantsOf(region)));
  TESSERA_TRY(sched::MakePlan(analyzed, config));
  return {};
}

Result<AccelProgram> CompileAccel(const std::vector<Activation>& activations,
                                  const std::vector<AccelRegion>& regions,
                                  const isa::Config& config, const AccelOptions& options) {
  return Compiler(activations, regions, config, options).Run();
}

}  // namespace tessera::codegen::accel
