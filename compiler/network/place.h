// SPDX-License-Identifier: Apache-2.0
//
// Placement: which device runs each node of a graph, and in which order the devices take turns. It
// comes before fusion, so that an operator that a device lacks takes nothing with it. Depends on:
// compiler/graph, network/layers.h. Used by: compiler/driver.
//
// The rule. A node can be on the accelerator when the compiler accepts it as a region of its own
// (CheckRegion), when a schedule is given for the layer that it is in, or when it only shows a
// tensor that the accelerator makes under another shape. An island is a largest set of such nodes
// that tensors connect and one program can run. It is worth its transfers when it does at least one
// operation (a multiply-accumulate, an element compared or added) for each byte that it takes from
// the host or that the host takes from it, or has a schedule that is given; others go back to the
// host, so that a single cheap node between two of the host's is none of the accelerator's. When no
// island is worth it the one with the most operations stays: the accelerator was asked for.
#ifndef TESSERA_COMPILER_NETWORK_PLACE_H_
#define TESSERA_COMPILER_NETWORK_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/network/layers.h"

namespace tessera::network {

// Devices by their ids in an artifact.
inline constexpr uint32_t kHost = 0, kAccelerator = 1;

// Nodes that are no region of the accelerator, since its program could not be made: a region of
// several is cut, one of a single node is the host's.
struct RefusedRegion {
  std::vector<size_t> nodes;  // indices into Graph::nodes
  std::string why;            // without the region's name
};
using RefusedRegions = std::vector<RefusedRegion>;

struct NodePlace {
  uint32_t device = kHost;
  std::string why_host;      // why it is not on the accelerator, as the compiler found it
  std::string machine = "";  // the same in words of the machine (schedule/accel/refusals.def)
};

// Names of layers, the regions that FusePlaced makes, for which the user gives a schedule for the
// accelerator: it needs none of its own then.
using ScheduledLayers = std::vector<std::string>;

// One place a node of the graph of |layers|. All may be the host's: such a network has no program.
std::vector<NodePlace> PlaceNodes(const Layers& layers, const ScheduledLayers& scheduled = {},
                                  const RefusedRegions& refused = {});

// Everything on the host.
std::vector<NodePlace> PlaceOnHost(const graph::Graph& graph);

// Regions of nodes of one device, each of which that device's compiler accepts. Without |join|, a
// region a node.
std::vector<graph::Region> FusePlaced(const Layers& layers, const std::vector<NodePlace>& places,
                                      bool join, const ScheduledLayers& scheduled = {},
                                      const RefusedRegions& refused = {});

// The turn of each region: the host's regions of turn 0, the accelerator's of turn 0 as one
// program, the host's of turn 1, and so on. A region reads nothing of a later turn; the host's
// regions read nothing that the accelerator makes in their own, nor do the accelerator's of what
// the host packs for them: |packed|, by region. As few turns as can be.
std::vector<int> Turns(const graph::Graph& graph, const std::vector<graph::Region>& regions,
                       const std::vector<uint32_t>& device_of_region,
                       const std::vector<std::vector<graph::TensorId>>& packed);

// The tensor that |region| only shows under another shape, if that is all it does.
std::optional<graph::TensorId> ViewedBy(const graph::Graph& graph, const graph::Region& region);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PLACE_H_
