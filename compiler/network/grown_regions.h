// SPDX-License-Identifier: Apache-2.0
//
// The regions that a search of placements can make: from each node on, with the nodes that fusion
// may add, one after another. Each is made and costed once. Private to place_search.cc and place.cc
// of compiler/network.
#ifndef TESSERA_COMPILER_NETWORK_GROWN_REGIONS_H_
#define TESSERA_COMPILER_NETWORK_GROWN_REGIONS_H_

#include <array>
#include <optional>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/network/place_search.h"

namespace tessera::network {

struct GrownRegion {
  graph::Region region;
  std::optional<size_t> next;                      // the node that may follow it
  std::array<std::optional<bool>, 3> joined{};     // by device: whether it may be one region there
  std::optional<std::optional<double>> host, gpu;  // seconds
};

// Whether |node|, a region of one node, reads or makes floats.
bool HasFloats(const graph::Graph& graph, const graph::Region& node);

class GrownRegions {
 public:
  GrownRegions(const PlaceCosts& costs, const PlaceRules& rules);

  // The region of node |n| with |more| nodes behind it, which must exist.
  GrownRegion& At(size_t n, size_t more);
  bool MayJoin(GrownRegion& grown, uint32_t device) const;
  std::optional<double> HostSeconds(GrownRegion& grown) const;
  std::optional<double> GpuSeconds(GrownRegion& grown) const;
  // Whether node |n| has floats. Its layer is the host's, and the same in any placement.
  bool IsFloat(size_t n) const { return HasFloats(graph_, costs_.nodes()[n]); }
  // The least |objective| of a region that begins with node |n|.
  double Least(size_t n, const Objective& objective);

 private:
  const PlaceCosts& costs_;
  const graph::Graph& graph_;
  const PlaceRules& rules_;
  const graph::Followers followers_;
  std::vector<std::vector<GrownRegion>> grown_;  // by first node
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_GROWN_REGIONS_H_
