// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/accel_region.h"

namespace tessera::lower::accel {

sched::Packing PackingOf(const AccelRegion& region, const te::Tensor& tensor,
                         const isa::Config& config) {
  sched::Packing packing = sched::PackingOf(sched::ToShape4(tensor.shape()), config);
  const auto layout = region.layouts.find(tensor.name());
  if (layout != region.layouts.end()) packing.layout = layout->second;
  return packing;
}

Analysis AnalysisOf(const AccelRegion& region, const isa::Config& config) {
  if (region.analysis) return region.analysis;
  sched::ConstantSet constants;
  for (const auto& [placeholder, bytes] : region.constants) constants.insert(placeholder);
  return std::make_shared<Analysis::element_type>(
      sched::AnalyzeRegion(region.output, constants, config));
}

sched::Accepted<sched::TilePlan> CheckRegion(const Analysis& analysis, const isa::Config& config) {
  if (!*analysis) return std::unexpected(analysis->error());
  return sched::MakePlan(**analysis, config);
}

}  // namespace tessera::lower::accel
