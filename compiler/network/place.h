// SPDX-License-Identifier: Apache-2.0
//
// Placement: chooses the device that runs each node of a graph, and the order in which devices take
// turns. Placement comes before fusion, so that an operator that the accelerator lacks takes no
// neighbours with it to the host. Depends on: compiler/graph, network/layers.h. Used by:
// compiler/driver.
//
// The rule. A node can be on the accelerator if the compiler accepts it as a region of its own
// (CheckRegion), if the user gives a schedule for its layer, or if it only shows tensors of the
// accelerator in another shape, in part or joined (network/tensor_places.h). Of the placements that
// these allow, the one that costs least is taken (place_search.h): the time of the layers on each
// device, of starts of the accelerator, and of the tensors that pass between the devices
// (place_cost.h). Without an objective, nodes that tensors connect stay together, some stay on the
// accelerator, because the user asked for it, and a GPU has what the user pins there alone. With
// one, the GPU of the configuration takes part for all nodes without floats. Nodes with a given
// schedule, or that a pin puts there, stay with what they are connected to.
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
#include "compiler/network/objective.h"
#include "compiler/network/pins.h"
#include "compiler/network/place_cost.h"
#include "compiler/network/tensor_places.h"

namespace tessera::network {

// Nodes that the accelerator refused as one region, after its program could not be made. FusePlaced
// splits a region of several nodes; PlaceNodes puts a single node on the host.
struct RefusedRegion {
  std::vector<size_t> nodes;  // indices into Graph::nodes
  std::string why;            // without the region's name
};
using RefusedRegions = std::vector<RefusedRegion>;

struct NodePlace {
  uint32_t device = kHost;
  std::string why_host = "";  // why the accelerator does not run it, from the compiler
  std::string machine = "";   // the same in words of the machine (schedule/accel/refusals.def)
  bool can = false;           // whether the accelerator can run it
};

// Names of layers, as FusePlaced makes them, with a schedule that the user gives. The accelerator
// needs no schedule of its own for them.
using ScheduledLayers = std::vector<std::string>;

// One place for each node of the graph of |layers|. All nodes may be on the host. A node that
// |pins| put on the accelerator is there if it can be (CheckPins). |goal|: what the placement makes
// small; nothing: the time, of whole groups of connected nodes.
std::vector<NodePlace> PlaceNodes(const Layers& layers, const ScheduledLayers& scheduled = {},
                                  const RefusedRegions& refused = {}, const Pins& pins = {},
                                  const std::optional<Objective>& goal = {});

// The node of |layer|, which a user pins, that is named |name|.
//   errors  kNotFound  no node has the name: the message names the one most like it
Result<size_t> FindNode(const graph::Graph& graph, const std::string& layer,
                        const std::string& name);

// Whether |places| are what |pins| want.
//   errors  those of FindNode
//           kUnsupported  a layer that the accelerator cannot run, with the reason; layers on two
//                         kinds of GPU
Status CheckPins(const graph::Graph& graph, const std::vector<NodePlace>& places, const Pins& pins);

// Places all nodes on the host.
std::vector<NodePlace> PlaceOnHost(const graph::Graph& graph);

// Fuses nodes of one device into regions that the compiler of the device accepts. Without |join|,
// each node is a region. A GPU accepts what the host does.
std::vector<graph::Region> FusePlaced(const Layers& layers, const std::vector<NodePlace>& places,
                                      bool join, const ScheduledLayers& scheduled = {},
                                      const RefusedRegions& refused = {});
// The same, by the device of each node.
std::vector<graph::Region> FuseOn(const Layers& layers, const Devices& on, bool join,
                                  const ScheduledLayers& scheduled = {},
                                  const RefusedRegions& refused = {});
Devices DevicesOf(const std::vector<NodePlace>& places);

// The turn of each region. In each turn first the host's regions run, then the accelerator's as one
// program. A region reads nothing from a later turn. Of the accelerator's results in the same turn,
// host regions read none, and accelerator regions read none that the host must pack for them
// (|packed|, by region), or also reads for its part of a layer that they share (share_layers.h).
// They read a concatenation in a later turn than its parts were made, unless all were made in one.
// The number of turns is the smallest possible.
std::vector<int> Turns(const graph::Graph& graph, const std::vector<graph::Region>& regions,
                       const std::vector<uint32_t>& device_of_region,
                       const std::vector<std::vector<graph::TensorId>>& packed);

// Whether |region| has nothing to do on the accelerator (LyingOf).
bool IsView(const graph::Graph& graph, const graph::Region& region, const isa::Config& config);

// The tensor that |region| views under another shape, if it does nothing else.
std::optional<graph::TensorId> ViewedBy(const graph::Graph& graph, const graph::Region& region);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PLACE_H_
