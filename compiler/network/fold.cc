// SPDX-License-Identifier: Apache-2.0
//
// Lets regions take turns: each computes a few rows, so that INP holds only a band of the tensor
// between them. For layers whose tensors are too large for INP.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/bits.h"
#include "compiler/network/leave_room.h"
#include "compiler/network/residency_planner.h"

namespace tessera::network {
namespace {

constexpr size_t kMostLinks = 6;  // of a chain
// In a tile of the first region's work, which has no more than its result.
constexpr std::array<int64_t, 4> kRows{1, 2, 4, 8};
// Tiles of room beyond what the next region waits for.
constexpr std::array<int64_t, 4> kSpare{2, 3, 1, 0};
// Blocks of channels that take turns apart from the others, with this room.
constexpr std::array<int64_t, 4> kBlocks{4, 3, 2, 1};
constexpr int64_t kSpareOfBlocks = 2;
// Of these turns, so many that the estimate prefers are costed.
constexpr size_t kCostedTurns = 3;
// When some regions wait for the bus and others leave it idle, this share of the wait is saved.
constexpr double kMoved = 0.5;
// The most tiles of work in a chain; the search for waits compares them pair by pair.
constexpr int64_t kMostTiles = 1024;
// The weights and records of all regions of a chain stay on chip. They may take 1 / kShare of WGT
// and PRM.
constexpr int64_t kShare = 2;
constexpr double kNoCost = std::numeric_limits<double>::infinity();  // of what does not fit

void Add(const sched::TilePlan& plan, sched::TilePlan* sum) {
  sum->compute_cycles += plan.compute_cycles;
  sum->bus_cycles += plan.bus_cycles;
  sum->vector_cycles += plan.vector_cycles;
  sum->overhead_cycles += plan.overhead_cycles;
}

// Whether a tensor of |rank| dimensions has rows.
bool HasRows(size_t rank) {
  for (size_t d = 0; d < rank; ++d) {
    if (sched::PositionOf(rank, d) == 2) return true;
  }
  return false;
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
    Add(plan, &sum);
  }
  return sum;
}

// The estimate is the load of the busiest of array, bus and vector unit in all regions together.
std::optional<double> ResidencyPlanner::CostOfChain(const Chain& chain,
                                                    const ResidencyPlan& residency) {
  const Result<sched::TilePlan> sum = SumOf(chain, residency);
  if (!sum) return std::nullopt;
  if (chain.first == chain.last) return sum->cycles();
  // What stays on chip, and what is there for a tile of work.
  int64_t weights = 0, piece = 0, records = 0, record = 0, tiles = 0;
  for (size_t r = chain.first; r <= chain.last; ++r) {
    if (regions_[r].steps) continue;  // a given schedule decides about turns itself
    const Result<sched::TilePlan> plan = PlanOf(r, residency.regions[r]);
    const sched::AnalyzedRegion& region = *regions_[r].region;
    const sched::Extents e = sched::ExtentsOf(region, config_);
    // Whole planes fetch theirs piece by piece; others stay on chip.
    const bool part = plan->weights == sched::Residency::kPart,
               stay = plan->weights == sched::Residency::kRegion;
    (stay ? weights : piece) += e.weight_tiles * (part ? plan->input_tile : e.in_blocks) *
                                (part   ? plan->channel_part
                                 : stay ? e.out_blocks
                                        : plan->channel_tile);
    const bool all = plan->params == sched::Residency::kRegion;
    (all ? records : record) += region.Records() * (all ? e.out_blocks : plan->channel_part);
    tiles += CeilDiv(e.out_y, plan->y_tile) * (plan->inputs_outside
                                                   ? CeilDiv(e.in_blocks, plan->input_tile)
                                                   : CeilDiv(e.out_blocks, plan->channel_tile));
  }
  const int64_t wgt = config_.Depth(isa::Memory::kWgt), prm = config_.Depth(isa::Memory::kPrm);
  const bool fits = weights <= wgt / kShare && weights + piece <= wgt && records <= prm / kShare &&
                    records + record <= prm;
  if (tiles > kMostTiles || !fits) return std::nullopt;
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
    const sched::Extents e = sched::ExtentsOf(*region->region, config_);
    if (e.batches != 1 || e.matrix) return "it has more images than a tile has rows";
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

const char* ResidencyPlanner::WhyNoBlocks(size_t first, size_t last) const {
  for (size_t r = first + 1; r <= last; ++r) {
    const bool rows = std::ranges::all_of(regions_[r].reads, [&](const ResidentRead& read) {
      return read.activation != regions_[r - 1].result || HasRows(read.rank);
    });
    if (!rows || !HasRows(regions_[r - 1].rank)) return "it reads channels that have no rows";
    if (SumsChannels(r)) {
      const sched::AnalyzedRegion& region = *regions_[r].region;
      if (r == last && !region.anchor.InGroups(region.shape[1])) continue;
      return "each of its sums is over all channels, which only the last layer may do";
    }
    if (regions_[r].shape[1] != regions_[r - 1].shape[1])
      return "it has other channels than the layer in front of it";
  }
  return nullptr;
}

std::optional<Resident> ResidencyPlanner::Folded(Resident candidate, const TurnTile& made,
                                                 int64_t used, int64_t spare) const {
  const sched::WindowAxis& w = regions_[candidate.last].region->anchor.window[0];
  // A tile reads |next| rows that the following tile does not read, and |both| rows that it does.
  const int64_t next = used * w.stride,
                both = std::max<int64_t>((w.taps - 1) * w.dilation + 1 - w.stride, 0);
  // With room for |spare| more tiles, the maker need not wait for the reader's last tile.
  const int64_t step = RoundUp((1 + spare) * made.rows + next + both, next);
  const sched::Shape4& shape = regions_[candidate.first].region->shape;
  candidate.folded = {step + both, step, made.blocks};
  if (step + both >= shape[2]) {
    if (made.blocks == 0) return std::nullopt;
    const int64_t rows = candidate.halo.before[0] + shape[2] + candidate.halo.after[0];
    candidate.folded = {rows, rows, made.blocks};
  }
  candidate.tiles = sched::ResidentTiles(shape, candidate.halo, candidate.folded, config_);
  return candidate;
}

bool ResidencyPlanner::AddBands(size_t first, const schedule::TurnsStep& turns,
                                std::vector<Resident>* residents,
                                std::vector<TurnTile>* tiles) const {
  TurnTile made{turns.rows, turns.blocks.value_or(0)};
  const size_t last = first + static_cast<size_t>(turns.layers) - 1;
  const bool sums = turns.blocks && SumsChannels(last);
  if (sums) {
    const int64_t depth = config_.Depth(isa::Memory::kAcc),
                  bank = depth / isa::RowOf(isa::Memory::kAcc).banks;
    const sched::Shape4& shape = regions_[last].region->shape;
    made.acc_tiles = depth - RoundUp(BlocksOf(last) * shape[2] * shape[3], bank);
    if (made.acc_tiles <= 0) return false;
  }
  for (size_t r = first; r < last; ++r) {
    const int64_t used =
        std::max<int64_t>(made.rows / regions_[r + 1].region->anchor.window[0].stride, 1);
    const std::optional<Resident> folded =
        Folded(*candidates_[r].resident, made, used, turns.spare);
    if (!folded) return false;
    residents->push_back(*folded);
    (*tiles)[r] = made;
    made.rows = used;
  }
  if (sums) made = {.rows = made.rows, .input_blocks = made.blocks};
  (*tiles)[last] = made;
  return true;
}

double ResidencyPlanner::CostWithWaits(const std::optional<ResidencyPlan>& plan) {
  const std::optional<double> known = plan ? Cost(*plan) : std::nullopt;
  if (!known) return kNoCost;
  double waits = 0, idle = 0;  // waits for the bus; idle cycles of the bus
  for (size_t r = 0; r < regions_.size(); ++r) {
    const Chain chain = ChainOf(r, plan->residents);
    const Result<sched::TilePlan> sum = SumOf(chain, *plan);  // a plan with a cost has a sum
    const double free = std::max(sum->compute_cycles, sum->vector_cycles) - sum->bus_cycles;
    (free > 0 ? idle : waits) += std::abs(free);
    r = chain.last;
  }
  return *known - kMoved * std::min(waits, idle);
}

double ResidencyPlanner::WaitsInTurns(size_t first, const schedule::TurnsStep& turns,
                                      const std::vector<sched::TilePlan>& plans) const {
  double waits = 0;
  for (size_t k = 0; k < plans.size(); ++k) {
    // With less room than two spare tiles, a region waits until its input has left ACC.
    if (turns.spare < 2 && k + 1 < plans.size()) waits += plans[k].vector_cycles;
    // With each further set of blocks, regions wait for a tile of those in front.
    if (plans[k].inputs_outside) continue;
    const int64_t blocks = BlocksOf(first + k),
                  sets = CeilDiv(blocks, turns.blocks.value_or(blocks)),
                  tiles = sets * CeilDiv(regions_[first + k].shape[2], plans[k].y_tile);
    // Of whole planes, until they have left ACC.
    const bool planes = turns.blocks && plans[k].y_tile >= regions_[first + k].shape[2];
    waits += static_cast<double>(sets - 1) / static_cast<double>(tiles) *
             (planes ? plans[k].vector_cycles : plans[k].cycles());
  }
  return waits;
}

double ResidencyPlanner::CostInTurns(const Decisions& decisions, size_t first,
                                     const schedule::TurnsStep& turns) {
  const std::optional<ResidencyPlan> plan = PlanBy(InTurns(decisions, first, turns));
  const double cost = CostWithWaits(plan);
  if (cost == kNoCost) return cost;
  std::vector<sched::TilePlan> plans;
  for (size_t r = first; r < first + static_cast<size_t>(turns.layers); ++r)
    plans.push_back(*PlanOf(r, plan->regions[r]));
  return cost + WaitsInTurns(first, turns, plans) + AheadApart(decisions, first, turns);
}

double ResidencyPlanner::AheadApart(const Decisions& decisions, size_t first,
                                    const schedule::TurnsStep& turns) {
  const size_t last = first + static_cast<size_t>(turns.layers) - 1;
  if (!turns.blocks || !SumsChannels(last)) return 0;
  const std::optional<ResidencyPlan> apart = PlanBy(decisions);
  if (!apart) return 0;
  const Result<sched::TilePlan> plan = PlanOf(last, apart->regions[last]);
  if (!plan || plan->weights != sched::Residency::kRegion) return 0;
  const sched::Extents e = sched::ExtentsOf(*regions_[last].region, config_);
  const int64_t tiles = e.out_blocks * e.in_blocks * e.weight_tiles,
                beats = CeilDiv(config_.wgt_tile_bytes(), config_.bus_bytes());
  sched::TilePlan loaded = *plan;
  loaded.bus_cycles -= static_cast<double>(tiles * beats);
  return plan->cycles() - loaded.cycles();
}

double ResidencyPlanner::EstimateInTurns(const Decisions& decisions, size_t first,
                                         const schedule::TurnsStep& turns) const {
  const std::optional<ResidencyPlan> plan = PlanBy(InTurns(decisions, first, turns));
  if (!plan) return kNoCost;
  std::vector<sched::TilePlan> plans;
  sched::TilePlan sum;
  for (size_t r = first; r < first + static_cast<size_t>(turns.layers); ++r) {
    const auto made = sched::MakePlan(*regions_[r].region, config_, plan->regions[r]);
    if (!made) return kNoCost;
    plans.push_back(*made);
    Add(*made, &sum);
  }
  return sum.cycles() + WaitsInTurns(first, turns, plans);
}

std::pair<double, schedule::TurnsStep> ResidencyPlanner::BestTurns(const Decisions& decisions,
                                                                   const Chain& chain,
                                                                   bool by_blocks) {
  std::pair<double, schedule::TurnsStep> best{kNoCost, {}};
  const auto layers = static_cast<int64_t>(chain.last - chain.first + 1);
  const auto fits = [&](const schedule::TurnsStep& turns) {
    const double cost = CostInTurns(decisions, chain.first, turns);
    if (cost < best.first) best = {cost, turns};
    return cost < kNoCost;
  };
  const int64_t all = regions_[chain.first].shape[2];
  for (const int64_t most : kRows) {
    const int64_t rows = std::min(most, all);
    bool more = false;
    for (const int64_t spare : kSpare) {
      // Nothing to spare only costs, if more has room.
      if (spare > 0 || !more) more |= fits({layers, rows, spare});
    }
    if (rows == all) break;
  }
  std::vector<std::pair<double, schedule::TurnsStep>> estimates;
  for (const int64_t blocks : kBlocks) {
    if (!by_blocks || blocks >= BlocksOf(chain.first)) continue;
    for (const int64_t most : kRows) {
      const schedule::TurnsStep turns{layers, std::min(most, all), kSpareOfBlocks, blocks};
      estimates.emplace_back(EstimateInTurns(decisions, chain.first, turns), turns);
      if (turns.rows == all) break;
    }
  }
  std::ranges::stable_sort(estimates, {}, [](const auto& estimate) { return estimate.first; });
  for (size_t k = 0; k < std::min(estimates.size(), kCostedTurns); ++k) {
    if (estimates[k].first < kNoCost) fits(estimates[k].second);
  }
  return best;
}

std::vector<double> ResidencyPlanner::SavedUnder(const ResidencyPlan& plan) {
  const auto plan_of = [&](size_t r, const sched::OnChip& on_chip) { return PlanOf(r, on_chip); };
  std::vector<double> saved(regions_.size());
  for (size_t r = 0; r + 1 < regions_.size(); ++r)
    saved[r] = BestRoom(regions_, config_, plan_of, plan, r).saved;
  return saved;
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
  const double cost = CostWithWaits(apart);
  const std::vector<double> under = SavedUnder(apart);
  // For each first region, the chain that saves most from there to the end.
  struct Start {
    double saved = 0;
    size_t last = 0;
    schedule::TurnsStep turns;
  };
  std::vector<Start> choices(count + 1);
  for (size_t first = count; first-- > 0;) {
    choices[first] = {choices[first + 1].saved, first, {}};
    double alone = 0, compute = 0, vector = 0;
    std::array<double, 2> apart_to{};  // of the pairs up to the last region, up to the one before
    for (size_t last = first; last < count && last - first <= kMostLinks; ++last) {
      const Result<sched::TilePlan> plan = PlanOf(last, apart.regions[last]);
      if (!plan) break;
      alone += plan->cycles();
      compute += plan->compute_cycles, vector += plan->vector_cycles;
      if (last > first) {
        // What runs under the region in front without turns, in pairs that share no region.
        const double pairs = std::max(apart_to[0], apart_to[1] + under[last - 1]);
        apart_to = {pairs, apart_to[0]};
        const double least = alone / sched::kWorthwhile + pairs;
        const bool by_blocks =
            alone - std::max(compute, vector) > least && WhyNoBlocks(first, last) == nullptr;
        const auto [in_turns, turns] = BestTurns(*decisions, {first, last}, by_blocks);
        const double less = cost - in_turns, saved = less - pairs + choices[last + 1].saved;
        if (less >= least && saved > choices[first].saved) choices[first] = {saved, last, turns};
      }
      if (!linked(last)) break;
    }
  }
  for (size_t first = 0; first < count; first = choices[first].last + 1) {
    const schedule::TurnsStep& turns = choices[first].turns;
    if (choices[first].last == first) continue;
    if (CostInTurns(*decisions, first, turns) < CostWithWaits(PlanBy(*decisions)))
      *decisions = InTurns(*decisions, first, turns);
  }
}

}  // namespace tessera::network
