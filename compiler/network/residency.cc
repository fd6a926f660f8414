// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/residency.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.h"
#include "compiler/network/leave_room.h"
#include "compiler/network/residency_planner.h"

namespace tessera::network {

sched::Halo HaloFor(const sched::Anchor& anchor) {
  sched::Halo halo;
  for (size_t d = 0; d < 2; ++d) {
    const sched::WindowAxis& w = anchor.window[d];
    halo.before[d] = std::max<int64_t>(w.before, 0);
    const int64_t last = (w.out - 1) * w.stride + (w.taps - 1) * w.dilation - w.before;
    halo.after[d] = std::max<int64_t>(last - (w.in - 1), 0);
  }
  return halo;
}

namespace {

// Whether |region|, by its analysis, slides a channelwise window over |activation|.
bool Windows(const ResidencyRegion& region, int activation) {
  if (region.region == nullptr) return false;
  const sched::Anchor& a = region.region->anchor;
  return a.kind == sched::AnchorKind::kChannelwise && region.activation_of(a.input) == activation;
}

// Whether a tensor of |rank| dimensions has all axes along which |halo| extends.
bool HasAxesOf(const sched::Halo& halo, size_t rank) {
  std::array<bool, 4> has{};
  for (size_t d = 0; d < rank; ++d) has[sched::PositionOf(rank, d)] = true;
  for (size_t d = 0; d < 2; ++d) {
    if (halo.before[d] + halo.after[d] > 0 && !has[2 + d]) return false;
  }
  return true;
}

// The estimate of MakePlans knows a plan less well than its cost does. So the cost decides among
// the first plans. With more of them it prefers plans that are faster alone and slower in a
// network: measured on seven networks and six configurations, where three are best in sum.
constexpr size_t kCosted = 3;
// What a later one has to save: of plans alike, the first one mostly loads less.
constexpr double kClear = 0.0005;
// The share of a region's waits that remains in a network, where other regions work meanwhile.
constexpr double kAlone = 0.2;

// |plan| with the cycles of |cost|.
sched::TilePlan PlanCosting(const cost::Cost& cost, sched::TilePlan plan) {
  plan.compute_cycles = cost.Busy(isa::Unit::kGemm);
  plan.bus_cycles = cost.bus;
  plan.vector_cycles = cost.Busy(isa::Unit::kVector);
  plan.overhead_cycles = 0;
  plan.overhead_cycles = kAlone * (cost.cycles - plan.cycles());
  return plan;
}

}  // namespace

bool ResidencyPlanner::ReadWhereItStays(int activation) const {
  return std::ranges::any_of(regions_, [&](const ResidencyRegion& region) {
    return region.steps && region.result != activation && region.steps->kept.contains(activation);
  });
}

ResidencyPlanner::MaybeResident ResidencyPlanner::Candidate(size_t maker) const {
  const ResidencyRegion& from = regions_[maker];
  const auto no = [](const char* why) { return MaybeResident{std::nullopt, why}; };
  Resident s{.activation = from.result, .first = maker, .last = maker};
  if (from.copies) return no("its region only copies, by way of device memory");
  const auto has_in_memory = [&](const ResidencyRegion& region) {
    return region.steps && !region.steps->kept.contains(from.result);
  };
  if (has_in_memory(from)) return no("its steps write it to device memory");
  std::optional<int64_t> pad;
  std::vector<size_t> exchange{maker};   // regions that make or read it
  std::vector<size_t> ranks{from.rank};  // of the tensor in these regions: a view may change it
  for (size_t r = 0; r < regions_.size(); ++r) {
    const ResidencyRegion& reader = regions_[r];
    bool reads = false;
    for (const ResidentRead& read : reader.reads) {
      if (read.activation != from.result) continue;
      if (read.in_memory != nullptr) return no(read.in_memory);
      reads = true;
      ranks.push_back(read.rank);
      if (read.halo.any()) {
        if (pad && *pad != read.pad) return no("its readers pad it with different values");
        pad = read.pad;
      }
      for (size_t d = 0; d < 2; ++d) {
        s.halo.before[d] = std::max(s.halo.before[d], read.halo.before[d]);
        s.halo.after[d] = std::max(s.halo.after[d], read.halo.after[d]);
      }
    }
    if (reads && reader.copies) return no("a region that only copies reads it from device memory");
    if (reads && has_in_memory(reader))
      return no("a region whose schedule says each step reads it from device memory");
    if (!reads) continue;
    s.last = r;
    exchange.push_back(r);
  }
  if (s.last == maker) return no("no region reads it");
  const sched::Shape4& shape = from.shape;
  for (size_t r = maker + 1; r <= s.last; ++r) {
    if (!Windows(regions_[r], from.result)) continue;
    const int64_t columns = s.halo.before[1] + shape[3] + s.halo.after[1];
    s.halo.after[1] += sched::WindowPitch(*regions_[r].region, columns) - columns;
  }
  // A layout without these axes has no place for the halo.
  if (!std::ranges::all_of(ranks, [&](size_t rank) { return HasAxesOf(s.halo, rank); }))
    return no("a layer has it under a shape without the axis that another one pads");
  s.pad = pad.value_or(0);
  for (const size_t r : exchange) {
    if (regions_[r].steps && regions_[r].steps->kept.at(from.result))
      s.folded = regions_[r].steps->kept.at(from.result);
  }
  const bool agree = std::ranges::all_of(exchange, [&](size_t r) {
    return regions_[r].steps && regions_[r].steps->kept.at(from.result) == s.folded;
  });
  if (s.folded && (!agree || s.last != maker + 1))
    return no(
        "rows of it at a time (fold_storage) are for its layer and the next one, which both have a "
        "schedule that says so");
  s.tiles = sched::ResidentTiles(shape, s.halo, s.folded, config_);
  return {.resident = s};
}

sched::OnChip ResidencyPlanner::Seen(size_t r, const std::vector<Resident>& residents) const {
  const ResidencyRegion& region = regions_[r];
  sched::OnChip seen{.follows = r > 0};
  const auto find = [&](const te::Tensor& tensor) -> const Resident* {
    const auto it =
        std::ranges::find(residents, region.activation_of(tensor), &Resident::activation);
    return it == residents.end() ? nullptr : &*it;
  };
  if (region.region != nullptr) {
    const sched::Anchor& a = region.region->anchor;
    if (a.kind != sched::AnchorKind::kNone && a.im2col == 0) {
      if (const Resident* s = find(a.input)) seen.input = s->halo;
    }
    for (const sched::EpilogueStep& step : region.region->steps) {
      if (!step.loads()) continue;
      if (const Resident* s = find(step.tensor)) seen.fetched.emplace_back(step.tensor, s->halo);
    }
  }
  const auto result = std::ranges::find(residents, region.result, &Resident::activation);
  if (result != residents.end()) {
    seen.result = result->halo;
    seen.result_pad = result->pad;
    seen.stored = options_.store_all || options_.in_memory[static_cast<size_t>(region.result)];
  }
  return seen;
}

bool ResidencyPlanner::Arrange(std::vector<Resident> residents, const std::vector<TurnTile>& tiles,
                               ResidencyPlan* out) const {
  // The regions of a chain run at the same time.
  std::vector<Chain> chains;
  for (size_t r = 0; r < regions_.size(); ++r) chains.push_back(ChainOf(r, residents));
  const auto life = [&](const Resident& s) {
    return Chain{chains[s.first].first, chains[s.last].last};
  };
  const int64_t depth = config_.Depth(isa::Memory::kInp);
  // Places the largest first, each at the lowest address that is free during its life.
  std::vector<Resident*> order;
  for (Resident& s : residents) order.push_back(&s);
  std::ranges::stable_sort(
      order, [](const Resident* a, const Resident* b) { return a->tiles > b->tiles; });
  std::vector<const Resident*> placed;
  for (Resident* s : order) {
    s->base = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Resident* p : placed) {
        const bool together = life(*p).first <= life(*s).last && life(*s).first <= life(*p).last;
        if (!together || s->base >= p->base + p->tiles || p->base >= s->base + s->tiles) continue;
        s->base = p->base + p->tiles;
        moved = true;
      }
    }
    if (s->base + s->tiles > depth) return false;
    placed.push_back(s);
  }
  out->regions.clear(), out->box_base.clear(), out->box_tiles.clear();
  for (size_t r = 0; r < regions_.size(); ++r) {
    // The box region is the largest gap between the residents of this region.
    std::map<int64_t, int64_t> taken;
    for (const Resident& s : residents) {
      if (life(s).first <= r && r <= life(s).last) taken[s.base] = s.base + s.tiles;
    }
    taken[depth] = depth;
    int64_t end = 0, base = 0, gap = 0;
    for (const auto& [from, to] : taken) {
      if (from - end > gap) base = end, gap = from - end;
      end = std::max(end, to);
    }
    sched::OnChip seen = Seen(r, residents);
    seen.inp_tiles = gap;
    seen.rows = tiles[r].rows, seen.blocks = tiles[r].blocks;
    seen.input_blocks = tiles[r].input_blocks, seen.acc_tiles = tiles[r].acc_tiles;
    out->regions.push_back(std::move(seen));
    out->box_base.push_back(base);
    out->box_tiles.push_back(gap);
  }
  out->residents = std::move(residents);
  return true;
}

Result<sched::TilePlan> ResidencyPlanner::CostedPlan(const ResidencyRegion& region,
                                                     const sched::OnChip& on_chip) const {
  TESSERA_ASSIGN(const std::vector<sched::TilePlan> plans,
                 sched::MakePlans(*region.region, config_, on_chip, kCosted));
  std::optional<sched::TilePlan> best;
  for (const sched::TilePlan& plan : plans) {
    const std::optional<cost::Cost> cost = region.cost_of(plan, on_chip);
    if (!cost) continue;
    const sched::TilePlan costed = PlanCosting(*cost, plan);
    if (!best || costed.cycles() < best->cycles() * (1 - kClear)) best = costed;
  }
  return best.value_or(plans[0]);
}

Result<sched::TilePlan> ResidencyPlanner::PlanOf(size_t r, const sched::OnChip& on_chip) {
  if (regions_[r].steps) {
    const int64_t room = on_chip.inp_tiles, tiles = regions_[r].steps->inp_tiles;
    if (room < 0 || tiles <= room) return PlanCosting(regions_[r].steps->cost, {});
    return Fail(Code::kOutOfRange,
                "{}: its boxes take {} tiles of INP, {} are there beside what stays; smaller tiles "
                "of work, or less that stays (set_scope .. inp)",
                regions_[r].name, tiles, room);
  }
  for (const auto& [seen, plan] : plans_[r]) {
    if (seen == on_chip) return plan;
  }
  Result<sched::TilePlan> plan = CostedPlan(regions_[r], on_chip);
  plans_[r].emplace_back(on_chip, plan);
  return plan;
}

std::optional<double> ResidencyPlanner::Cost(const ResidencyPlan& residency) {
  double sum = 0;
  for (size_t r = 0; r < regions_.size(); ++r) {
    const Chain chain = ChainOf(r, residency.residents);
    const std::optional<double> cost = CostOfChain(chain, residency);
    if (!cost) return std::nullopt;
    sum += *cost;
    r = chain.last;
  }
  return sum;
}

std::optional<ResidencyPlan> ResidencyPlanner::PlanBy(const Decisions& decisions) const {
  std::vector<Resident> residents;
  std::vector<TurnTile> turns(regions_.size());
  for (size_t r = 0; r < regions_.size(); ++r) {
    if (decisions[r].stays) residents.push_back(*candidates_[r].resident);
    if (decisions[r].turns && !AddBands(r, *decisions[r].turns, &residents, &turns))
      return std::nullopt;
  }
  ResidencyPlan plan;
  if (!Arrange(std::move(residents), turns, &plan)) return std::nullopt;
  for (size_t r = 0; r + 1 < regions_.size(); ++r) {
    if (!decisions[r].room) continue;
    const RoomTiles tiles(plan, r, *decisions[r].room);
    plan.regions[r].inp_tiles = tiles.here;
    plan.regions[r + 1].inp_tiles = tiles.next;
  }
  return plan;
}

void ResidencyPlanner::Keep(Decisions* decisions) {
  std::vector<size_t> order;
  for (size_t r = 0; r < regions_.size(); ++r) {
    const ResidencyRegion& region = regions_[r];
    if (!region.resident && !region.given && !(*decisions)[r].stays &&
        TurnsOf(*decisions, r).last == r && candidates_[r].resident)
      order.push_back(r);
  }
  std::ranges::stable_sort(order, {}, [&](size_t r) { return candidates_[r].resident->tiles; });
  std::optional<double> cost = Cost(*PlanBy(*decisions));
  for (const size_t r : order) {
    Decisions with = *decisions;
    with[r].stays = true;
    const std::optional<ResidencyPlan> tried = PlanBy(with);
    if (!tried) continue;
    const std::optional<double> now = Cost(*tried);
    if (!now || (cost && *now >= *cost)) continue;
    *decisions = std::move(with);
    cost = now;
  }
}

Result<ResidencyPlan> ResidencyPlanner::Run() {
  const ResidencyPlan apart = *PlanBy(Decisions(regions_.size()));
  for (size_t r = 0; r < regions_.size(); ++r) TESSERA_TRY(PlanOf(r, apart.regions[r]));
  TESSERA_ASSIGN(Decisions decisions, Given());
  // A given schedule does not shrink to make room for residents.
  const ResidencyPlan given = *PlanBy(decisions);
  for (size_t r = 0; r < regions_.size(); ++r) {
    if (regions_[r].steps || regions_[r].given) TESSERA_TRY(PlanOf(r, given.regions[r]));
  }
  Keep(&decisions);
  TakeTurns(&decisions);
  LeaveRoom(
      regions_, config_, [&](size_t r, const sched::OnChip& on_chip) { return PlanOf(r, on_chip); },
      *PlanBy(decisions), &decisions);
  ResidencyPlan plan = *PlanBy(decisions);
  for (size_t r = 0; r < regions_.size(); ++r) {
    const bool free = !regions_[r].resident && !regions_[r].steps;
    const bool turns = r + 1 < regions_.size() && WhyNoTurns(r) == nullptr;
    plan.choices.push_back(
        {.stays = free && candidates_[r].resident, .turns = turns, .rows = regions_[r].shape[2]});
    if (!turns || WhyNoBlocks(r, r + 1) != nullptr) continue;
    plan.choices.back().blocks = BlocksOf(r);
    plan.choices.back().summed = SumsChannels(r + 1);
  }
  std::ranges::stable_sort(plan.residents, {}, &Resident::first);
  for (size_t r = 0; r < regions_.size(); ++r) {
    const Decision& decision = decisions[r];
    schedule::NetworkTrace& trace = plan.traces.emplace_back();
    if (regions_[r].given != nullptr) {
      trace = *regions_[r].given;
      continue;
    }
    if (decision.stays) trace.emplace_back(schedule::StayStep{});
    if (decision.turns) trace.emplace_back(*decision.turns);
    if (decision.room) trace.emplace_back(*decision.room);
  }
  for (size_t r = 0; r < regions_.size(); ++r) {
    plan.plans.emplace_back();
    if (regions_[r].steps) continue;
    TESSERA_ASSIGN(plan.plans.back(), PlanOf(r, plan.regions[r]));
  }
  return plan;
}

const Resident* ResidencyPlan::Of(int activation) const {
  const auto it = std::ranges::find(residents, activation, &Resident::activation);
  return it == residents.end() ? nullptr : &*it;
}

Result<ResidencyPlan> PlanResidency(const std::vector<ResidencyRegion>& regions,
                                    const isa::Config& config, const ResidencyOptions& options) {
  return ResidencyPlanner(regions, config, options).Run();
}

}  // namespace tessera::network
