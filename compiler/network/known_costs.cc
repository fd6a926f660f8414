// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/known_costs.h"

#include <set>

#include "base/hash.h"
#include "compiler/te/structure.h"

namespace tessera::network {

StructureCosts& KnownCosts::Of(const te::RegionTe& layer) {
  std::set<const te::TensorNode*> constants;
  for (const te::Binding& b : layer.bindings) {
    if (b.activation < 0) constants.insert(b.placeholder.get());
  }
  std::string structure = te::StructureOf(layer.output, constants);
  const auto known = costs_.find(structure);
  if (known != costs_.end()) return known->second;
  const uint64_t key =
      Crc64({reinterpret_cast<const uint8_t*>(structure.data()), structure.size()});
  return costs_.emplace(std::move(structure), StructureCosts{.key = key}).first->second;
}

}  // namespace tessera::network
