// SPDX-License-Identifier: Apache-2.0
//
// Lets regions take turns: each computes a few rows, so that INP holds only a band of the tensor
// between them. For layers whose tensors are too large for INP.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/bits.h"
#include "compiler/network/residency_planner.h"

namespace tessera::network {
namespace {

constexpr size_t kMostLinks = 6;                     // of a chain
constexpr std::array<int64_t, 4> kRows{1, 2, 4, 8};  // in a tile of the first region's work
// Tiles of room beyond what the next region waits for.
constexpr std::array<int64_t, 3> kSpare{3, 2, 1};
// When some regions wait for the bus and others leave it idle, this share of the wait is saved.
constexpr double kMoved = 0.5;
// The most tiles of work in a chain; the search for waits compares them pair by pair.
constexpr int64_t kMostTiles = 1024;
// The weights and records of all regions of a chain stay on chip. They may take 1 / kShare of WGT
// and PRM.
constexpr int64_t kShare = 2;

std::vector<TurnSizes> AllTurnSizes() {
  std::vector<TurnSizes> all;
  for (const int64_t rows : kRows) {
    for (const int64_t spare : kSpare) all.push_back({rows, spare});
  }
  return all;
}

}  // namespace

Chain ChainOf(size_t region, const std::vector<Resident>& residents) {
  const auto links = [&](size_t first) {
    return std::ranges::any_of(residents,
                               [&](const Resident& s) { return s.folded && s.first == first; });
  };
  Chain chain{region, region};
  while (chain.first > 0 && links(chain.first - 1)) --chain.first;
  while (links(chain.last)) ++chain.last;
  return chain;
}

Result<sched::TilePlan> ResidencyPlanner::SumOf(const Chain& chain,
                                                const ResidencyPlan& residency) {
  sched::TilePlan sum;
  for (size_t r = chain.first; r <= chain.last; ++r) {
    TESSERA_ASSIGN(const sched::TilePlan plan, PlanOf(r, residency.regions[r]));
    sum.compute_cycles += plan.compute_cycles;
    sum.bus_cycles += plan.bus_cycles;
    sum.vector_cycles += plan.vector_cycles;
    sum.overhead_cycles += plan.overhead_cycles;
  }
  return sum;
}

// The estimate is the load of the busiest of array, bus and vector unit in all regions together.
std::optional<double> ResidencyPlanner::CostOfChain(const Chain& chain,
                                                    const ResidencyPlan& residency) {
  const Result<sched::TilePlan> sum = SumOf(chain, residency);
  if (!sum) return std::nullopt;
  if (chain.first == chain.last) return sum->cycles();
  int64_t weights = 0, records = 0, tiles = 0;
  for (size_t r = chain.first; r <= chain.last; ++r) {
    if (regions_[r].steps) continue;  // a given schedule decides about turns itself
    const Result<sched::TilePlan> plan = PlanOf(r, residency.regions[r]);
    const sched::AnalyzedRegion& region = *regions_[r].region;
    const sched::Extents e = sched::ExtentsOf(region, config_);
    weights += e.out_blocks * e.in_blocks * e.weight_tiles;
    records += e.out_blocks * region.Records();
    tiles += CeilDiv(e.out_y, plan->y_tile) * CeilDiv(e.out_blocks, plan->channel_tile);
  }
  if (tiles > kMostTiles || weights > config_.Depth(isa::Memory::kWgt) / kShare ||
      records > config_.Depth(isa::Memory::kPrm) / kShare) {
    return std::nullopt;
  }
  return sum->cycles();
}

bool ResidencyPlanner::CanTakeTurns(size_t r, const Resident& candidate) const {
  const ResidencyRegion &made = regions_[r], &used = regions_[r + 1];
  if (made.steps || used.steps) return false;
  const sched::Anchor& a = used.region->anchor;
  const auto whole = [&](const ResidencyRegion& region) {
    return !region.resident && region.region->anchor.kind != sched::AnchorKind::kNone &&
           sched::ExtentsOf(*region.region, config_).batches == 1;
  };
  const bool fetched = std::ranges::any_of(used.region->steps, [&](const sched::EpilogueStep& s) {
    return s.loads() && used.activation_of(s.tensor) == candidate.activation;
  });
  return candidate.last == r + 1 && whole(made) && whole(used) && !fetched && a.im2col == 0 &&
         a.window[0].before >= 0 && !options_.store_all &&
         !options_.in_memory[static_cast<size_t>(candidate.activation)];
}

std::optional<Resident> ResidencyPlanner::Folded(Resident candidate, int64_t made, int64_t used,
                                                 int64_t spare) const {
  const sched::WindowAxis& w = regions_[candidate.last].region->anchor.window[0];
  // A tile reads |next| rows that the following tile does not read, and |both| rows that it does.
  const int64_t next = used * w.stride,
                both = std::max<int64_t>((w.taps - 1) * w.dilation + 1 - w.stride, 0);
  // With room for |spare| more tiles, the maker need not wait for the reader's last tile.
  const int64_t step = RoundUp((1 + spare) * made + next + both, next);
  const sched::Shape4& shape = regions_[candidate.first].region->shape;
  if (step + both >= shape[2]) return std::nullopt;
  candidate.folded = {step + both, step};
  candidate.tiles = sched::ResidentTiles(shape, candidate.halo, candidate.folded, config_);
  return candidate;
}

std::optional<ResidencyPlan> ResidencyPlanner::InTurns(
    const ResidencyPlan& best, const Chain& chain, const TurnSizes& turns,
    const std::vector<std::optional<Resident>>& links) const {
  std::vector<Resident> residents;
  for (const Resident& s : best.residents) {
    if (s.first < chain.first || s.first >= chain.last) residents.push_back(s);
  }
  UnitRows unit_rows;
  for (const sched::OnChip& seen : best.regions) unit_rows.push_back(seen.rows);
  int64_t rows = turns.rows;
  for (size_t r = chain.first; r < chain.last; ++r) {
    const int64_t used =
        std::max<int64_t>(rows / regions_[r + 1].region->anchor.window[0].stride, 1);
    const std::optional<Resident> folded = Folded(*links[r], rows, used, turns.spare);
    if (!folded) return std::nullopt;
    residents.push_back(*folded);
    unit_rows[r] = rows;
    rows = used;
  }
  unit_rows[chain.last] = rows;
  ResidencyPlan plan;
  if (!Arrange(std::move(residents), unit_rows, &plan)) return std::nullopt;
  return plan;
}

void ResidencyPlanner::TakeTurns(ResidencyPlan* best) {
  const size_t count = regions_.size();
  std::vector<std::optional<Resident>> links(count);
  for (size_t r = 0; r + 1 < count; ++r) {
    const char* why = nullptr;
    const std::optional<Resident> candidate = Candidate(r, &why);
    if (candidate && !candidate->folded && CanTakeTurns(r, *candidate)) links[r] = candidate;
  }
  const auto cost_of = [&](const std::optional<ResidencyPlan>& plan) {
    const std::optional<double> known = plan ? Cost(*plan) : std::nullopt;
    if (!known) return std::numeric_limits<double>::infinity();
    double waits = 0, idle = 0;  // waits for the bus; idle cycles of the bus
    for (size_t r = 0; r < count; ++r) {
      const Chain chain = ChainOf(r, plan->residents);
      const Result<sched::TilePlan> sum = SumOf(chain, *plan);  // a plan with a cost has a sum
      const double free = std::max(sum->compute_cycles, sum->vector_cycles) - sum->bus_cycles;
      (free > 0 ? idle : waits) += std::abs(free);
      r = chain.last;
    }
    return *known - kMoved * std::min(waits, idle);
  };
  // With less room than two spare tiles, a region waits until its input has left ACC.
  const auto cost_in_turns = [&](const std::optional<ResidencyPlan>& plan, const Chain& chain,
                                 const TurnSizes& turns) {
    double waits = 0;
    for (size_t r = chain.first; plan && turns.spare < 2 && r < chain.last; ++r) {
      const Result<sched::TilePlan> made = PlanOf(r, plan->regions[r]);
      if (made) waits += made->vector_cycles;
    }
    return cost_of(plan) + waits;
  };
  const double cost = cost_of(*best);
  // For each first region, the chain that saves most from there to the end.
  struct Start {
    double saved = 0;
    size_t last = 0;
    TurnSizes turns;
  };
  std::vector<Start> choices(count + 1);
  for (size_t first = count; first-- > 0;) {
    choices[first] = {choices[first + 1].saved, first, {}};
    double alone = 0;
    for (size_t last = first; last < count && last - first <= kMostLinks; ++last) {
      const Result<sched::TilePlan> plan = PlanOf(last, best->regions[last]);
      if (!plan) break;
      alone += plan->cycles();
      for (const TurnSizes& turns : last > first ? AllTurnSizes() : std::vector<TurnSizes>{}) {
        const std::optional<ResidencyPlan> tried = InTurns(*best, {first, last}, turns, links);
        const double less = cost - cost_in_turns(tried, {first, last}, turns);
        if (less * sched::kWorthwhile < alone) continue;
        const double saved = less + choices[last + 1].saved;
        if (saved > choices[first].saved) choices[first] = {saved, last, turns};
      }
      if (!links[last]) break;
    }
  }
  for (size_t first = 0; first < count; first = choices[first].last + 1) {
    if (choices[first].last == first) continue;
    const Chain chain{first, choices[first].last};
    const TurnSizes& turns = choices[first].turns;
    std::optional<ResidencyPlan> tried = InTurns(*best, chain, turns, links);
    if (cost_in_turns(tried, chain, turns) < cost_of(*best)) *best = std::move(*tried);
  }
}

}  // namespace tessera::network
