// SPDX-License-Identifier: Apache-2.0
//
// A state of the search of placements: what later costs depend on, and the costs so far. Private
// to compiler/network/place_search.cc.
#ifndef TESSERA_COMPILER_NETWORK_SEARCH_STATE_H_
#define TESSERA_COMPILER_NETWORK_SEARCH_STATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::network {

// A tensor that a later node reads.
struct LiveTensor {
  graph::TensorId id = -1;
  bool on = false;                            // the accelerator makes it
  bool unpacked = false;                      // the host has it, or unpacked it
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
  bool on = false, taken = false;  // taken: a region has it
};

// The decisions of a way, each after the one before it.
struct TrailStep {
  int32_t before = -1;
  uint32_t node = 0;
  bool on = false;
};

struct SearchState {
  std::vector<LiveTensor> live;
  std::vector<DecidedNode> decided;  // nodes from the current one on
  uint64_t started = 0;              // a bit for each turn that tensors of |live| can be read in
  bool used = false;                 // the accelerator was started
  double host = 0, accelerator = 0;  // seconds so far
  int32_t trail = -1;

  std::string Key() const {
    std::string key(reinterpret_cast<const char*>(&started), sizeof(started));
    const auto add = [&](auto value) {
      key.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    add(used);
    for (const LiveTensor& t : live) {
      add(t.id);
      add(static_cast<uint8_t>(t.on | t.unpacked << 1 | t.packed << 2 | t.given << 3 |
                               t.stored << 4));
      add(t.host_may);
      add(t.accelerator_may);
      if (!t.stored) add(t.store);
    }
    for (const DecidedNode& d : decided) {
      add(static_cast<uint32_t>(d.node << 2 | (d.on ? 2 : 0) | (d.taken ? 1 : 0)));
    }
    return key;
  }
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SEARCH_STATE_H_
