// SPDX-License-Identifier: Apache-2.0
//
// A region in the form that the accelerator's compiler takes: its expression, what its placeholders
// are bound to, and a schedule if the user gives one. Depends on: compiler/schedule/accel. Used by:
// lower/accel/step_region.h, compiler/network, codegen/accel, validate.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_ACCEL_REGION_H_
#define TESSERA_COMPILER_LOWER_ACCEL_ACCEL_REGION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"
#include "compiler/schedule/network_step.h"
#include "compiler/schedule/step.h"
#include "compiler/te/te.h"
#include "isa/config.h"

namespace tessera::lower::accel {

namespace sched = schedule::accel;

// The result of AnalyzeRegion for a region.
using Analysis = std::shared_ptr<const sched::Accepted<sched::AnalyzedRegion>>;

// A region of a program.
struct AccelRegion {
  uint32_t layer = 0;  // for the source map
  std::string op;      // for the source map and messages
  te::Tensor output;   // the result; the DAG is behind it
  int result = -1;     // the activation that the region makes
  std::unordered_map<const te::TensorNode*, int> activations;  // placeholder -> activation
  std::unordered_map<const te::TensorNode*, std::vector<uint8_t>>
      constants;  // placeholder -> row-major bytes
  // By the name of an activation, the result's too, that lies in another one with gaps: its layout
  // in device memory (network::Activation).
  std::map<std::string, Layout> layouts;
  // A schedule to replay, in the form of network::ProgramPlan::traces. Without one the generator
  // decides. With one, AnalyzeRegion may refuse the region.
  std::optional<schedule::Trace> schedule;
  // A schedule of the copy that stores a resident result (network::PlannedRegion::store).
  std::optional<schedule::Trace> store_schedule;
  // What it agrees on with the other regions of its program. Without one the planner decides.
  std::optional<schedule::NetworkTrace> network;
  Analysis analysis;  // null: AnalysisOf makes it
};

// The layout of |tensor|, which |region| reads or makes, in device memory.
sched::Packing PackingOf(const AccelRegion& region, const te::Tensor& tensor,
                         const isa::Config& config);

// The analysis of |region|; makes one if the region has none.
Analysis AnalysisOf(const AccelRegion& region, const isa::Config& config);

// The plan by which the accelerator runs the region of |analysis| alone. errors: those of its
// analysis and its plan
sched::Accepted<sched::TilePlan> CheckRegion(const Analysis& analysis, const isa::Config& config);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_ACCEL_REGION_H_
