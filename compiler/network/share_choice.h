// SPDX-License-Identifier: Apache-2.0
//
// Which layers of a placed network both devices make, and how many output channels each, by
// estimates. Depends on: network/place_cost.h, network/share_layers.h. Used by: compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_SHARE_CHOICE_H_
#define TESSERA_COMPILER_NETWORK_SHARE_CHOICE_H_

#include <vector>

#include "compiler/network/objective.h"
#include "compiler/network/place.h"
#include "compiler/network/place_cost.h"

namespace tessera::network {

// Layers that make |objective| smaller when both devices make them, for ShareLayers, the one that
// gains most first. The accelerator runs the nodes of |on|. A part takes its share of the layer's
// time; the accelerator is started once more, and the host packs or unpacks what the parts read and
// make. Layers of |scheduled| stay whole. The gains are estimates: the caller places the network
// again to know them.
Pins ChooseShared(const PlaceCosts& costs, const Devices& on, const Objective& objective,
                  const ScheduledLayers& scheduled);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SHARE_CHOICE_H_
