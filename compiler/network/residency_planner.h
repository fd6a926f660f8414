// SPDX-License-Identifier: Apache-2.0
//
// The state of PlanResidency. Private to compiler/network.
#ifndef TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_
#define TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_

#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "base/error.h"
#include "compiler/network/residency.h"
#include "isa/config.h"

namespace tessera::network {

// What is decided about a region; schedule/network_step.h has the meaning of each.
struct Decision {
  bool stays = false;
  std::optional<schedule::TurnsStep> turns;
  std::optional<schedule::RoomStep> room;
};
using Decisions = std::vector<Decision>;  // by region

// Rows and channel blocks of a tile of work of a region that takes turns, of its input, and the
// tiles of ACC, as OnChip has them.
struct TurnTile {
  int64_t rows = 0, blocks = 0, input_blocks = 0, acc_tiles = -1;
};

// The regions that take turns with |region| by |decisions|; the region alone: none.
Chain TurnsOf(const Decisions& decisions, size_t region);

class ResidencyPlanner {
 public:
  ResidencyPlanner(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
                   const ResidencyOptions& options)
      : regions_(regions), config_(config), options_(options), plans_(regions.size()) {
    for (size_t r = 0; r < regions.size(); ++r) candidates_.push_back(Candidate(r));
  }

  Result<ResidencyPlan> Run();

 private:
  // The result of a region as an activation that stays, or why it cannot.
  struct MaybeResident {
    std::optional<Resident> resident;
    const char* why = "INP is too small for it";
  };
  // Whether a given schedule reads |activation| from INP.
  bool ReadWhereItStays(int activation) const;
  MaybeResident Candidate(size_t maker) const;
  // The plan by |decisions|; nothing if INP is too small or a band is no smaller than its tensor.
  std::optional<ResidencyPlan> PlanBy(const Decisions& decisions) const;
  // Adds the bands of the chain that begins at |first| to |residents|, and sets the tiles of work
  // by region; false if a band is no smaller than its tensor.
  bool AddBands(size_t first, const schedule::TurnsStep& turns, std::vector<Resident>* residents,
                std::vector<TurnTile>* tiles) const;
  // Places |residents| in INP and sets what each region sees; false if INP is too small.
  bool Arrange(std::vector<Resident> residents, const std::vector<TurnTile>& tiles,
               ResidencyPlan* out) const;
  sched::OnChip Seen(size_t r, const std::vector<Resident>& residents) const;
  // Estimated cycles of all regions, each chain as a whole; nothing if a region does not fit.
  std::optional<double> Cost(const ResidencyPlan& residency);
  std::optional<double> CostOfChain(const Chain& chain, const ResidencyPlan& residency);
  // The sum of the estimates of all regions of |chain|. errors: PlanOf's
  Result<sched::TilePlan> SumOf(const Chain& chain, const ResidencyPlan& residency);
  Result<sched::TilePlan> PlanOf(size_t r, const sched::OnChip& on_chip);
  // The plan of |region| with the least cost among the first ones. errors: MakePlans'
  Result<sched::TilePlan> CostedPlan(const ResidencyRegion& region,
                                     const sched::OnChip& on_chip) const;

  // The decisions that are given: of traces, of schedules, and whether results stay.
  // errors: PlanResidency's kInvalidArgument
  Result<Decisions> Given() const;
  // Adds what the network trace of region |r| says.
  Status AddGiven(size_t r, Decisions* decisions) const;
  // Lets more results stay where that lowers the cost of the plan.
  void Keep(Decisions* decisions);
  // Why region |r| cannot take turns with the next one; null: it can.
  const char* WhyNoTurns(size_t r) const;
  // Why regions that take turns from |first| to |last| cannot do so by blocks of channels; null:
  // they can.
  const char* WhyNoBlocks(size_t first, size_t last) const;
  // |candidate|, folded to the rows that its region (|made| in a tile) and the next region (|used|
  // rows in a tile) need, with room for |spare| more tiles; nothing if that is all of it.
  std::optional<Resident> Folded(Resident candidate, const TurnTile& made, int64_t used,
                                 int64_t spare) const;
  // Whether region |r| sums over the channels of its input.
  bool SumsChannels(size_t r) const {
    return regions_[r].region->anchor.kind == sched::AnchorKind::kContraction;
  }
  int64_t BlocksOf(size_t r) const { return CeilDiv(regions_[r].shape[1], config_.block_out); }
  // The estimate of |plan|, less the waits for the bus that other regions' idle bus saves.
  double CostWithWaits(const std::optional<ResidencyPlan>& plan);
  // The same of |decisions| with |turns| from region |first| on, with the waits of these regions.
  double CostInTurns(const Decisions& decisions, size_t first, const schedule::TurnsStep& turns);
  // The cycles of loads in that chain that are free without it: weights of the last region, if it
  // sums over blocks and they stay, come under the region before it in any case.
  double AheadApart(const Decisions& decisions, size_t first, const schedule::TurnsStep& turns);
  // What the estimate of MakePlan says of that chain alone.
  double EstimateInTurns(const Decisions& decisions, size_t first,
                         const schedule::TurnsStep& turns) const;
  // The cycles that regions from |first| on with |plans| wait for each other in |turns|.
  double WaitsInTurns(size_t first, const schedule::TurnsStep& turns,
                      const std::vector<sched::TilePlan>& plans) const;
  // By region of |plan|: what the estimate saves where the next region runs under it.
  std::vector<double> SavedUnder(const ResidencyPlan& plan);
  // The turns of |chain| that cost least, perhaps by blocks of channels, and what they cost.
  std::pair<double, schedule::TurnsStep> BestTurns(const Decisions& decisions, const Chain& chain,
                                                   bool by_blocks);
  // Lets regions take turns where that lowers the cost of the plan.
  void TakeTurns(Decisions* decisions);

  const std::vector<ResidencyRegion>& regions_;
  const isa::Config& config_;
  const ResidencyOptions& options_;
  std::vector<std::vector<std::pair<sched::OnChip, Result<sched::TilePlan>>>>
      plans_;                              // known plans, by region
  std::vector<MaybeResident> candidates_;  // by region
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_
