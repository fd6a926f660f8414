// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/known_costs.h"

#include <set>

#include "compiler/te/structure.h"

namespace tessera::network {

StructureCosts& KnownCosts::Of(const te::RegionTe& layer) {
  std::set<const te::TensorNode*> constants;
  for (const te::Binding& b : layer.bindings) {
    if (b.activation < 0) constants.insert(b.placeholder.get());
  }
  return costs_[te::StructureOf(layer.output, constants)];
}

}  // namespace tessera::network
