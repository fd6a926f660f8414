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
#include "compiler/ir/usage.h"
#include "compiler/ir/visit.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {

using network::RegionBuffer;

constexpr int64_t kConstantAlign = 64;
// Two regions overlap for one part in so many of their cycles.
constexpr int64_t kWorthwhile = 50;

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

void ProgramEmitter::OverwriteHalos(int64_t base, int64_t tiles) {
  std::erase_if(halos_, [&](const WrittenHalo& h) {
    return h.base < base + tiles && base < h.base + h.tiles;
  });
}

Result<std::unique_ptr<ProgramEmitter::Emission>> ProgramEmitter::Lower(size_t index) {
  const network::AccelRegion& region = regions_[index];
  const network::PlannedRegion& planned = plan_.regions[index];
  if (planned.steps.inp_tiles > 0)
    OverwriteHalos(plan_.residency.box_base[index], plan_.residency.box_tiles[index]);
  const network::Resident* result = plan_.residency.Of(region.result);
  bool fill = false;
  if (result != nullptr) {
    const std::vector<int64_t>& shape = activations_[static_cast<size_t>(region.result)].shape;
    fill = NeedsFill(*result, shape);
    if (fill || !result->halo.any()) OverwriteHalos(result->base, result->tiles);
    if (fill) halos_.push_back({result->base, result->tiles, result->pad, result->halo, shape});
  }
  auto emission = std::make_unique<Emission>(
      Emission{planned.steps.lowered, {}, LeafEmitter(config_, &builder_), {}});
  network::LoweredRegion& lowered = emission->lowered;
  TESSERA_TRY(PlaceParams(index, lowered, emission->emitter));
  if (fill) {
    const auto kept = std::ranges::find_if(lowered.func.params, [&](const ir::Buffer& param) {
      return param->name == region.output.name();
    });
    lowered.body = ir::Seq({FillHalo(*kept, result->pad, config_), lowered.body});
  }
  if (planned.store) {
    emission->store = planned.store->lowered;
    TESSERA_TRY(PlaceParams(index, *emission->store, emission->emitter));
  }
  TESSERA_TRY(CutAhead(index, *emission));
  std::ranges::move(CutUnits(lowered.body), std::back_inserter(emission->units));
  emission->emitted.resize(emission->units.size());
  return emission;
}

Status ProgramEmitter::PlaceParams(size_t index, network::LoweredRegion& lowered,
                                   LeafEmitter& emitter) {
  const network::AccelRegion& region = regions_[index];
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    RegionBuffer& b = lowered.buffers[k];
    BufferAddress place;
    if (lowered.func.params[k]->scope == ir::Scope::kInp) {
      const int activation = b.role == RegionBuffer::Use::kResult
                                 ? region.result
                                 : region.activations.at(b.tensor.get());
      emitter.Place(lowered.func.params[k], {false, plan_.residency.Of(activation)->base, {}});
      continue;
    }
    switch (b.role) {
      case RegionBuffer::Use::kConstant: {
        TESSERA_ASSIGN(
            const std::vector<uint8_t> bytes,
            MachineBytes(lowered.func.body, lowered.func.params[k], std::move(b.data), config_));
        place = {true, builder_.AddConstants(bytes, kConstantAlign), isa::Segment::kConstants};
        break;
      }
      case RegionBuffer::Use::kResult:
        place = AddressOf(region.result, b.packing);
        break;
      case RegionBuffer::Use::kActivation:
        place = AddressOf(region.activations.at(b.tensor.get()), b.packing);
        break;
    }
    emitter.Place(lowered.func.params[k], place);
  }
  return {};
}

void ProgramEmitter::Settle() {
  const jit::ProgramStats& stats = builder_.stats();
  if (current_ != nullptr) {
    current_->report.instructions += stats.instructions - settled_.instructions;
    current_->report.macs_steps += stats.gemm_steps - settled_.gemm_steps;
  }
  settled_ = stats;
}

void ProgramEmitter::SwitchTo(size_t index, Emission& emission) {
  if (current_ == &emission) return;
  Settle();
  current_ = &emission;
  builder_.BeginSource(regions_[index].layer, regions_[index].op);
}

Status ProgramEmitter::EmitUnit(size_t index, Emission& emission, size_t unit,
                                const RunHooks& hooks) {
  SwitchTo(index, emission);
  const WorkUnit& work = emission.units[unit];
  const Status status = ExecuteIn(work.body, work.env, emission.emitter, rings_, hooks);
  if (!status) return Within(regions_[index].op, status.error());
  emission.emitted[unit] = true;
  return {};
}

Status ProgramEmitter::EmitRegion(size_t index, Emission& now, Emission* next) {
  const network::AccelRegion& region = regions_[index];
  std::optional<UnderRegion> under;
  if (next != nullptr && next->begun && allowed_[index]) {
    TESSERA_ASSIGN(under, FindUnder(index, now, *next));
  }
  const int64_t tiles = under ? under->tiles_left : plan_.residency.box_tiles[index];
  rings_.UseInp(plan_.residency.box_base[index], tiles);
  size_t unit = 0, of_unit = 0;  // the unit of work under way, its products that are done
  std::vector<PieceStep> taken;  // and what it took so far
  // What it still takes must find room behind a unit of the next region too.
  const auto fits = [&](const WorkUnit& work) {
    Rings rings = rings_;
    rings.inp = under->inp;
    if (!Replay(work.pieces, {}, rings)) return false;
    rings.inp = rings_.inp;
    return Replay(now.units[unit].pieces, taken, rings);
  };
  const auto fill = [&]() -> Status {
    while (const std::optional<size_t> u = under->overlap.Next(fits)) {
      std::swap(rings_.inp, under->inp);
      const Status status = EmitUnit(index + 1, *next, *u);
      std::swap(rings_.inp, under->inp);
      if (!status) return status;
    }
    return {};
  };
  RunHooks hooks;
  int64_t done = 0, products = 0;
  if (under) hooks.pieces = &taken;
  if (next != nullptr && next->begun) {
    const Result<int64_t> all = CountProducts(now.lowered.body);
    if (!all) return Within(region.op, all.error());
    products = *all;
    hooks.after_product = [&]() -> Status {
      const auto pieces = static_cast<int64_t>(next->lowered.ahead.size());
      // None behind the first product, all behind the last: this region's own boxes come first.
      const int64_t due = products > 1 ? pieces * done / (products - 1) : pieces;
      ++done;
      TESSERA_TRY(Ahead(index + 1, *next, static_cast<size_t>(due)));
      if (under && ++of_unit < now.units[unit].products.size()) {
        under->overlap.EmittedTo(unit, of_unit);
        TESSERA_TRY(fill());
      }
      SwitchTo(index, now);
      return {};
    };
  }
  FixedPlaces fixed(&rings_);
  if (const Status status = fixed.Take(now.lowered.body, now.emitter); !status)
    return Within(region.op, status.error());
  if (now.on_demand) {
    hooks.before_leaf = [&](const target::SolvedLeaf& leaf) { return Need(index, now, leaf); };
  }
  for (unit = now.fills.size(); unit < now.units.size(); ++unit) {
    if (now.emitted[unit]) continue;
    of_unit = 0, taken.clear();
    TESSERA_TRY(EmitUnit(index, now, unit, hooks));
    if (!under) continue;
    under->overlap.Emitted(unit);
    TESSERA_TRY(fill());
  }
  // The next region's boxes go on where they are.
  if (under) std::swap(rings_.inp, under->inp);
  return {};
}

bool ProgramEmitter::SurveyRegion(size_t index, Emission& emission) {
  if (emission.surveyed) return true;
  if (emission.units.size() > Overlap::kMostUnits) return false;
  Rings rings = rings_;
  rings.UseInp(plan_.residency.box_base[index], plan_.residency.box_tiles[index]);
  FixedPlaces fixed(&rings);
  LeafEmitter scratch = emission.emitter;
  // What does not fit beside what is held now is no error: it has its turn when that is gone.
  emission.surveyed = fixed.Take(emission.lowered.body, scratch).has_value() &&
                      Survey(emission.units, scratch, rings, config_).has_value();
  return emission.surveyed;
}

Result<std::optional<ProgramEmitter::UnderRegion>> ProgramEmitter::FindUnder(size_t index,
                                                                             Emission& now,
                                                                             Emission& next) {
  const auto tiles_of = [&](const ir::Buffer& b) { return rings_.TilesOf(b); };
  const auto fixed_of = [&](const ir::Buffer& b) -> int64_t { return b->rotates ? 0 : 1; };
  for (const ir::Scope scope :
       {ir::Scope::kInp, ir::Scope::kWgt, ir::Scope::kAcc, ir::Scope::kOut, ir::Scope::kPrm}) {
    if (ir::MostInUse(next.lowered.body, scope, fixed_of) > 0) return std::nullopt;
  }
  // This region's boxes keep room for two, the next one's have what is left behind them.
  const int64_t base = plan_.residency.box_base[index], tiles = plan_.residency.box_tiles[index];
  const int64_t own = ir::MostInUse(now.lowered.body, ir::Scope::kInp, tiles_of),
                wanted = ir::MostInUse(next.lowered.body, ir::Scope::kInp, tiles_of);
  int64_t from = base + 2 * own, to = base + tiles;
  for (const network::Resident& s : plan_.residency.residents) {
    if (s.first != index + 1 || s.base >= to || s.base + s.tiles <= from) continue;
    // The larger side of what the next region makes there.
    if (s.base - from > to - (s.base + s.tiles)) {
      to = s.base;
    } else {
      from = s.base + s.tiles;
    }
  }
  if (to - from < wanted) return std::nullopt;
  if (wanted > 0) from = std::max(from, to - 2 * wanted);
  const int64_t left = wanted > 0 && own > 0 ? from - base : tiles;
  if (!SurveyRegion(index, now) || !SurveyRegion(index + 1, next)) return std::nullopt;
  std::vector<isa::Access> in_use;
  if (own > 0) in_use.push_back({isa::Space::Of(isa::Memory::kInp), false, {{base, base + left}}});
  // Its own boxes fit in fewer tiles.
  Rings rings = rings_;
  rings.UseInp(base, left);
  FixedPlaces fixed(&rings);
  LeafEmitter scratch = now.emitter;
  if (!fixed.Take(now.lowered.body, scratch)) return std::nullopt;
  for (size_t u = 0; u < now.units.size(); ++u) {
    if (!now.emitted[u] && !Replay(now.units[u].pieces, {}, rings)) return std::nullopt;
  }
  std::vector<bool> gone = now.emitted;
  std::fill_n(gone.begin(), now.fills.size(), true);  // come where they are needed
  UnderRegion under{Overlap(now.units, gone, next.units, &next.emitted, in_use),
                    left,
                    {RingAllocator(std::max<int64_t>(to - from, 1)), from}};
  const Overlap::Gain gain = under.overlap.Plan();
  if (gain.saved * kWorthwhile < gain.apart) return std::nullopt;
  if (measured_ != nullptr) {
    (*measured_)[index] = gain.saved;
    return std::nullopt;
  }
  // What lies there from before is gone.
  OverwriteHalos(from, to - from);
  return under;
}

// A region's weights are loaded under the one before it, spread over its products: LOAD, which
// works in order, brings them while it would wait for that region's results, and no box waits long
// behind them. Units of its work come under it too, where both have room.
Status ProgramEmitter::EmitAll() {
  std::unique_ptr<Emission> now, next;
  if (!regions_.empty()) {
    TESSERA_ASSIGN(now, Lower(0));
  }
  for (size_t k = 0; k < regions_.size(); ++k) {
    const network::PlannedRegion& planned = plan_.regions[k];
    TESSERA_TRY(Begin(k, *now, true));
    if (!now->on_demand) TESSERA_TRY(Ahead(k, *now, now->lowered.ahead.size()));
    if (k + 1 < regions_.size()) {
      TESSERA_ASSIGN(next, Lower(k + 1));
      // A ring where this region still looks for room is left to it.
      const bool free = std::ranges::none_of(next->lowered.resident, [&](const ir::Buffer& b) {
        return Allocates(now->lowered.body, b->scope);
      });
      if (free) TESSERA_TRY(Begin(k + 1, *next, false));
    }
    TESSERA_TRY(EmitRegion(k, *now, next.get()));
    now->held.Release(rings_);
    if (now->store) {
      const Status stored = Execute(now->store->func.body, now->emitter, rings_);
      if (!stored) return Within(regions_[k].op, stored.error());
    }
    Settle();
    now->report.estimated_cycles = planned.plan.cycles();
    program_.regions.push_back(now->report);
    current_ = nullptr;
    if (dump_) {
      program_.notes.push_back(sched::Print(planned.region));
      program_.irs.push_back(ir::Print(now->lowered.func));
    }
    now = std::move(next);
  }
  return {};
}

Status ProgramEmitter::Measure(std::vector<int64_t>* saved) {
  measured_ = saved;
  return EmitAll();
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
  std::vector<int64_t> saved(regions.size());
  TESSERA_TRY(ProgramEmitter(plan, activations, regions, config, offsets, false).Measure(&saved));
  ProgramEmitter emitter(plan, activations, regions, config, offsets, dump);
  emitter.Allow(ChoosePairs(saved));
  return emitter.Run(arena_bytes);
}

}  // namespace tessera::codegen::accel
