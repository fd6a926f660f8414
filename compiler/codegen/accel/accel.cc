// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/accel.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/compiler.h"
#include "compiler/codegen/accel/memory_plan.h"
#include "compiler/ir/print.h"

namespace tessera::codegen::accel {

using lower::accel::ConstantMap;
using lower::accel::GlobalBuffer;

namespace {

constexpr int64_t kAlign = 64;

}  // namespace

ConstantMap ConstantsOf(const AccelRegion& region) {
  ConstantMap map;
  for (const auto& [node, bytes] : region.constants) map[node] = &bytes;
  return map;
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
  return sched::PackingOf(sched::ToShape4(shape), config_);
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
    } else if (a.kind == Activation::Kind::kInternal &&
               (options_.store_all || !residency_.Of(static_cast<int>(k)))) {
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

BufferAddress Compiler::InputPlace(int activation, const isa::Packing& packing) {
  for (const ActivationPlace& p : program_.inputs) {
    if (p.activation == activation && p.packing == packing)
      return {true, p.offset, isa::Segment::kInput};
  }
  program_.inputs.push_back({activation, isa::Segment::kInput, input_bytes_, packing});
  const BufferAddress place{true, input_bytes_, isa::Segment::kInput};
  input_bytes_ = RoundUp(input_bytes_ + packing.bytes(), kAlign);
  builder_.ReserveSegment(isa::Segment::kInput, input_bytes_);
  return place;
}

BufferAddress Compiler::ActivationPlacement(const Planned& planned, const AccelRegion& region,
                                            const te::Tensor& tensor) {
  const sched::Anchor& a = planned.region.anchor;
  if (!a.moved.empty() && tensor == a.input) {
    isa::Packing p = PackingOf(tensor.shape());
    p.shape = sched::ToShape4(a.original.shape());
    p.fill = static_cast<int8_t>(a.pad_value);
    for (size_t d = 0; d < 2; ++d) {
      if ((planned.moved >> d & 1) != 0) p.stride[d] = a.original_window[d].stride;
    }
    for (size_t j = 0; j < a.moved.size(); ++j) {
      const auto& [channel, ty, tx] = a.moved[j];
      const auto offset = [&](size_t d, int64_t tap) {
        const sched::WindowAxis& w = a.original_window[d];
        return tap < 0 ? 0 : tap * w.dilation - w.before;
      };
      p.lanes[j] = {channel, offset(0, ty), offset(1, tx)};
    }
    return InputPlace(region.activations.at(a.original.get()), p);
  }
  const int activation = region.activations.at(tensor.get());
  if (activations_[static_cast<size_t>(activation)].kind == Activation::Kind::kInput) {
    return InputPlace(activation, PackingOf(tensor.shape()));
  }
  return places_[static_cast<size_t>(activation)];
}

std::unique_ptr<Compiler::Emission> Compiler::Lower(size_t index) {
  const AccelRegion& region = regions_[index];
  const Planned& planned = planned_[index];
  const ConstantMap constants = ConstantsOf(region);
  // What this region writes to INP replaces halos that are there.
  const auto overwrite = [&](int64_t base, int64_t tiles) {
    std::erase_if(halos_, [&](const WrittenHalo& h) {
      return h.base < base + tiles && base < h.base + h.tiles;
    });
  };
  const bool boxed =
      planned.region.anchor.kind != sched::AnchorKind::kNone && !planned.on_chip.input;
  if (boxed) overwrite(residency_.box_base[index], planned.on_chip.inp_tiles);
  const sched::Staying* result = residency_.Of(region.result);
  bool fill = false;
  if (result != nullptr) {
    const std::vector<int64_t>& shape = activations_[static_cast<size_t>(region.result)].shape;
    fill = NeedsFill(*result, shape);
    if (fill || !result->halo.any()) overwrite(result->base, result->tiles);
    if (fill) halos_.push_back({result->base, result->tiles, result->pad, result->halo, shape});
  }
  auto emission = std::make_unique<Emission>(
      Emission{lower::accel::LowerRegion(planned.region, planned.plan, config_, constants,
                                         planned.on_chip, fill),
               LeafEmitter(config_, &builder_),
               {}});
  const lower::accel::LoweredRegion& lowered = emission->lowered;
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const GlobalBuffer& b = lowered.buffers[k];
    BufferAddress place;
    if (lowered.func.params[k]->scope == ir::Scope::kInp) {
      const int activation = b.role == GlobalBuffer::Use::kResult
                                 ? region.result
                                 : region.activations.at(b.tensor.get());
      emission->emitter.Place(lowered.func.params[k], {false, residency_.Of(activation)->base, {}});
      continue;
    }
    switch (b.role) {
      case GlobalBuffer::Use::kConstant:
        place = {true, builder_.AddConstants(b.data, kAlign), isa::Segment::kConstants};
        break;
      case GlobalBuffer::Use::kResult:
        place = places_[static_cast<size_t>(region.result)];
        break;
      case GlobalBuffer::Use::kActivation:
        place = ActivationPlacement(planned, region, b.tensor);
        break;
    }
    emission->emitter.Place(lowered.func.params[k], place);
  }
  return emission;
}

Status Compiler::Begin(size_t index, Emission& emission, bool must) {
  if (emission.begun) return {};
  const AccelRegion& region = regions_[index];
  if (!emission.held.Take(emission.lowered.resident, emission.emitter, rings_)) {
    if (!must) return {};
    return Fail(Code::kOutOfRange, "{}: its weights and parameters do not fit on chip together",
                region.op);
  }
  emission.begun = true;
  return {};
}

Status Compiler::Ahead(size_t index, Emission& emission, size_t count) {
  const AccelRegion& region = regions_[index];
  if (emission.ahead < count) builder_.BeginSource(region.layer, region.op);
  for (; emission.ahead < count; ++emission.ahead) {
    const Status status = Execute(emission.lowered.ahead[emission.ahead], emission.emitter, rings_);
    if (!status) return Within(region.op, status.error());
  }
  return {};
}

// A region's weights are loaded under the one before it, spread over its products: LOAD, which
// works in order, brings them while it would wait for that region's results, and no box waits long
// behind them.
Status Compiler::EmitAll() {
  std::unique_ptr<Emission> now = regions_.empty() ? nullptr : Lower(0), next;
  for (size_t k = 0; k < regions_.size(); ++k) {
    const AccelRegion& region = regions_[k];
    const Planned& planned = planned_[k];
    const int64_t before = builder_.stats().instructions, steps = builder_.stats().gemm_steps;
    TESSERA_TRY(Begin(k, *now, true));
    TESSERA_TRY(Ahead(k, *now, now->lowered.ahead.size()));
    if (k + 1 < regions_.size()) {
      next = Lower(k + 1);
      // A ring where this region still looks for room is left to it.
      const bool free = std::ranges::none_of(next->lowered.resident, [&](const ir::Buffer& b) {
        return Allocates(now->lowered.body, b->scope);
      });
      if (free) TESSERA_TRY(Begin(k + 1, *next, false));
    }
    std::function<Status(int64_t)> interleave;
    if (next && next->begun) {
      interleave = [&, products = CountProducts(now->lowered.body)](int64_t done) -> Status {
        const auto pieces = static_cast<int64_t>(next->lowered.ahead.size());
        TESSERA_TRY(Ahead(k + 1, *next, static_cast<size_t>(CeilDiv(pieces * done, products))));
        builder_.BeginSource(region.layer, region.op);
        return {};
      };
    }
    builder_.BeginSource(region.layer, region.op);
    rings_.UseInp(residency_.box_base[k], planned.on_chip.inp_tiles);
    const Status status = Execute(now->lowered.body, now->emitter, rings_, interleave);
    if (!status) return Within(region.op, status.error());
    now->held.Release(rings_);
    program_.regions.push_back({builder_.stats().gemm_steps - steps,
                                builder_.stats().instructions - before, planned.plan.cycles()});
    if (options_.dump) {
      program_.schedules.push_back(sched::Print(planned.region) + sched::Print(planned.plan) +
                                   schedule::Print(program_.traces[k]));
      program_.irs.push_back(ir::Print(now->lowered.func));
    }
    if (planned.on_chip.stored) {
      const BufferAddress& place = places_[static_cast<size_t>(region.result)];
      program_.results.push_back(
          {region.result, place.segment, place.base,
           PackingOf(activations_[static_cast<size_t>(region.result)].shape)});
    }
    now = std::move(next);
  }
  return {};
}

Result<AccelProgram> Compiler::Run() {
  TESSERA_TRY(CheckBindings());
  TESSERA_TRY(PlanAll());
  PlaceActivations();
  TESSERA_TRY(EmitAll());
  TESSERA_ASSIGN(program_.image, builder_.Finish());
  program_.stats = builder_.stats();
  return std::move(program_);
}

Status CheckRegion(const AccelRegion& region, const isa::Config& config) {
  TESSERA_ASSIGN(const sched::AnalyzedRegion analyzed,
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
