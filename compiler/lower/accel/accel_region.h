// SPDX-License-Identifier: Apache-2.0
//
// A region as the accelerator's compiler takes it: its expression, what its placeholders are, and
// its schedule if the user gives one. Depends on: compiler/schedule/accel. Used by:
// lower/accel/step_region.h, compiler/network, codegen/accel, validate.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_ACCEL_REGION_H_
#define TESSERA_COMPILER_LOWER_ACCEL_ACCEL_REGION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/schedule/accel/region.h"
#include "compiler/schedule/step.h"
#include "compiler/te/te.h"
#include "isa/config.h"

namespace tessera::lower::accel {

namespace sched = schedule::accel;

// What AnalyzeRegion says of a region.
using Analysis = std::shared_ptr<const sched::Accepted<sched::AnalyzedRegion>>;

// A region of a program.
struct AccelRegion {
  uint32_t layer = 0;                                          // for the source map
  std::string op;                                              // ... and its text
  te::Tensor output;                                           // the DAG
  int result = -1;                                             // the activation that it makes
  std::unordered_map<const te::TensorNode*, int> activations;  // placeholder -> activation
  std::unordered_map<const te::TensorNode*, std::vector<uint8_t>>
      constants;  // placeholder -> row-major bytes
  // A schedule to replay, as network::ProgramPlan::traces has them; without one the generator decides. With
  // one the region may be what AnalyzeRegion refuses.
  std::optional<schedule::Trace> schedule;
  // The same of the copy of a result that stays to device memory (network::PlannedRegion::store).
  std::optional<schedule::Trace> store_schedule;
  Analysis analysis;  // null: whoever needs it makes it (AnalysisOf)
};

// The analysis of |region|, made if it has none.
Analysis AnalysisOf(const AccelRegion& region, const isa::Config& config);

// Whether the accelerator runs the region of |analysis|: the errors of its analysis and plan.
sched::Acceptance CheckRegion(const Analysis& analysis, const isa::Config& config);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_ACCEL_REGION_H_
