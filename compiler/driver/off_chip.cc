// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/off_chip.h"

#include <fmt/ranges.h>

#include "base/text.h"

namespace tessera::compiler {

std::string Text(const OffChip& off) {
  return fmt::format(
      "{}: no program keeps its tensors on chip ({}); the results of {} go through device memory, "
      "which takes more cycles; please report this model, or give these layers other steps of the "
      "network (docs/steps.md)",
      off.layer, off.why, fmt::join(off.results, ", "));
}

std::optional<OffChip> LeaveChip(const std::vector<network::Activation>& activations,
                                 const std::vector<lower::accel::AccelRegion>& regions,
                                 size_t refused, const std::string& why, std::set<int>* in_memory) {
  const lower::accel::AccelRegion& region = regions[refused];
  const std::string name = Legible(region.op), prefix = name + ": ";
  OffChip off{name, {}, why.substr(why.starts_with(prefix) ? prefix.size() : 0)};
  std::set<int> tensors{region.result};
  for (const auto& [placeholder, activation] : region.activations) tensors.insert(activation);
  for (const lower::accel::AccelRegion& maker : regions) {
    const bool stays =
        tensors.contains(maker.result) && !in_memory->contains(maker.result) &&
        activations[static_cast<size_t>(maker.result)].kind == network::Activation::Kind::kInternal;
    if (stays) off.results.push_back(Legible(maker.op));
  }
  if (off.results.empty()) return std::nullopt;
  in_memory->merge(tensors);
  return off;
}

}  // namespace tessera::compiler
