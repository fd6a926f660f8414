// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/accel.h"

#include <algorithm>
#include <memory>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/compiler.h"
#include "compiler/codegen/accel/records.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {

using lower::accel::ConstantMap;
using lower::accel::GlobalBuffer;

constexpr int64_t kConstantAlign = 64;

namespace {

// All of |kept|, an activation that stays, in one sweep: its values come after it.
ir::Stmt FillHalo(const ir::Buffer& kept, int64_t pad, const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  std::vector<ir::Expr> at;
  int64_t elements = 1;
  size_t outer = kept->shape.size();  // dimensions around a tile
  while (outer > 0 && elements < tile) elements *= kept->shape[--outer];
  for (size_t d = 0; d < kept->shape.size(); ++d)
    at.push_back(d < outer ? ir::Var(fmt::format("p{}", d)) : ir::Expr(0));
  ir::Stmt fill = ir::Eval(
      ir::TileCall(target::kTileFill, {ir::Load(kept, at), ir::Expr(tile), ir::Expr(pad)}));
  for (size_t d = outer; d-- > 0;)
    fill = ir::For(at[d], ir::Expr(0), ir::Expr(kept->shape[d]), ir::LoopKind::kSerial, fill);
  return ir::Simplify(fill);
}

}  // namespace

BufferAddress ProgramEmitter::AddressOf(int activation, const sched::Packing& packing) const {
  const size_t need = plan_.NeedOf(activation, packing);
  return {true, offsets_[need],
          plan_.needs[need].made ? isa::Segment::kArena : isa::Segment::kInput};
}

bool ProgramEmitter::NeedsFill(const network::Resident& s, const std::vector<int64_t>& shape) {
  if (!s.halo.any()) return false;
  return std::ranges::none_of(halos_, [&](const WrittenHalo& h) {
    return h.base == s.base && h.tiles == s.tiles && h.pad == s.pad && h.halo == s.halo &&
           h.shape == shape;
  });
}

Result<std::unique_ptr<ProgramEmitter::Emission>> ProgramEmitter::Lower(size_t index) {
  const network::AccelRegion& region = regions_[index];
  const network::PlannedRegion& planned = plan_.regions[index];
  const ConstantMap constants = network::ConstantsOf(region);
  // What this region writes to INP replaces halos that are there.
  const auto overwrite = [&](int64_t base, int64_t tiles) {
    std::erase_if(halos_, [&](const WrittenHalo& h) {
      return h.base < base + tiles && base < h.base + h.tiles;
    });
  };
  const bool boxed = planned.steps ? planned.steps->inp_tiles > 0
                                   : planned.region.anchor.kind != sched::AnchorKind::kNone &&
                                         !planned.on_chip.input;
  if (boxed) overwrite(plan_.residency.box_base[index], planned.on_chip.inp_tiles);
  const network::Resident* result = plan_.residency.Of(region.result);
  bool fill = false;
  if (result != nullptr) {
    const std::vector<int64_t>& shape = activations_[static_cast<size_t>(region.result)].shape;
    fill = NeedsFill(*result, shape);
    if (fill || !result->halo.any()) overwrite(result->base, result->tiles);
    if (fill) halos_.push_back({result->base, result->tiles, result->pad, result->halo, shape});
  }
  auto emission = std::make_unique<Emission>(
      Emission{planned.steps ? planned.steps->lowered
                             : lower::accel::LowerRegion(planned.region, planned.plan, config_,
                                                         constants, planned.on_chip, fill),
               {},
               LeafEmitter(config_, &builder_),
               {}});
  lower::accel::LoweredRegion& lowered = emission->lowered;
  TESSERA_TRY(PlaceParams(index, lowered, emission->emitter));
  if (planned.steps && fill) {
    const auto kept = std::ranges::find_if(lowered.func.params, [&](const ir::Buffer& param) {
      return param->name == region.output.name();
    });
    lowered.body = ir::Seq({FillHalo(*kept, result->pad, config_), lowered.body});
  }
  if (planned.store) {
    emission->store = planned.store->lowered;
    TESSERA_TRY(PlaceParams(index, *emission->store, emission->emitter));
  }
  return emission;
}

Status ProgramEmitter::PlaceParams(size_t index, lower::accel::LoweredRegion& lowered,
                                   LeafEmitter& emitter) {
  const network::AccelRegion& region = regions_[index];
  const network::PlannedRegion& planned = plan_.regions[index];
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    GlobalBuffer& b = lowered.buffers[k];
    BufferAddress place;
    if (lowered.func.params[k]->scope == ir::Scope::kInp) {
      const int activation = b.role == GlobalBuffer::Use::kResult
                                 ? region.result
                                 : region.activations.at(b.tensor.get());
      emitter.Place(lowered.func.params[k], {false, plan_.residency.Of(activation)->base, {}});
      continue;
    }
    switch (b.role) {
      case GlobalBuffer::Use::kConstant: {
        TESSERA_ASSIGN(
            const std::vector<uint8_t> bytes,
            MachineBytes(lowered.func.body, lowered.func.params[k], std::move(b.data), config_));
        place = {true, builder_.AddConstants(bytes, kConstantAlign), isa::Segment::kConstants};
        break;
      }
      case GlobalBuffer::Use::kResult:
        place = AddressOf(region.result, sched::PackingOf(planned.region.shape, config_));
        break;
      case GlobalBuffer::Use::kActivation: {
        const network::MemoryRead read = network::ReadOf(planned, region, b.tensor, config_);
        place = AddressOf(read.activation, read.packing);
        break;
      }
    }
    emitter.Place(lowered.func.params[k], place);
  }
  return {};
}

Status ProgramEmitter::Begin(size_t index, Emission& emission, bool must) {
  if (emission.begun) return {};
  const network::AccelRegion& region = regions_[index];
  if (!emission.held.Take(emission.lowered.resident, emission.emitter, rings_)) {
    if (!must) return {};
    return Fail(Code::kOutOfRange, "{}: its weights and parameters do not fit on chip together",
                region.op);
  }
  emission.begun = true;
  return {};
}

Status ProgramEmitter::Ahead(size_t index, Emission& emission, size_t count) {
  const network::AccelRegion& region = regions_[index];
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
Status ProgramEmitter::EmitAll() {
  std::unique_ptr<Emission> now, next;
  if (!regions_.empty()) {
    TESSERA_ASSIGN(now, Lower(0));
  }
  for (size_t k = 0; k < regions_.size(); ++k) {
    const network::AccelRegion& region = regions_[k];
    const network::PlannedRegion& planned = plan_.regions[k];
    const int64_t before = builder_.stats().instructions, steps = builder_.stats().gemm_steps;
    TESSERA_TRY(Begin(k, *now, true));
    TESSERA_TRY(Ahead(k, *now, now->lowered.ahead.size()));
    if (k + 1 < regions_.size()) {
      TESSERA_ASSIGN(next, Lower(k + 1));
      // A ring where this region still looks for room is left to it.
      const bool free = std::ranges::none_of(next->lowered.resident, [&](const ir::Buffer& b) {
        return Allocates(now->lowered.body, b->scope);
      });
      if (free) TESSERA_TRY(Begin(k + 1, *next, false));
    }
    std::function<Status(int64_t)> interleave;
    if (next && next->begun) {
      const Result<int64_t> all = CountProducts(now->lowered.body);
      if (!all) return Within(region.op, all.error());
      interleave = [&, products = *all](int64_t done) -> Status {
        const auto pieces = static_cast<int64_t>(next->lowered.ahead.size());
        // None behind the first product, all behind the last: this region's own boxes come first.
        const int64_t due = products > 1 ? pieces * (done - 1) / (products - 1) : pieces;
        TESSERA_TRY(Ahead(k + 1, *next, static_cast<size_t>(due)));
        builder_.BeginSource(region.layer, region.op);
        return {};
      };
    }
    builder_.BeginSource(region.layer, region.op);
    rings_.UseInp(plan_.residency.box_base[k], planned.on_chip.inp_tiles);
    const Status status = Execute(now->lowered.body, now->emitter, rings_, interleave);
    if (!status) return Within(region.op, status.error());
    now->held.Release(rings_);
    if (now->store) {
      const Status stored = Execute(now->store->func.body, now->emitter, rings_);
      if (!stored) return Within(region.op, stored.error());
    }
    program_.regions.push_back({builder_.stats().gemm_steps - steps,
                                builder_.stats().instructions - before, planned.plan.cycles()});
    if (dump_) {
      program_.notes.push_back(sched::Print(planned.region) +
                               (planned.steps ? "" : sched::Print(planned.plan)));
      program_.irs.push_back(ir::Print(now->lowered.func));
    }
    now = std::move(next);
  }
  return {};
}

Result<AccelProgram> ProgramEmitter::Run(int64_t arena_bytes) {
  TESSERA_CHECK(offsets_.size() == plan_.needs.size());
  for (const network::MemoryNeed& need : plan_.needs) {
    builder_.ReserveSegment(need.made ? isa::Segment::kArena : isa::Segment::kInput, arena_bytes);
  }
  TESSERA_TRY(EmitAll());
  TESSERA_ASSIGN(program_.image, builder_.Finish());
  program_.stats = builder_.stats();
  return std::move(program_);
}

Result<AccelProgram> EmitProgram(const network::ProgramPlan& plan,
                                 const std::vector<network::Activation>& activations,
                                 const std::vector<network::AccelRegion>& regions,
                                 const isa::Config& config, const std::vector<int64_t>& offsets,
                                 int64_t arena_bytes, bool dump) {
  return ProgramEmitter(plan, activations, regions, config, offsets, dump).Run(arena_bytes);
}

}  // namespace tessera::codegen::accel
