// SPDX-License-Identifier: Apache-2.0
//
// Emits a region's units of work, and between them units of later regions.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "compiler/codegen/accel/program_emitter.h"
#include "compiler/ir/usage.h"

namespace tessera::codegen::accel {

Result<int64_t> ProgramEmitter::ProductsOf(const Emission& emission) {
  if (!emission.surveyed) return CountProducts(emission.lowered.body);
  int64_t products = 0;
  for (const WorkUnit& work : emission.units) products += std::ssize(work.products);
  return products;
}

bool ProgramEmitter::FitsBefore(const WorkUnit& other, const UnderRegion& under,
                                const WorkUnit& unit, const std::vector<PieceStep>& taken) const {
  Rings rings = rings_;
  if (under.inp) rings.inp = *under.inp;
  if (!Replay(other.pieces, {}, rings)) return false;
  rings.inp = rings_.inp;
  return Replay(unit.pieces, taken, rings);
}

Status ProgramEmitter::EmitRegion(size_t index) {
  Emission& now = *emissions_[index];
  Emission* next = index + 1 < regions_.size() ? emissions_[index + 1].get() : nullptr;
  TESSERA_ASSIGN(std::optional<UnderRegion> under, FindUnder(index));
  const int64_t tiles = under ? under->tiles_left : plan_.residency.box_tiles[index];
  rings_.UseInp(plan_.residency.box_base[index], tiles);
  size_t unit = 0, of_unit = 0;  // the current unit of work, its products so far
  std::vector<PieceStep> taken;  // the pieces that it has taken so far
  // Boxes of later regions have a ring of their own.
  const auto swap_inp = [&] {
    if (under && under->inp) std::swap(rings_.inp, *under->inp);
  };
  const auto fits = [&](const WorkUnit& work) {
    return FitsBefore(work, *under, now.units[unit], taken);
  };
  const auto emit = [&](size_t s) -> Status {
    const auto [other, u] = under->what[s];
    swap_inp();
    const Status status = EmitUnit(other, *emissions_[other], u);
    swap_inp();
    return status;
  };
  const auto fill = [&]() -> Status {
    while (const std::optional<size_t> s = under->overlap.Next(fits)) TESSERA_TRY(emit(*s));
    return {};
  };
  RunHooks hooks;
  int64_t done = 0;
  if (under) hooks.pieces = &taken;
  if (next != nullptr && next->begun) {
    const Result<int64_t> all = ProductsOf(now);
    if (!all) return Refuse(index, all.error());
    const int64_t products = *all;
    hooks.after_product = [&, products]() -> Status {
      const auto pieces = static_cast<int64_t>(next->lowered.ahead.size());
      // No piece after the first product, all after the last: this region's own boxes come first.
      const int64_t due = products > 1 ? pieces * done / (products - 1) : pieces;
      ++done;
      TESSERA_TRY(Ahead(index + 1, *next, static_cast<size_t>(due)));
      for (int64_t u = 0; under && u < due; ++u) under->overlap.Force(static_cast<size_t>(u));
      if (under && ++of_unit < now.units[unit].products.size()) {
        under->overlap.EmittedTo(unit, of_unit);
        TESSERA_TRY(fill());
      }
      SwitchTo(index, now);
      return {};
    };
  }
  TESSERA_TRY(TakeFixed(index));
  if (now.on_demand) {
    hooks.before_leaf = [&](const target::SolvedLeaf& leaf) { return Need(index, now, leaf); };
  }
  for (unit = now.fills.size(); unit < now.units.size(); ++unit) {
    if (now.emitted[unit]) continue;
    of_unit = 0, taken.clear();
    if (under) {
      const std::optional<std::vector<size_t>> before = under->overlap.Before();
      if (!before) {
        return Refuse(index,
                      {Code::kInvalidArgument,
                       "tiles of rows and the rows that are there at a time (fold_storage) leave "
                       "regions waiting for each other; more rows, or smaller tiles"});
      }
      for (const size_t s : *before) {
        under->overlap.Force(s);
        TESSERA_TRY(emit(s));
      }
    }
    TESSERA_TRY(EmitUnit(index, now, unit, hooks));
    if (!under) continue;
    under->overlap.Emitted(unit);
    TESSERA_TRY(fill());
  }
  now.fixed.reset();  // its pieces are in these rings
  // The boxes of the next region go on in their ring.
  swap_inp();
  return {};
}

Status ProgramEmitter::TakeFixed(size_t index) {
  Emission& emission = *emissions_[index];
  if (emission.fixed) return {};
  emission.fixed = std::make_unique<FixedPlaces>(&rings_);
  const Status status = emission.fixed->Take(emission.lowered.body, emission.emitter);
  if (!status) return Refuse(index, status.error());
  return {};
}

Status ProgramEmitter::SurveyRegion(size_t index) {
  Emission& emission = *emissions_[index];
  if (emission.surveyed) return {};
  Rings rings = rings_;
  rings.UseInp(plan_.residency.box_base[index], plan_.residency.box_tiles[index]);
  FixedPlaces fixed(&rings);
  LeafEmitter scratch = emission.emitter;
  if (!emission.fixed) TESSERA_TRY(fixed.Take(emission.lowered.body, scratch));
  TESSERA_TRY(Survey(emission.units, scratch, rings, config_));
  emission.surveyed = true;
  return {};
}

void ProgramEmitter::AddUnder(size_t index, const std::vector<isa::Access>& in_use,
                              UnderRegion* under) {
  const Emission& emission = *emissions_[index];
  under->overlap.AddRegion(emission.units, emission.emitted, in_use);
  for (size_t u = 0; u < emission.units.size(); ++u) under->what.emplace_back(index, u);
}

std::vector<bool> ProgramEmitter::Gone(const Emission& emission) {
  std::vector<bool> gone = emission.emitted;
  std::fill_n(gone.begin(), emission.fills.size(), true);  // emitted where they are needed
  return gone;
}

Result<std::optional<ProgramEmitter::UnderRegion>> ProgramEmitter::FindUnder(size_t index) {
  if (index + 1 == regions_.size()) return std::nullopt;
  const network::Chain chain = network::ChainOf(index, plan_.residency.residents);
  if (chain.last == index) return FindOverlap(index);
  // All regions of a chain have their boxes in one ring, and fixed places beside each other: two
  // regions with one place would wait for each other.
  rings_.UseInp(plan_.residency.box_base[index], plan_.residency.box_tiles[index]);
  UnderRegion under{Overlap(emissions_[index]->units, Gone(*emissions_[index])),
                    {},
                    plan_.residency.box_tiles[index],
                    {}};
  for (size_t j = index; j <= chain.last; ++j) {
    TESSERA_TRY(TakeFixed(j));
    if (const Status status = SurveyRegion(j); !status) return Refuse(j, status.error());
    if (j > index) AddUnder(j, {}, &under);
  }
  return under;
}

bool ProgramEmitter::ReadsStored(size_t index, size_t reader) const {
  const int result = regions_[index].result;
  const auto is_read = [&](const network::MemoryNeed& need) {
    return std::ranges::any_of(regions_[reader].activations, [&](const auto& bound) {
      return bound.second == need.activation && need.activation != result;
    });
  };
  return std::ranges::any_of(plan_.needs, [&](const network::MemoryNeed& stored) {
    return stored.activation == result &&
           std::ranges::any_of(plan_.needs, [&](const network::MemoryNeed& need) {
             return is_read(need) && need.Overlaps(stored);
           });
  });
}

Result<std::optional<ProgramEmitter::UnderRegion>> ProgramEmitter::FindOverlap(size_t index) {
  const network::Chain behind = network::ChainOf(index + 1, plan_.residency.residents);
  for (size_t j = behind.first; j <= behind.last; ++j) {
    if (!emissions_[j]->begun || !allowed_[index]) return std::nullopt;
    if (emissions_[index]->store && ReadsStored(index, j)) return std::nullopt;
  }
  for (size_t j = index; j <= behind.last; ++j) {
    if (emissions_[j]->units.size() > Overlap::kMostUnits) return std::nullopt;
  }
  Emission &now = *emissions_[index], &next = *emissions_[index + 1];
  const auto tiles_of = [&](const ir::Buffer& b) { return rings_.TilesOf(b); };
  const auto fixed_of = [&](const ir::Buffer& b) -> int64_t { return b->rotates ? 0 : 1; };
  for (size_t j = behind.first; j <= behind.last; ++j) {
    for (const ir::Scope scope : {ir::Scope::kInp, ir::Scope::kWgt, ir::Scope::kAcc,
                                  ir::Scope::kOut, ir::Scope::kPrm, ir::Scope::kTab}) {
      if (ir::MostInUse(emissions_[j]->lowered.body, scope, fixed_of) > 0) return std::nullopt;
    }
  }
  // This region keeps room for two copies of its boxes; the next one gets the tiles behind them.
  const int64_t base = plan_.residency.box_base[index], tiles = plan_.residency.box_tiles[index];
  const int64_t own = ir::MostInUse(now.lowered.body, ir::Scope::kInp, tiles_of),
                wanted = ir::MostInUse(next.lowered.body, ir::Scope::kInp, tiles_of);
  int64_t from = base + 2 * own, to = base + tiles;
  for (const network::Resident& s : plan_.residency.residents) {
    if (s.first < behind.first || s.first > behind.last) continue;
    if (s.base >= to || s.base + s.tiles <= from) continue;
    // The next region's residents split the tiles; takes the larger side.
    if (s.base - from > to - (s.base + s.tiles)) {
      to = s.base;
    } else {
      from = s.base + s.tiles;
    }
  }
  if (to - from < wanted) return std::nullopt;
  if (wanted > 0) from = std::max(from, to - 2 * wanted);
  const int64_t left = wanted > 0 && own > 0 ? from - base : tiles;
  // A region that does not fit beside the tiles in use now is no error: it runs later in its turn.
  for (size_t j = index; j <= behind.last; ++j) {
    if (!SurveyRegion(j)) return std::nullopt;
  }
  std::vector<isa::Access> in_use;
  if (own > 0) in_use.push_back({isa::Space::Of(isa::Memory::kInp), false, {{base, base + left}}});
  // This region's own boxes fit in fewer tiles.
  Rings rings = rings_;
  rings.UseInp(base, left);
  FixedPlaces fixed(&rings);
  LeafEmitter scratch = now.emitter;
  if (!now.fixed && !fixed.Take(now.lowered.body, scratch)) return std::nullopt;
  for (size_t u = 0; u < now.units.size(); ++u) {
    if (!now.emitted[u] && !Replay(now.units[u].pieces, {}, rings)) return std::nullopt;
  }
  UnderRegion under{Overlap(now.units, Gone(now)),
                    {},
                    left,
                    InpRing{RingAllocator(std::max<int64_t>(to - from, 1)), from}};
  for (size_t j = behind.first; j <= behind.last; ++j) AddUnder(j, in_use, &under);
  const Overlap::Gain gain = under.overlap.Plan();
  // Regions overlap only if that saves more than the error of an estimate.
  if (static_cast<double>(gain.saved) * sched::kWorthwhile < static_cast<double>(gain.apart))
    return std::nullopt;
  if (measured_ != nullptr) {
    (*measured_)[index] = gain.saved;
    return std::nullopt;
  }
  // The next region's boxes overwrite halos there.
  OverwriteHalos(from, to - from);
  return under;
}

}  // namespace tessera::codegen::accel
