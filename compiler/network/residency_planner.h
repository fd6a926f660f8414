// SPDX-License-Identifier: Apache-2.0
//
// The state of PlanResidency. Private to compiler/network.
#ifndef TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_
#define TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_

#include <optional>
#include <utility>
#include <vector>

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
  // Adds the bands of the chain that begins at |first| to |residents|, and sets the rows of a tile
  // of work by region; false if a band is no smaller than its tensor.
  bool AddBands(size_t first, const schedule::TurnsStep& turns, std::vector<Resident>* residents,
                std::vector<int64_t>* rows) const;
  // Places |residents| in INP and sets what each region sees; false if INP is too small.
  bool Arrange(std::vector<Resident> residents, const std::vector<int64_t>& rows,
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
  // |candidate|, folded to the rows that its region (|made| rows in a tile) and the next region
  // (|used| rows in a tile) need, with room for |spare| more tiles; nothing if that is all rows.
  std::optional<Resident> Folded(Resident candidate, int64_t made, int64_t used,
                                 int64_t spare) const;
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
