// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/choice.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "compiler/schedule/rounding.h"

namespace tessera::cost {

Result<schedule::Schedule> CheapestAlgorithm(const std::vector<schedule::Sketch>& sketches,
                                             const std::shared_ptr<const target::Target>& target,
                                             const ProcessorUse& use) {
  TESSERA_CHECK(!sketches.empty());
  std::optional<schedule::Schedule> best;
  double least = 0;
  for (const schedule::Sketch& sketch : sketches) {
    TESSERA_ASSIGN(schedule::Schedule made,
                   schedule::Schedule::Replay({sketch.output}, sketch.trace, target));
    if (best && schedule::RoundingOf(made).algorithm.empty()) continue;
    TESSERA_ASSIGN(const ProcessorCost cost, CostOnProcessor(made, use));
    if (best && cost.cycles >= least) continue;
    least = cost.cycles;
    best = std::move(made);
  }
  return std::move(*best);
}

}  // namespace tessera::cost
