// SPDX-License-Identifier: Apache-2.0
//
// A placement with its costs: for each layer what it takes where it is and what the other device
// would take. Depends on: network/place.h, network/place_cost.h. Used by: compiler/driver, tools.
#ifndef TESSERA_COMPILER_NETWORK_PLACE_TABLE_H_
#define TESSERA_COMPILER_NETWORK_PLACE_TABLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/network/place.h"
#include "compiler/network/place_cost.h"

namespace tessera::network {

struct LayerCost {
  uint32_t device = kHost;
  bool view = false;                // it has nothing to do
  std::optional<double> here = {};  // seconds where it is; nothing: no estimate
  // What it takes on both devices, with what that changes for its neighbours; nothing: one device
  // cannot run it, or has no estimate.
  std::optional<PartTimes> moved = {};
  std::string why = "";  // why the accelerator does not run it; "": it does
};

struct PlacementCosts {
  std::vector<LayerCost> layers;  // one for each region
  NetworkTimes times;             // of the network as it is placed
  NetworkTimes on_host;           // with all of it on the host
};

// The costs of |regions|, which |fuse| makes of |places|. |done| hears how many are done.
PlacementCosts CostsOf(const Layers& layers, const std::vector<NodePlace>& places,
                       const std::vector<graph::Region>& regions, const PlacedFuse& fuse,
                       const std::function<void(int64_t done)>& done);

// Why layer |cost| is where it is, in a sentence without a full stop. |cpu|: the host's processor.
std::string ReasonOf(const LayerCost& cost, const std::string& cpu);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PLACE_TABLE_H_
