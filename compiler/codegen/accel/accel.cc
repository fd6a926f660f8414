// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/accel.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/emit/records.h"
#include "compiler/codegen/accel/program_emitter.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {

using lower::accel::RegionBuffer;

constexpr int64_t kConstantAlign = 64;

namespace {

// |count| indices of a dimension, from |first| on. Those behind the dimension's end do not count.
struct IndexRange {
  ir::Expr first;
  int64_t count = 0;
};
using IndexRanges = std::map<size_t, IndexRange>;  // by dimension; others have all indices

// Fills |kept|, an activation that stays, with |pad| at the indices |some|; its values come later.
ir::Stmt FillHalo(const ir::Buffer& kept, int64_t pad, const isa::Config& config,
                  const IndexRanges& some = {}) {
  const int64_t tile = config.batch * config.block_out;
  std::vector<ir::Expr> vars, at;
  int64_t elements = 1;
  size_t outer = kept->shape.size();  // dimensions around a tile
  while (outer > 0 && elements < tile) elements *= kept->shape[--outer];
  for (size_t d = 0; d < kept->shape.size(); ++d) {
    vars.push_back(d < outer ? ir::Var(fmt::format("p{}", d)) : ir::Expr(0));
    at.push_back(some.contains(d) ? some.at(d).first + vars[d] : vars[d]);
  }
  ir::Stmt fill = target::FillTile(ir::Load(kept, at), tile, pad);
  for (const auto& [d, range] : some) fill = ir::If(ir::Lt(at[d], ir::Expr(kept->shape[d])), fill);
  for (size_t d = outer; d-- > 0;) {
    const int64_t count = some.contains(d) ? some.at(d).count : kept->shape[d];
    fill = ir::For(vars[d], ir::Expr(0), ir::Expr(count), ir::LoopKind::kSerial, fill);
  }
  return ir::Simplify(fill);
}

// Replaces the body of the outermost loop of |s| by |around|(set, body). The loop has |sets|
// iterations, one for each set of planes. Nothing: |s| has no such loop.
std::optional<ir::Stmt> InEachSet(
    const ir::Stmt& s, int64_t sets,
    const std::function<ir::Stmt(const ir::Expr& set, const ir::Stmt& body)>& around) {
  if (s->kind == ir::StmtKind::kFor) {
    int64_t extent = 0;
    if (!ir::IsImm(s->extent, &extent) || extent != sets) return std::nullopt;
    return ir::For(s->var, s->min, s->extent, s->loop, around(s->var - s->min, s->body[0]));
  }
  if (s->kind != ir::StmtKind::kSeq && s->kind != ir::StmtKind::kAlloc) return std::nullopt;
  const std::optional<ir::Stmt> last = InEachSet(s->body.back(), sets, around);
  if (!last) return std::nullopt;
  if (s->kind == ir::StmtKind::kAlloc) return ir::Alloc(s->buffer, *last);
  std::vector<ir::Stmt> all = s->body;
  all.back() = *last;
  return ir::Seq(all);
}

// Both segments are the same arena. A STORE and the LOADs that wait for it name the same one.
isa::Segment SegmentOf(const network::MemoryNeed& need) {
  return need.made || need.parts_made ? isa::Segment::kArena : isa::Segment::kInput;
}

}  // namespace

BufferAddress ProgramEmitter::AddressOf(int activation, const sched::Packing& packing) const {
  const size_t need = plan_.NeedOf(activation, packing);
  return {true, offsets_[need], SegmentOf(plan_.needs[need])};
}

BufferAddress ProgramEmitter::PlaceOf(const network::Resident& resident,
                                      const ir::Buffer& kept) const {
  BufferAddress address{false, resident.base, {}};
  TESSERA_CHECK(kept->folded.has_value() == resident.folded.has_value(), "{}", kept->name);
  if (!kept->folded) return address;
  const auto dim = static_cast<size_t>(kept->folded->dim);
  const int64_t rows = kept->shape[dim],
                pitch = ir::PhysicalStrides(*kept)[dim] / TileElements(config_, kept);
  const int64_t there = kept->folded->rows, step = kept->folded->step;
  int64_t planes = 1;
  for (size_t d = 0; d < dim; ++d) planes *= kept->shape[d];
  if (kept->folded->planes > 0) planes = std::min(planes, kept->folded->planes);
  address.folded = FoldedPlace{.plane = rows * pitch,
                               .pitch = pitch,
                               .rows = there,
                               .step = step,
                               .times = CeilDiv(std::max<int64_t>(rows - there, 0), step) + 1,
                               .planes = planes,
                               .activation = resident.activation,
                               .tiles = resident.tiles};
  return address;
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
  const lower::accel::AccelRegion& region = regions_[index];
  const network::PlannedRegion& planned = plan_.regions[index];
  if (planned.steps.inp_tiles > 0)
    OverwriteHalos(plan_.residency.box_base[index], plan_.residency.box_tiles[index]);
  const network::Resident* result = plan_.residency.Of(region.result);
  bool fill = false;
  if (result != nullptr) {
    const std::vector<int64_t>& shape = activations_[static_cast<size_t>(region.result)].shape;
    // Regions that take turns have their tensors in INP before their turn.
    const bool turns = network::ChainOf(index, plan_.residency.residents).first != index;
    fill = turns || result->folded ? result->halo.any() : NeedsFill(*result, shape);
    if (fill || !result->halo.any()) OverwriteHalos(result->base, result->tiles);
    if (fill && !result->folded)
      halos_.push_back({result->base, result->tiles, result->pad, result->halo, shape});
  }
  auto emission = std::make_unique<Emission>(
      Emission{planned.steps.lowered, {}, LeafEmitter(config_, &builder_), {}, {}});
  lower::accel::LoweredRegion& lowered = emission->lowered;
  TESSERA_TRY(PlaceParams(index, lowered, emission->emitter));
  for (const auto& [table, copy] : lowered.tables) emission->emitter.Place(table, {false, 0, {}});
  if (fill) {
    const auto kept = std::ranges::find_if(lowered.func.params, [&](const ir::Buffer& param) {
      return param->name == region.output.name();
    });
    TESSERA_TRY(FillHalos(index, *result, *kept, *emission));
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

Status ProgramEmitter::FillHalos(size_t index, const network::Resident& result,
                                 const ir::Buffer& kept, Emission& emission) {
  ir::Stmt& body = emission.lowered.body;
  if (!result.folded) {
    body = ir::Seq({FillHalo(kept, result.pad, config_), body});
    return {};
  }
  // Fills the columns once for all sets, together with the rows in front of the first set; the rows
  // behind are filled after the rows of all their planes.
  const int64_t tile = config_.batch * config_.block_out;
  const ir::Buffer rows = ir::MakeBuffer({.name = kept->name + ".rows",
                                          .dtype = DType::kInt8,
                                          .shape = {result.tiles, tile},
                                          .scope = ir::Scope::kInp});
  emission.emitter.Place(rows, {false, result.base, {}});
  const auto dim = static_cast<size_t>(kept->folded->dim);
  const int64_t before = result.halo.before[0], after = result.halo.after[0],
                all = dim > 0 ? kept->shape[dim - 1] : 1,
                planes = kept->folded->planes < all ? kept->folded->planes : 0;
  const auto fill = [&](int64_t first, int64_t count, const ir::Expr& set) -> ir::Stmt {
    if (count == 0) return ir::Seq({});
    IndexRanges some{{dim, {ir::Expr(first), count}}};
    if (planes > 0) some[dim - 1] = {set * ir::Expr(planes), planes};
    return FillHalo(kept, result.pad, config_, some);
  };
  const int64_t end = kept->shape[dim] - after;
  if (planes == 0) {
    body = ir::Seq({FillHalo(rows, result.pad, config_), body, fill(end, after, ir::Expr(0))});
    return {};
  }
  if (before + after > 0) {
    const int64_t sets = CeilDiv(all, planes);
    const auto with = InEachSet(body, sets, [&](const ir::Expr& set, const ir::Stmt& rest) {
      const ir::Stmt in_front = fill(0, before, set), behind = fill(end, after, set);
      return ir::Seq({ir::If(ir::Lt(ir::Expr(0), set), in_front), rest, behind});
    });
    if (!with) {
      return Refuse(index, {Code::kInvalidArgument,
                            fmt::format("{} has {} sets of {} planes (fold_storage), and the "
                                        "outermost loop of its layer does not go over them",
                                        kept->name, sets, planes)});
    }
    body = *with;
  }
  body = ir::Seq({FillHalo(rows, result.pad, config_), body});
  return {};
}

std::unexpected<Error> ProgramEmitter::Refuse(size_t index, const Error& error) {
  if (refused_ != nullptr) *refused_ = index;
  return Within(regions_[index].op, error);
}

Status ProgramEmitter::PlaceParams(size_t index, const lower::accel::LoweredRegion& lowered,
                                   LeafEmitter& emitter) {
  const lower::accel::AccelRegion& region = regions_[index];
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const RegionBuffer& b = lowered.buffers[k];
    BufferAddress place;
    if (lowered.func.params[k]->scope == ir::Scope::kInp) {
      const int activation = b.role == RegionBuffer::Use::kResult
                                 ? region.result
                                 : region.activations.at(b.tensor.get());
      const ir::Buffer& kept = lowered.func.params[k];
      emitter.Place(kept, PlaceOf(*plan_.residency.Of(activation), kept));
      continue;
    }
    switch (b.role) {
      case RegionBuffer::Use::kConstant: {
        const ir::Buffer& param = lowered.func.params[k];
        const int64_t size = MachineSize(lowered.func.body, param, config_);
        if (measured_ != nullptr) {
          place = {true, measured_constants_, isa::Segment::kConstants};
          measured_constants_ += RoundUp(size, kConstantAlign);
          break;
        }
        if (!b.data) {
          place = {true, builder_.ReserveConstants(size, kConstantAlign), isa::Segment::kConstants};
          break;
        }
        const Result<std::vector<uint8_t>> bytes =
            MachineBytes(lowered.func.body, param, *b.data, config_);
        if (!bytes) return Refuse(index, bytes.error());
        TESSERA_CHECK(std::ssize(*bytes) == size, "{}", param->name);
        place = {true, builder_.AddConstants(*bytes, kConstantAlign), isa::Segment::kConstants};
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
  RunHooks all = hooks;
  all.before_leaf = [&](const target::SolvedLeaf& leaf) -> Status {
    TESSERA_TRY(NeedTable(index, emission, leaf));
    return hooks.before_leaf ? hooks.before_leaf(leaf) : Status{};
  };
  const Status status = ExecuteIn(work.body, work.env, emission.emitter, rings_, all);
  if (!status) return Refuse(index, status.error());
  emission.emitted[unit] = true;
  return {};
}

// The weights of a region are loaded during the region before it, spread over that region's
// products. LOAD works in order: it loads the weights while it would wait for that region's
// results, and no box waits long behind them. Units of work of the next region are emitted there
// too, where both regions have room.
Status ProgramEmitter::EmitAll() {
  emissions_.resize(regions_.size());
  const std::vector<network::Resident>& residents = plan_.residency.residents;
  for (size_t k = 0; k < regions_.size(); ++k) {
    const size_t next = std::min(k + 1, regions_.size() - 1);
    const network::Chain chain = network::ChainOf(k, residents),
                         behind = network::ChainOf(next, residents);
    for (size_t j = k; j <= behind.last; ++j) {
      if (emissions_[j] != nullptr) continue;
      TESSERA_ASSIGN(emissions_[j], Lower(j));
    }
    Emission& now = *emissions_[k];
    TESSERA_TRY(Begin(k, now, true));
    if (!now.on_demand) TESSERA_TRY(Ahead(k, now, now.lowered.ahead.size()));
    for (size_t j = k + 1; j <= behind.last; ++j) {
      // A ring in which an earlier region still allocates is left to that region.
      const auto looks = [&](const ir::Buffer& b) {
        return std::any_of(&emissions_[k], &emissions_[j], [&](const auto& before) {
          return Allocates(before->lowered.body, b->scope);
        });
      };
      const bool turns = j <= chain.last;
      if (turns || std::ranges::none_of(emissions_[j]->lowered.resident, looks))
        TESSERA_TRY(Begin(j, *emissions_[j], turns));
      if (!emissions_[j]->begun) break;
    }
    TESSERA_TRY(EmitRegion(k));
    now.held.Release(rings_);
    if (now.store) {
      const Status stored = Execute(now.store->func.body, now.emitter, rings_);
      if (!stored) return Refuse(k, stored.error());
    }
    Settle();
    program_.regions.push_back(now.report);
    current_ = nullptr;
    if (dump_) {
      const auto& roles = plan_.regions[k].region;
      program_.notes.push_back(roles ? sched::Print(*roles) : "");
      program_.irs.push_back(ir::Print(now.lowered.func));
    }
    emissions_[k].reset();
  }
  return {};
}

Status ProgramEmitter::Measure(std::vector<int64_t>* saved) {
  measured_ = saved;
  return EmitAll();
}

Result<AccelProgram> ProgramEmitter::Run(int64_t arena_bytes) {
  TESSERA_CHECK(offsets_.size() == plan_.needs.size());
  for (const network::MemoryNeed& need : plan_.needs)
    builder_.ReserveSegment(SegmentOf(need), arena_bytes);
  TESSERA_TRY(EmitAll());
  TESSERA_ASSIGN(program_.image, builder_.Finish());
  program_.stats = builder_.stats();
  return std::move(program_);
}

Result<AccelProgram> EmitProgram(const network::ProgramPlan& plan,
                                 const std::vector<network::Activation>& activations,
                                 const std::vector<lower::accel::AccelRegion>& regions,
                                 const isa::Config& config, const std::vector<int64_t>& offsets,
                                 int64_t arena_bytes, bool dump, network::RefusedIndex* refused) {
  ProgramEmitter emitter(plan, activations, regions, config, offsets, dump, refused);
  if (regions.size() > 1) {
    std::vector<int64_t> saved(regions.size());
    TESSERA_TRY(ProgramEmitter(plan, activations, regions, config, offsets, false, refused)
                    .Measure(&saved));
    emitter.Allow(ChoosePairs(saved));
  }
  return emitter.Run(arena_bytes);
}

}  // namespace tessera::codegen::accel
