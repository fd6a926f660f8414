// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/target_cost.h"

namespace tessera::cost {

bool IsProcessor(const target::Target& target) {
  return target.FindMemory(ir::Scope::kInp) == nullptr;
}

Result<TargetCost> CostOnTarget(const schedule::Schedule& schedule, const isa::Config& config,
                                bool follows) {
  if (IsProcessor(schedule.target())) return CostOnProcessor(schedule);
  return AccelCost(schedule, config, {.follows = follows});
}

double CyclesOf(const TargetCost& cost) {
  return std::visit([](const auto& of) { return of.cycles; }, cost);
}

}  // namespace tessera::cost
