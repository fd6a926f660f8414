// SPDX-License-Identifier: Apache-2.0
//
// Finds the placement that costs least. The search decides node after node, in the graph's order.
// What later costs depend on is a state: where the tensors are that later nodes read, which of them
// were packed, unpacked or stored, and in which turns the accelerator was started. Of two ways to
// one state only the cheaper one goes on. Chains have a handful of states and residual blocks a
// few dozen. The fusion of regions is a part of it: a node joins a region here as in graph::Fuse.
// This is exact as long as no step has more than |most_states| ways; of more, the cheapest go on.
// Source: the frontier of partial placements of Collage (PACT 2022), with costs of edges.
// Depends on: network/place_cost.h. Used by: network/place.h, bench, tests.
#ifndef TESSERA_COMPILER_NETWORK_PLACE_SEARCH_H_
#define TESSERA_COMPILER_NETWORK_PLACE_SEARCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/network/objective.h"
#include "compiler/network/place_cost.h"

namespace tessera::network {

// The devices that a node may run on, as bits.
struct NodeRule {
  enum Bits : uint8_t {
    kOnHost = 1,
    kOnAccelerator = 2,
    kEither = kOnHost | kOnAccelerator,
    kOnGpu = 4,
    // On the accelerator if that makes all that it reads, or else on another device of the rule.
    kFollows = 8,
  };
};

struct PlaceRules {
  std::vector<uint8_t> nodes;  // by node
  uint32_t gpu = kOpenCl;      // which one kOnGpu is
  // Nodes that the accelerator can run are there or elsewhere together if a tensor connects them.
  bool together = false;
  bool some_on = false;  // the accelerator has something to do
  // Whether several nodes may be one region of a device.
  std::function<bool(const graph::Region& joined, uint32_t device)> may_join;
};

struct FoundPlacement {
  Devices on;
  bool exact = false;  // no placement by the rules costs less
  int64_t states = 0;  // that the search kept, all steps together
};

// The placement by |rules| with the least |objective|; nothing: |rules| contradict each other.
std::optional<FoundPlacement> SearchPlacement(const PlaceCosts& costs, const PlaceRules& rules,
                                              const Objective& objective,
                                              int64_t most_states = 1024);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PLACE_SEARCH_H_
