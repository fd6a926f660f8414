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

// Tile sizes in a chain: |rows| of one tile of the first region's work, and |spare| tiles of room
// beyond what the next region waits for.
struct TurnSizes {
  int64_t rows = 1, spare = 1;
};

class ResidencyPlanner {
 public:
  ResidencyPlanner(const std::vector<ResidencyRegion>& regions, const isa::Config& config,
                   const ResidencyOptions& options)
      : regions_(regions), config_(config), options_(options), plans_(regions.size()) {}

  Result<ResidencyPlan> Run();

 private:
  // Rows of a tile of work, by region; 0: the plan chooses.
  using UnitRows = std::vector<int64_t>;

  // Whether a given schedule reads |activation| from INP.
  bool ReadWhereItStays(int activation) const;
  // The result of region |maker| as a candidate; nothing if it cannot stay, with the reason in
  // |why|.
  std::optional<Resident> Candidate(size_t maker, const char** why) const;
  // Places |residents| in INP and sets what each region sees; false if INP is too small.
  bool Arrange(std::vector<Resident> residents, const UnitRows& rows, ResidencyPlan* out) const;
  sched::OnChip Seen(size_t r, const std::vector<Resident>& residents) const;
  // Estimated cycles of all regions, each chain as a whole; nothing if a region does not fit.
  std::optional<double> Cost(const ResidencyPlan& residency);
  std::optional<double> CostOfChain(const Chain& chain, const ResidencyPlan& residency);
  // The sum of the estimates of all regions of |chain|. errors: PlanOf's
  Result<sched::TilePlan> SumOf(const Chain& chain, const ResidencyPlan& residency);
  Result<sched::TilePlan> PlanOf(size_t r, const sched::OnChip& on_chip);

  // Whether region |r| and the next one can take turns when they exchange |candidate|.
  bool CanTakeTurns(size_t r, const Resident& candidate) const;
  // |candidate|, folded to the rows that its region (|made| rows in a tile) and the next region
  // (|used| rows in a tile) need, with room for |spare| more tiles; nothing if that is all rows.
  std::optional<Resident> Folded(Resident candidate, int64_t made, int64_t used,
                                 int64_t spare) const;
  // |best| with the regions of |chain| in turns; links[r] is the candidate between r and r + 1.
  std::optional<ResidencyPlan> InTurns(const ResidencyPlan& best, const Chain& chain,
                                       const TurnSizes& turns,
                                       const std::vector<std::optional<Resident>>& links) const;
  // Lets regions take turns where that lowers the cost of |best|.
  void TakeTurns(ResidencyPlan* best);

  const std::vector<ResidencyRegion>& regions_;
  const isa::Config& config_;
  const ResidencyOptions& options_;
  std::vector<std::vector<std::pair<sched::OnChip, Result<sched::TilePlan>>>>
      plans_;  // known plans, by region
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_
