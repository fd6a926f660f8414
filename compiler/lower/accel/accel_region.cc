// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/accel_region.h"

#include "compiler/schedule/accel/plan.h"

namespace tessera::lower::accel {

Analysis AnalysisOf(const AccelRegion& region, const isa::Config& config) {
  if (region.analysis) return region.analysis;
  sched::ConstantSet constants;
  for (const auto& [placeholder, bytes] : region.constants) constants.insert(placeholder);
  return std::make_shared<Analysis::element_type>(
      sched::AnalyzeRegion(region.output, constants, config));
}

sched::Acceptance CheckRegion(const Analysis& analysis, const isa::Config& config) {
  if (!*analysis) return std::unexpected(analysis->error());
  TESSERA_TRY(sched::MakePlan(**analysis, config));
  return {};
}

}  // namespace tessera::lower::accel
