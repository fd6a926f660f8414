// SPDX-License-Identifier: Apache-2.0
//
// PlanResidency's state. Private to compiler/network.
#ifndef TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_
#define TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_

#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/network/residency.h"
#include "isa/config.h"

namespace tessera::network {

// How regions take turns: tiles of the first one's work in rows, and how many more of them there is
// room for than the next one waits for.
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
  // Tiles of work in rows, by region; 0: as is best.
  using UnitRows = std::vector<int64_t>;

  // Whether a schedule that is given reads |activation| from INP.
  bool ReadWhereItStays(int activation) const;
  // The activation as a candidate; nothing when it cannot stay, with the reason.
  std::optional<Resident> Candidate(size_t maker, const char** why) const;
  // Places |residents| and fills in what the regions see; false when INP is too small.
  bool Arrange(std::vector<Resident> residents, const UnitRows& rows, ResidencyPlan* out) const;
  sched::OnChip Seen(size_t r, const std::vector<Resident>& residents) const;
  // Estimated cycles of all regions, those that take turns together; nothing when one does not fit.
  std::optional<double> Cost(const ResidencyPlan& residency);
  std::optional<double> CostOfChain(const Chain& chain, const ResidencyPlan& residency);
  // The estimates of all its regions in sum. errors: PlanOf's
  Result<sched::TilePlan> SumOf(const Chain& chain, const ResidencyPlan& residency);
  Result<sched::TilePlan> PlanOf(size_t r, const sched::OnChip& on_chip);

  // Whether region |r| and the next one can take turns, |candidate| being what they exchange.
  bool CanTakeTurns(size_t r, const Resident& candidate) const;
  // |candidate| with as many rows as its region, which makes |made| at a time, and the next one,
  // whose tiles have |used|, need, and room for |spare| tiles more; nothing when that is all.
  std::optional<Resident> Folded(Resident candidate, int64_t made, int64_t used,
                                 int64_t spare) const;
  // |best| with the regions of |chain| in turns; |links|: what each exchanges with the next one.
  std::optional<ResidencyPlan> InTurns(const ResidencyPlan& best, const Chain& chain,
                                       const TurnSizes& turns,
                                       const std::vector<std::optional<Resident>>& links) const;
  // Lets regions take turns where that lowers the cost of |best|.
  void TakeTurns(ResidencyPlan* best);

  const std::vector<ResidencyRegion>& regions_;
  const isa::Config& config_;
  const ResidencyOptions& options_;
  std::vector<std::vector<std::pair<sched::OnChip, Result<sched::TilePlan>>>>
      plans_;  // known ones, by region
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_RESIDENCY_PLANNER_H_
