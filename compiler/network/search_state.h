// SPDX-License-Identifier: Apache-2.0
//
// A state of the search of placements: what later costs depend on, and the costs so far. Private
// to place_search.cc and search_edges.cc of compiler/network.
#ifndef TESSERA_COMPILER_NETWORK_SEARCH_STATE_H_
#define TESSERA_COMPILER_NETWORK_SEARCH_STATE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::network {

// Starts of the accelerator are told apart up to this turn.
inline constexpr int kMostTurns = 63;

// A tensor that a later node reads.
struct LiveTensor {
  graph::TensorId id = -1;
  uint32_t on = 0;                            // the device that makes it
  bool unpacked = false;                      // the host has it, or unpacked or fetched it
  bool brought = false;                       // the GPU has it
  bool packed = false;                        // the host packed it in a layout of its own
  bool given = false;                         // the host packed it in the machine's layout
  bool stored = false;                        // it is in device memory
  int16_t host_may = 0, accelerator_may = 0;  // the turns in which a device may read it
  int32_t readers = 0;                        // that are not decided yet
  double store = 0;                           // seconds of the accelerator that storing it adds
};

// The device of a node that is decided before its turn.
struct DecidedNode {
  size_t node = 0;
  uint32_t on = 0;
  bool taken = false;  // a region has it
};

// The decisions of a way, each after the one before it.
struct TrailStep {
  int32_t before = -1;
  uint32_t node = 0, on = 0;
};

struct SearchState {
  std::vector<LiveTensor> live;      // by id
  std::vector<DecidedNode> decided;  // nodes from the current one on
  uint64_t started = 0;              // a bit for each turn that tensors of |live| can be read in
  bool used = false;                 // the accelerator was started
  double host = 0, accelerator = 0, gpu = 0;  // seconds so far
  int32_t trail = -1;

  // The tensor |id| of |live|; null: it is not there.
  const LiveTensor* Find(graph::TensorId id) const {
    const auto found = std::ranges::lower_bound(live, id, {}, &LiveTensor::id);
    return found == live.end() || found->id != id ? nullptr : &*found;
  }
  LiveTensor* Find(graph::TensorId id) {
    return const_cast<LiveTensor*>(std::as_const(*this).Find(id));
  }

  std::string Key() const {
    std::string key(reinterpret_cast<const char*>(&started), sizeof(started));
    const auto add = [&](auto value) {
      key.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    add(used);
    for (const LiveTensor& t : live) {
      add(t.id);
      add(static_cast<uint8_t>(t.on | t.unpacked << 2 | t.packed << 3 | t.given << 4 |
                               t.stored << 5 | t.brought << 6));
      add(t.host_may);
      add(t.accelerator_may);
      if (!t.stored) add(t.store);
    }
    for (const DecidedNode& d : decided) {
      add(static_cast<uint32_t>(d.node << 3 | d.on << 1 | (d.taken ? 1 : 0)));
    }
    return key;
  }
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SEARCH_STATE_H_
