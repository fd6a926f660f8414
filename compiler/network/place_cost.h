// SPDX-License-Identifier: Apache-2.0
//
// What a placement costs, in seconds on the machine of a configuration: the layers on each device,
// the starts of the accelerator, and the tensors that pass between it and the host. Depends on:
// network/layers.h. Used by: network/place.cc, tests.
#ifndef TESSERA_COMPILER_NETWORK_PLACE_COST_H_
#define TESSERA_COMPILER_NETWORK_PLACE_COST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/network/layers.h"

namespace tessera::network {

// A network, and which of its nodes the accelerator runs.
struct Placement {
  const std::vector<graph::Region>& nodes;  // a region a node, in the graph's order
  // By node: the tensors that the host packs for it (Layers::PackedByHost).
  const std::vector<std::vector<graph::TensorId>>& packed;
  std::vector<bool> on;  // by node: whether the accelerator runs it
  // The layers of both devices, fused (FusePlaced), if the accelerator runs the nodes of |on|.
  std::function<std::vector<graph::Region>(const std::vector<bool>& on)> fuse;
};

// The turn of each node (Turns), if the accelerator runs the nodes of |on|.
std::vector<int> TurnsOf(const graph::Graph& graph, const Placement& placement,
                         const std::vector<bool>& on);

// What a part of a network costs on the accelerator, and what it would cost on the host, if the
// rest stays where it is. In seconds of one inference.
struct PartTimes {
  double host = 0;    // on the host's processor: the layers that are there only with the part
  double cycles = 0;  // on the accelerator: the layers that are there only with the part
  // Starts of the accelerator, and packing and unpacking of tensors, that moving the part to the
  // host saves. Below 0: what moving it adds.
  double start = 0, carry = 0;

  double OnHost() const;
  double OnAccelerator() const;
  double Saved() const { return OnAccelerator() - OnHost(); }  // by running it on the host
};

// Seconds of one inference of a network, one device after the other.
struct NetworkTimes {
  double host = 0, accelerator = 0;  // of the layers there
  double start = 0, carry = 0;       // starts of the accelerator; packing and unpacking of tensors
  double total() const { return host + accelerator + start + carry; }
};

class PlaceCosts {
 public:
  PlaceCosts(const Layers& layers, const Placement& placement);

  // The times of the network as it is placed; layers without an estimate count 0.
  NetworkTimes Times() const;

  // Seconds of |layer| on its device, 0 for a view; nothing: no estimate.
  std::optional<double> SecondsOf(const graph::Region& layer, bool accelerator) const;
  // The times of |part|, nodes on the accelerator; nothing: a layer has no estimate.
  std::optional<PartTimes> TimesOf(const std::vector<size_t>& part) const;
  // The layers of both devices as the network is placed.
  const std::vector<graph::Region>& layers_now() const { return layers_now_; }

 private:
  // The nodes of a layer, and whether the accelerator runs it.
  using Placed = std::set<std::pair<std::vector<size_t>, bool>>;
  static Placed PlacedOf(const std::vector<graph::Region>& layers, const std::vector<bool>& on);
  double StartSeconds(int64_t starts) const;
  double CarrySeconds(int64_t bytes) const;
  // Programs of the accelerator that one inference starts, if the nodes of |on| run there.
  int64_t Starts(const std::vector<bool>& on) const;
  // Bytes in the machine's layout that the host packs and unpacks then.
  int64_t CarriedBytes(const std::vector<bool>& on) const;

  const Layers& layers_;
  const graph::Graph& graph_;
  const Placement& placement_;
  const std::vector<graph::Region> layers_now_;
  const Placed placed_now_;
};

// "3.1 us", "41 us", "5.2 ms".
std::string TimeText(double seconds);

// |times| of a part with |operators| operators in the words of RefusalKind::kNotWorth. Example:
// "with 2 other operators 3.1 us on cortex-a9, 41 us on the accelerator, of which 22 us start it
// and 15 us carry tensors".
std::string TimesText(const PartTimes& times, size_t operators, const std::string& cpu);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PLACE_COST_H_
