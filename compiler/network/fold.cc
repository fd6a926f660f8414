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
constexpr std::array<int64_t, 3> kSpare{2, 3, 1};
// When some regions wait for the bus and others leave it idle, this share of the wait is saved.
constexpr double kMoved = 0.5;
// The most tiles of work in a chain; the search for waits compares them pair by pair.
constexpr int64_t kMostTiles = 1024;
// The weights and records of all regions of a chain stay on chip. They may take 1 / kShare of WGT
// and PRM.
constexpr int64_t kShare = 2;

// Turns of |layers| layers in all sizes.
std::vector<schedule::TurnsStep> AllTurns(size_t layers) {
  std::vector<schedule::TurnsStep> all;
  for (const int64_t rows : kRows) {
    for (const int64_t spare : kSpare) all.push_back({static_cast<int64_t>(layers), rows, spare});
  }
  return all;
}

// |decisions| with |turns| from region |first| on.
Decisions InTurns(Decisions decisions, size_t first, const schedule::TurnsStep& turns) {
  for (size_t r = first; r + 1 < first + static_cast<size_t>(turns.layers); ++r)
    decisions[r].stays = false;
  decisions[first].turns = turns;
  return decisions;
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

const char* ResidencyPlanner::WhyNoTurns(size_t r) const {
  if (!candidates_[r].resident) return candidates_[r].why;
  const Resident& candidate = *candidates_[r].resident;
  if (candidate.last != r + 1)
    return "only the next layer may read its result, and another one does";
  const ResidencyRegion &made = regions_[r], &used = regions_[r + 1];
  if (made.steps || used.steps) return "one of the two has a schedule of its own (fold_storage)";
  const sched::Anchor& a = used.region->anchor;
  for (const ResidencyRegion* region : {&made, &used}) {
    if (region->resident)
      return "its result has to be in device memory, or its own schedule says where it is";
    if (region->region->anchor.kind == sched::AnchorKind::kNone)
      return "only layers with a sum or a window take turns";
    if (sched::ExtentsOf(*region->region, config_).batches != 1)
      return "it has more images than a tile has rows";
  }
  const bool fetched = std::ranges::any_of(used.region->steps, [&](const sched::EpilogueStep& s) {
    return s.loads() && used.activation_of(s.tensor) == candidate.activation;
  });
  if (fetched || a.im2col != 0 || a.window[0].before < 0)
    return "the next layer does not read its rows in order";
  if (options_.store_all || options_.in_memory[static_cast<size_t>(candidate.activation)])
    return "its result goes to device memory";
  return nullptr;
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

bool ResidencyPlanner::AddBands(size_t first, const schedule::TurnsStep& turns,
                                std::vector<Resident>* residents,
                                std::vector<int64_t>* rows) const {
  int64_t made = turns.rows;
  const size_t last = first + static_cast<size_t>(turns.layers) - 1;
  for (size_t r = first; r < last; ++r) {
    const int64_t used =
        std::max<int64_t>(made / regions_[r + 1].region->anchor.window[0].stride, 1);
    const std::optional<Resident> folded =
        Folded(*candidates_[r].resident, made, used, turns.spare);
    if (!folded) return false;
    residents->push_back(*folded);
    (*rows)[r] = made;
    made = used;
  }
  (*rows)[last] = made;
  return true;
}

void ResidencyPlanner::TakeTurns(Decisions* decisions) {
  const size_t count = regions_.size();
  const ResidencyPlan apart = *PlanBy(*decisions);
  const auto fixed = [&](size_t r) {
    const Chain turns = TurnsOf(*decisions, r);
    return regions_[r].given != nullptr || turns.first != turns.last;
  };
  const auto linked = [&](size_t r) {
    return r + 1 < count && !fixed(r) && !fixed(r + 1) && WhyNoTurns(r) == nullptr;
  };
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
  const auto cost_in_turns = [&](size_t first, const schedule::TurnsStep& turns) {
    const std::optional<ResidencyPlan> plan = PlanBy(InTurns(*decisions, first, turns));
    double waits = 0;
    const size_t last = first + static_cast<size_t>(turns.layers) - 1;
    for (size_t r = first; plan && turns.spare < 2 && r < last; ++r) {
      const Result<sched::TilePlan> made = PlanOf(r, plan->regions[r]);
      if (made) waits += made->vector_cycles;
    }
    return cost_of(plan) + waits;
  };
  const double cost = cost_of(apart);
  // For each first region, the chain that saves most from there to the end.
  struct Start {
    double saved = 0;
    size_t last = 0;
    schedule::TurnsStep turns;
  };
  std::vector<Start> choices(count + 1);
  for (size_t first = count; first-- > 0;) {
    choices[first] = {choices[first + 1].saved, first, {}};
    double alone = 0;
    for (size_t last = first; last < count && last - first <= kMostLinks; ++last) {
      const Result<sched::TilePlan> plan = PlanOf(last, apart.regions[last]);
      if (!plan) break;
      alone += plan->cycles();
      if (last > first) {
        for (const schedule::TurnsStep& turns : AllTurns(last - first + 1)) {
          const double less = cost - cost_in_turns(first, turns);
          if (less * sched::kWorthwhile < alone) continue;
          const double saved = less + choices[last + 1].saved;
          if (saved > choices[first].saved) choices[first] = {saved, last, turns};
        }
      }
      if (!linked(last)) break;
    }
  }
  for (size_t first = 0; first < count; first = choices[first].last + 1) {
    const schedule::TurnsStep& turns = choices[first].turns;
    if (choices[first].last == first) continue;
    if (cost_in_turns(first, turns) < cost_of(PlanBy(*decisions)))
      *decisions = InTurns(*decisions, first, turns);
  }
}

}  // namespace tessera::network
